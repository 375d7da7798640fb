import type { Meter } from '../domain/meter.ts'
import type { Budgets } from '../failures/budgets.ts'
import type { WaitUntil } from '../failures/deadline.ts'
import { BadStatus } from './errors.ts'

/** The next request of a stream carries the baton of its last response, and goes to the URL that the response named. */
type Stream = { url: string; baton: string; usedAt: number }
type Lease = { since: number }
/** The streams of one URL and token. No promise or socket: Workers forbid using those of another request. */
type Pool = { idle: Stream[]; inUse: Lease[]; lastRequestAt: number; pausedUntil: number }

const pools = new Map<string, Pool>()

type Options = {
  /** The most streams that an isolate keeps for one URL and token. */
  maxKept: number
  budgets: Budgets
  signal: AbortSignal
  meter: Meter
  /** Required to keep streams: they are closed after the response. */
  waitUntil?: WaitUntil | undefined
}

/**
 * The `fetch` of libSQL's client, which opens and closes a Hrana stream in each request. The server opens a connection and
 * parses the schema for each stream, so some are kept for the isolate's next requests; the client sees them closed. Counts
 * round trips, closes and rows. Throws BadStatus for a status other than 2xx.
 */
export async function fetchOnStream(request: Request, options: Options): Promise<Response> {
  const { maxKept, budgets, signal, meter, waitUntil } = options
  const pool = poolOf(`${request.url} ${request.headers.get('authorization')}`)
  const { requests } = (await request.json()) as { requests: StreamRequest[] }
  const { idle, lease } = acquire(pool, waitUntil ? maxKept : 0, budgets)
  const sent = [...inlined(requests), ...(lease ? [] : [closeRequest])]
  const execute = (on?: Stream) => {
    meter.countRoundTrip()
    return post(request, sent, on, signal)
  }
  const close = async (stream: Stream, closeSignal = AbortSignal.timeout(budgets.streamCloseMs)) => {
    meter.countClose()
    // If this fails, the server ends the stream by itself.
    await post(request, [closeRequest], stream, closeSignal).catch(() => undefined)
  }
  try {
    const { body, stream } = await execute(idle).catch((error) => {
      // The server does not know the stream and has executed nothing.
      if (idle && [400, 404, 410].includes(statusOf(error))) return execute()
      throw error
    })
    const results = Array.isArray(body?.results) ? body.results : []
    countRows(results, meter)
    const isComplete = results.length === sent.length
    if (lease && stream) {
      const isReusable = isComplete && results.every(hasEndedTransaction) && stream.usedAt >= pool.pausedUntil
      if (isReusable) waitUntil?.(keep(pool, stream, budgets.streamIdleMs, close))
      else await close(stream, signal)
    }
    return Response.json(isComplete ? { results: withOmitted(requests, results) } : body)
  } catch (error) {
    if (statusOf(error) === 429) {
      pool.pausedUntil = performance.now() + budgets.streamPauseMs
      const all = [...pool.idle.splice(0), ...(idle ? [idle] : [])]
      waitUntil?.(Promise.all(all.map((stream) => close(stream))))
    }
    throw error
  } finally {
    pool.inUse = pool.inUse.filter((one) => one !== lease)
  }
}

function poolOf(key: string): Pool {
  const pool = pools.get(key) ?? {
    idle: [],
    inUse: [],
    lastRequestAt: Number.NEGATIVE_INFINITY,
    pausedUntil: 0,
  }
  pools.set(key, pool)
  return pool
}

/** Takes an idle stream if there is one, and a lease if the stream of this request is to be kept. */
function acquire(pool: Pool, max: number, budgets: Budgets): { idle?: Stream | undefined; lease?: Lease } {
  const since = performance.now()
  const isBusy = since - pool.lastRequestAt < budgets.streamIdleMs && since >= pool.pausedUntil
  pool.lastRequestAt = since
  pool.idle = pool.idle.filter(({ usedAt }) => since - usedAt < budgets.streamMaxIdleMs)
  pool.inUse = pool.inUse.filter((lease) => since - lease.since < budgets.streamLeaseMs)
  const idle = pool.idle.pop()
  if (!isBusy || pool.idle.length + pool.inUse.length >= max) return { idle }
  const lease = { since }
  pool.inUse.push(lease)
  return { idle, lease }
}

