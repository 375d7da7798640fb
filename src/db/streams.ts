import type { WaitUntil } from '../domain/deadline.ts'
import { BadStatus } from './errors.ts'
import type { Meter } from './meter.ts'

/** A stream is kept if the isolate began another request within this time, and closed after as long without use. */
const idleMs = 1_000
/** A stream that was unused for longer is not tried: the server ends one after ten seconds. */
const freshMs = 5_000
/** A request that began longer ago has ended: workerd stops one whose client went away without notice. */
const longestRequestMs = 10_000
/** How long no stream is kept after the server reported too many connections. */
const pauseMs = 60_000
const closeTimeoutMs = 5_000

/** A stream is continued by sending the baton of its last response to the URL that the response named. */
type Stream = { url: string; baton: string; usedAt: number }
type Lease = { since: number }
/** The streams of one URL and token. It holds no promise or socket: Workers forbid using those of another request. */
type Pool = { idle: Stream[]; inUse: Lease[]; lastRequestAt: number; pausedUntil: number }

const pools = new Map<string, Pool>()

type Options = {
  /** The most streams that an isolate keeps for one URL and token. */
  mostKept: number
  signal: AbortSignal
  meter: Meter
  /** Lets streams be closed after the response. Without it, none is kept. */
  waitUntil?: WaitUntil | undefined
}

/**
 * The `fetch` of libSQL's client, which opens a Hrana stream for each call and closes it in the same request. Since the
 * server opens a connection and parses the schema for each, some are kept for the isolate's next requests; the client
 * sees them closed. Counts round trips, closes and rows. Throws BadStatus for a status other than 2xx.
 */
export async function fetchOnStream(request: Request, options: Options): Promise<Response> {
  const { mostKept, signal, meter, waitUntil } = options
  const pool = poolOf(`${request.url} ${request.headers.get('authorization')}`)
  const server = new Server(request, meter)
  const { idle, lease } = begin(pool, waitUntil ? mostKept : 0)
  try {
    const { requests } = (await request.json()) as { requests: StreamRequest[] }
    const sent = [...withTexts(requests), ...(lease ? [] : [closeRequest])]
    const { body, stream } = await server.execute(sent, idle, signal)
    const results = Array.isArray(body?.results) ? body.results : []
    countRows(results, meter)
    const isWhole = results.length === sent.length
    if (lease && stream) {
      const isGood = isWhole && results.every(isEnded) && stream.usedAt >= pool.pausedUntil
      if (isGood) waitUntil?.(keep(pool, stream, server))
      else await server.close(stream, signal)
    }
    return Response.json(isWhole ? { results: withOmitted(requests, results) } : body)
  } catch (error) {
    if (statusOf(error) === 429) waitUntil?.(pause(pool, server))
    throw error
  } finally {
    pool.inUse = pool.inUse.filter((one) => one !== lease)
  }
}

function poolOf(key: string): Pool {
  const pool = pools.get(key) ?? { idle: [], inUse: [], lastRequestAt: -idleMs, pausedUntil: 0 }
  pools.set(key, pool)
  return pool
}

/** Takes an idle stream if there is one, and a lease if the stream of this request is to be kept. */
function begin(pool: Pool, most: number): { idle?: Stream | undefined; lease?: Lease } {
  const since = performance.now()
  const isBusy = since - pool.lastRequestAt < idleMs && since >= pool.pausedUntil
  pool.lastRequestAt = since
  pool.idle = pool.idle.filter(({ usedAt }) => since - usedAt < freshMs)
  pool.inUse = pool.inUse.filter((lease) => since - lease.since < longestRequestMs)
  const idle = pool.idle.pop()
  if (!isBusy || pool.idle.length + pool.inUse.length >= most) return { idle }
  const lease = { since }
  pool.inUse.push(lease)
  return { idle, lease }
}

/** Offers a stream to other requests, and closes it if none has taken it in time. */
async function keep(pool: Pool, stream: Stream, server: Server): Promise<void> {
  pool.idle.push(stream)
  await new Promise((done) => setTimeout(done, idleMs))
  const place = pool.idle.indexOf(stream)
  if (place >= 0) await server.close(...(pool.idle.splice(place, 1) as [Stream]))
}

/** Closes all idle streams, and keeps none for a while. */
async function pause(pool: Pool, server: Server): Promise<void> {
  pool.pausedUntil = performance.now() + pauseMs
  await Promise.all(pool.idle.splice(0).map((stream) => server.close(stream)))
}

