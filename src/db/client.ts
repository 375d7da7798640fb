import { createClient, type InStatement, type TransactionMode } from '@libsql/client/http'
import { drizzle } from 'drizzle-orm/libsql/http'
import { type Deadline, within } from '../domain/deadline.ts'
import { AnswerTooLarge } from '../domain/failures.ts'
import { BadStatus, isLost, isTurnedAway, translateDatabaseErrors } from './errors.ts'
import { Meter } from './meter.ts'

export type Database = ReturnType<typeof openDatabase>

/** Where the database is, and how long a round trip may take. */
export type DatabaseAddress = { url: string; authToken?: string | undefined; timeoutMs: number }

/**
 * Opens the database for one request. Never share it between requests: the driver limits parallel calls with promises,
 * and one request's promise that never settles would block every other request.
 * A deadline covers all round trips together; without one, each gets the time-out of the address. The meter counts
 * round trips and the rows they cost. Run statements through `runBatch` or `runOne`: only batches have their errors
 * translated.
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
  // Drizzle passes no mode, and the default begins as a reader: if another writer came in between, a batch that reads
  // first and writes later would then fail at once instead of waiting its turn.
  client.batch = (statements, mode = statements.every(isRead) ? 'read' : 'write') => {
    const run = () => translateDatabaseErrors(batch(statements, mode))
    return meter.timeDatabase(withRetries(run, mode, deadline()))
  }
  return drizzle(client, { casing: 'snake_case' })
}

/** Passes on only the database's own answers: the driver would take any JSON for one. */
async function ask(request: Request, signal: AbortSignal): Promise<Response> {
  const response = await fetch(request, { signal })
  if (response.ok) return response
  await response.body?.cancel()
  throw new BadStatus(response.status)
}

/** What a statement cost; null for a step of a batch that was not executed. */
type Cost = { rows_read?: number; rows_written?: number } | null
type Outcome = { response?: { result?: Cost & { step_results?: Cost[] } } }

/** Counts the cost of each statement as the driver parses the answer, since the driver discards it. */
function metered(response: Response, meter: Meter): Response {
  const parse = response.json.bind(response)
  const json = async () => {
    const answer = (await parse()) as { results?: Outcome[] } | null
    // Whatever answered may not be a database; the driver reports that.
    for (const outcome of Array.isArray(answer?.results) ? answer.results : []) {
      const result = outcome?.response?.result
      for (const cost of result?.step_results ?? [result])
        meter.countRows(cost?.rows_read ?? 0, cost?.rows_written ?? 0)
    }
    return answer
  }
  return Object.assign(response, { json })
}

/** Pauses double from the first to the longest. */
const firstPauseMs = 25
const longestPauseMs = 800

/** Runs a batch, and retries it after a pause as long as that is safe, may help and there is time. */
async function withRetries<T>(run: () => Promise<T>, mode: TransactionMode, signal: AbortSignal): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await run()
    } catch (error) {
      if (retries >= retriesAllowed(error, mode) || !(await pause(retries, signal))) throw error
    }
  }
}

/**
 * How many times a batch that failed this way may be retried. A busy server that turned it away did not execute it. An
 * answer may be too large only because others share the server's memory, and its batch was rolled back. But nobody
 * knows whether a write whose answer was lost was executed, so it is up to the client to send it again.
 */
function retriesAllowed(error: unknown, mode: TransactionMode): number {
  if (isTurnedAway(error)) return Number.POSITIVE_INFINITY
  if (error instanceof AnswerTooLarge) return 2
  return mode === 'read' && isLost(error) ? 1 : 0
}

/** Waits for a random time, so that batches turned away together do not return together. False once time is up. */
async function pause(retries: number, signal: AbortSignal): Promise<boolean> {
  const longest = Math.min(firstPauseMs * 2 ** retries, longestPauseMs)
  const wait = new Promise((done) => setTimeout(done, longest * (0.5 + Math.random() / 2)))
  await within(signal, wait).catch(() => undefined)
  return !signal.aborted
}

function isRead(statement: InStatement | [string, unknown?]): boolean {
  const sql =
    typeof statement === 'string' ? statement : Array.isArray(statement) ? statement[0] : statement.sql
  return /^\s*select\b/i.test(sql)
}
