import { createClient, type InStatement, type TransactionMode } from '@libsql/client/http'
import { drizzle } from 'drizzle-orm/libsql/http'
import { type Deadline, within } from '../domain/deadline.ts'
import { AnswerTooLarge } from '../domain/failures.ts'
import { BadStatus, isLost, isTurnedAway, translateDatabaseErrors } from './errors.ts'
import { Meter } from './meter.ts'

export type Database = ReturnType<typeof openDatabase>

/** Where the database is, and how long one round trip may take. */
export type DatabaseAddress = { url: string; authToken?: string | undefined; timeoutMs: number }

/**
 * Opens a database for one request. Never share it between requests: the client's limit on parallel calls
 * is counted with promises, and a promise of one request that hangs would hang them all.
 * A deadline, where one is given, is for all round trips together, and for whatever else has it; without, each has the
 * time-out of the address. The meter hears of each round trip, and of the rows that it cost.
 * Use `batch`, for a single statement too: it is what translates the driver's errors.
 */
export function openDatabase(
  { url, authToken, timeoutMs }: DatabaseAddress,
  {
    meter = new Meter(),
    deadline = () => AbortSignal.timeout(timeoutMs),
  }: { meter?: Meter; deadline?: Deadline | undefined } = {},
) {
  const client = createClient({
    url,
    ...(authToken && { authToken }),
    fetch: async (request: Request) => {
      meter.countRoundTrip()
      return metered(await ask(request, deadline()), meter)
    },
  })
  const batch = client.batch.bind(client)
  // Drizzle names no mode, and the default would begin as a reader: a batch that reads first and writes later
  // then fails at once when another writer was in between, instead of waiting for its turn.
  client.batch = (statements, mode = statements.every(isRead) ? 'read' : 'write') => {
    const run = () => translateDatabaseErrors(batch(statements, mode))
    return meter.timeDatabase(repeatedly(run, mode, deadline()))
  }
  return drizzle(client, { casing: 'snake_case' })
}

/** Only an answer of the database itself goes to the driver, which would read any JSON as one. */
async function ask(request: Request, signal: AbortSignal): Promise<Response> {
  const response = await fetch(request, { signal })
  if (response.ok) return response
  await response.body?.cancel()
  throw new BadStatus(response.status)
}

/** What a statement has cost; null for a step of a batch that was not executed. */
type Cost = { rows_read?: number; rows_written?: number } | null
type Outcome = { response?: { result?: Cost & { step_results?: Cost[] } } }

/** Shows the meter what the driver reads: it parses the answer once, and drops what each statement has cost. */
function metered(response: Response, meter: Meter): Response {
  const parse = response.json.bind(response)
  const json = async () => {
    const answer = (await parse()) as { results?: Outcome[] } | null
    // What answers may be no database, which is for the driver to say.
    for (const outcome of Array.isArray(answer?.results) ? answer.results : []) {
      const result = outcome?.response?.result
      for (const cost of result?.step_results ?? [result])
        meter.countRows(cost?.rows_read ?? 0, cost?.rows_written ?? 0)
    }
    return answer
  }
  return Object.assign(response, { json })
}

/** The first pause before a batch is sent again; each further one is twice as long, up to the longest. */
const firstPauseMs = 25
const longestPauseMs = 800

/** Sends a batch again, after a pause, for as long as that is safe, helps, and there is time. */
async function repeatedly<T>(run: () => Promise<T>, mode: TransactionMode, signal: AbortSignal): Promise<T> {
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await run()
    } catch (error) {
      if (repeats >= repeatsAllowed(error, mode) || !(await pause(repeats, signal))) throw error
    }
  }
}

/**
 * How often a batch that failed like this may be sent again. Turned away by a busy server, it was not executed, and
 * any other write of that moment will make it. An answer too large may be so only beside others, which share the
 * server's memory; nothing is kept of that batch either. Of a write whose answer was lost nobody knows whether it was
 * executed: who sent it decides about sending it again.
 */
function repeatsAllowed(error: unknown, mode: TransactionMode): number {
  if (isTurnedAway(error)) return Number.POSITIVE_INFINITY
  if (error instanceof AnswerTooLarge) return 2
  return mode === 'read' && isLost(error) ? 1 : 0
}

/** Waits a while, at random, so that those who were turned away together do not come back together. False once time is up. */
async function pause(repeats: number, signal: AbortSignal): Promise<boolean> {
  const longest = Math.min(firstPauseMs * 2 ** repeats, longestPauseMs)
  const wait = new Promise((done) => setTimeout(done, longest * (0.5 + Math.random() / 2)))
  await within(signal, wait).catch(() => undefined)
  return !signal.aborted
}

function isRead(statement: InStatement | [string, unknown?]): boolean {
  const sql =
    typeof statement === 'string' ? statement : Array.isArray(statement) ? statement[0] : statement.sql
  return /^\s*select\b/i.test(sql)
}