/** The database's server, as one request of the client reaches it. */
class Server {
  readonly #request: Pick<Request, 'url' | 'headers'>
  readonly #meter: Meter

  constructor({ url, headers }: Request, meter: Meter) {
    this.#request = { url, headers }
    this.#meter = meter
  }

  /** Executes requests on an idle stream, or on a new one if there is none or the server no longer knows it. */
  async execute(requests: StreamRequest[], idle: Stream | undefined, signal: AbortSignal) {
    const text = JSON.stringify(requests)
    try {
      return await this.#run(text, idle, signal)
    } catch (error) {
      // With these, the server has executed nothing.
      if (!idle || ![400, 404, 410].includes(statusOf(error))) throw error
      return await this.#run(text, undefined, signal)
    }
  }

  /** Closes a stream. If that fails, the server does so by itself, within ten seconds. */
  async close(stream: Stream, signal = AbortSignal.timeout(closeTimeoutMs)): Promise<void> {
    this.#meter.countClose()
    await this.#post(JSON.stringify([closeRequest]), stream, signal).catch(() => undefined)
  }

  async #run(requests: string, on: Stream | undefined, signal: AbortSignal) {
    this.#meter.countRoundTrip()
    const body = await this.#post(requests, on, signal)
    const { baton, base_url } = body ?? {}
    const url = base_url ? new URL('v2/pipeline', base_url).href : (on?.url ?? this.#request.url)
    return { body, stream: baton ? { url, baton, usedAt: performance.now() } : undefined }
  }

  async #post(requests: string, on: Stream | undefined, signal: AbortSignal): Promise<ResponseBody | null> {
    const { url, headers } = this.#request
    const body = `{"baton":${JSON.stringify(on?.baton ?? null)},"requests":${requests}}`
    const response = await fetch(on?.url ?? url, { method: 'POST', headers, body, signal })
    if (response.ok) return (await response.json()) as ResponseBody | null
    await response.body?.cancel()
    throw new BadStatus(response.status)
  }
}

function statusOf(error: unknown): number {
  return error instanceof BadStatus ? error.status : 0
}

type Statement = { sql?: string | undefined; sql_id?: number | undefined }
type StreamRequest = { type: string; sql_id?: number; sql?: string; batch?: { steps: { stmt: Statement }[] } }
type ResponseBody = { baton?: string | null; base_url?: string | null; results?: StreamResult[] }
type StreamResult = { type: string; response?: { type: string; result?: Result } } | null
/** Of one statement, or of a batch: null stands for a step that was not executed or has no error. */
type Result = Cost & { step_results?: (Cost | null)[]; step_errors?: (object | null)[] }
type Cost = { rows_read?: number; rows_written?: number }

const closeRequest = { type: 'close' }
/** What the client sends about its stream and the texts stored in it. */
const omitted = ['store_sql', 'close_sql', 'close']

/** Puts stored texts back into their statements: the client numbers them from 0, which a kept stream would refuse. */
function withTexts(requests: StreamRequest[]): StreamRequest[] {
  const texts = new Map(
    requests.filter(({ type }) => type === 'store_sql').map(({ sql_id, sql }) => [sql_id, sql]),
  )
  for (const { batch } of requests)
    for (const { stmt } of batch?.steps ?? [])
      if (stmt.sql_id !== undefined) Object.assign(stmt, { sql: texts.get(stmt.sql_id), sql_id: undefined })
  return requests.filter(({ type }) => !omitted.includes(type))
}

/** The results in the client's order, with those that it expects for what was omitted. */
function withOmitted(requests: StreamRequest[], results: StreamResult[]): StreamResult[] {
  const rest = results.values()
  return requests.map(({ type }) =>
    omitted.includes(type) ? { type: 'ok', response: { type } } : (rest.next().value ?? null),
  )
}

/** True unless a transaction may be open: a batch ends with a ROLLBACK, executed unless COMMIT succeeded. */
function isEnded(result: StreamResult): boolean {
  const { step_errors = [], step_results = [] } = result?.response?.result ?? {}
  const isRolledBack = step_results.at(-1) != null
  return result?.type === 'ok' && (isRolledBack || step_errors.every((error) => error === null))
}

function countRows(results: StreamResult[], meter: Meter): void {
  for (const result of results.map((one) => one?.response?.result))
    for (const cost of result?.step_results ?? [result])
      meter.countRows(cost?.rows_read ?? 0, cost?.rows_written ?? 0)
}