/** Makes a stream available to other requests, and closes it after that time without use. */
async function keep(
  pool: Pool,
  stream: Stream,
  idleMs: number,
  close: (stream: Stream) => Promise<void>,
): Promise<void> {
  pool.idle.push(stream)
  await new Promise((done) => setTimeout(done, idleMs))
  if (!pool.idle.includes(stream)) return
  pool.idle = pool.idle.filter((one) => one !== stream)
  await close(stream)
}

/** Sends requests on a stream, or on a new one, with the headers of the client's request. Returns the next baton. */
async function post(
  { url, headers }: Request,
  requests: object[],
  on: Stream | undefined,
  signal: AbortSignal,
) {
  const content = JSON.stringify({ baton: on?.baton, requests })
  const response = await fetch(on?.url ?? url, { method: 'POST', headers, body: content, signal })
  if (!response.ok) {
    await response.body?.cancel()
    throw new BadStatus(response.status)
  }
  const body = (await response.json()) as ResponseBody | null
  if (!body?.baton) return { body }
  const next = body.base_url ? new URL('v2/pipeline', body.base_url).href : (on?.url ?? url)
  return { body, stream: { url: next, baton: body.baton, usedAt: performance.now() } }
}

function statusOf(error: unknown): number {
  return error instanceof BadStatus ? error.status : 0
}

type Statement = { sql?: string | undefined; sql_id?: number | undefined }
type StreamRequest = { type: string; sql_id?: number; sql?: string; batch?: { steps: { stmt: Statement }[] } }
type ResponseBody = { baton?: string | null; base_url?: string | null; results?: StreamResult[] }
type StreamResult = { type: string; response?: { type: string; result?: Result } } | null
/**
 * The result of a statement or a batch: `step_results[i]` is null if step i was not executed, `step_errors[i]` if it did
 * not fail.
 */
type Result = Cost & { step_results?: (Cost | null)[]; step_errors?: (object | null)[] }
type Cost = { rows_read?: number; rows_written?: number }

const closeRequest = { type: 'close' }
/** The client's requests that are not sent: they close the stream, or store SQL texts in it. */
const omitted = ['store_sql', 'close_sql', 'close']

/** Replaces the ids of stored texts by the texts: the client numbers them from 0, so ids would repeat on a kept stream. */
function inlined(requests: StreamRequest[]): StreamRequest[] {
  const texts = new Map(
    requests.filter(({ type }) => type === 'store_sql').map(({ sql_id, sql }) => [sql_id, sql]),
  )
  for (const { batch } of requests)
    for (const { stmt } of batch?.steps ?? [])
      if (stmt.sql_id !== undefined) Object.assign(stmt, { sql: texts.get(stmt.sql_id), sql_id: undefined })
  return requests.filter(({ type }) => !omitted.includes(type))
}

/** Adds the results that the client expects for its omitted requests. */
function withOmitted(requests: StreamRequest[], results: StreamResult[]): unknown[] {
  const rest = [...results]
  return requests.map(({ type }) =>
    omitted.includes(type) ? { type: 'ok', response: { type } } : rest.shift(),
  )
}

/** True unless a transaction may be open. A batch ends with a ROLLBACK, which is executed unless COMMIT succeeded. */
function hasEndedTransaction(result: StreamResult): boolean {
  const { step_errors = [], step_results = [] } = result?.response?.result ?? {}
  const isRolledBack = step_results.at(-1) != null
  return result?.type === 'ok' && (isRolledBack || step_errors.every((error) => error === null))
}

function countRows(results: StreamResult[], meter: Meter): void {
  for (const result of results.map((one) => one?.response?.result))
    for (const cost of result?.step_results ?? [result])
      meter.countRows(cost?.rows_read ?? 0, cost?.rows_written ?? 0)
}
