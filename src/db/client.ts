import type { Query } from 'drizzle-orm'
import type { LibSQLDatabase } from 'drizzle-orm/libsql'
import { BaseSQLiteDatabase, SQLiteAsyncDialect, SQLiteSession } from 'drizzle-orm/sqlite-core'
import { type Deadline, within } from '../domain/deadline.ts'
import { AnswerTooLarge } from '../domain/failures.ts'
import { BadStatus, isLost, isTurnedAway, translateDatabaseErrors } from './errors.ts'
import { batchOf, type Mode, pipelineOf, readBatch } from './hrana.ts'
import { Meter } from './meter.ts'
import { type Bound, bind, type Field, type Prepared, type Statement } from './prepared.ts'

const dialect = new SQLiteAsyncDialect({ casing: 'snake_case' })

/** The session that Drizzle needs to build a statement. It sends nothing, and hands over what Drizzle has built. */
class Unsent extends (SQLiteSession as unknown as new (own: typeof dialect) => object) {
  prepareOneTimeQuery(query: Query, fields: Field[] | undefined): Prepared {
    return { getQuery: () => query, fields }
  }
}

/** Builds statements. It is not connected to anything, so an isolate needs only one. */
export const builder = new BaseSQLiteDatabase(
  'async',
  dialect,
  new Unsent(dialect) as never,
  undefined,
) as unknown as Omit<LibSQLDatabase, 'batch'>

/** Builds statements, and sends them. */
export type Database = typeof builder & {
  batch: LibSQLDatabase['batch']
  /** Runs statements in one transaction and one round trip. Throws what db/errors.ts makes of errors. */
  send(statements: Bound[]): Promise<unknown[]>
}

/** Where the database is, and how long a round trip may take. */
export type DatabaseAddress = { url: string; authToken?: string | undefined; timeoutMs: number }

/**
 * Opens the database for one request. A deadline covers all round trips together; without one, each gets the time-out
 * of the address. The meter counts round trips and the rows they cost.
 */
export function openDatabase(
  address: DatabaseAddress,
  {
    meter = new Meter(),
    deadline = () => AbortSignal.timeout(address.timeoutMs),
  }: { meter?: Meter; deadline?: Deadline | undefined } = {},
): Database {
  const send = (statements: Bound[]) => {
    const mode = statements.every(({ isRead }) => isRead) ? 'read' : 'write'
    const run = () => translateDatabaseErrors(attempt(address, statements, mode, { meter, deadline }))
    return meter.timeDatabase(withRetries(run, mode, deadline()))
  }

  const batch = (statements: Statement[]) => send(statements.map(bind))
  return Object.assign(Object.create(builder), { send, batch })
}

async function attempt(
  { url, authToken }: DatabaseAddress,
  statements: Bound[],
  mode: Mode,
  { meter, deadline }: { meter: Meter; deadline: Deadline },
): Promise<unknown[]> {
  meter.countRoundTrip()
  const response = await fetch(pipelineOf(url), {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(authToken && { Authorization: `Bearer ${authToken}` }),
    },
    body: batchOf(statements, mode),
    signal: deadline(),
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw new BadStatus(response.status)
  }
  const answers = readBatch(await response.json(), statements.length, (read, written) =>
    meter.countRows(read, written),
  )
  return answers.map((answer, index) => (statements[index] as Bound).decode(answer))
}

/** Pauses double from the first to the longest. */
const firstPauseMs = 25
const longestPauseMs = 800

/** Runs a batch, and retries it after a pause for as long as that is safe, may help and there is time. */
async function withRetries<T>(run: () => Promise<T>, mode: Mode, signal: AbortSignal): Promise<T> {
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
function retriesAllowed(error: unknown, mode: Mode): number {
  if (isTurnedAway(error)) return Number.POSITIVE_INFINITY
  if (error instanceof AnswerTooLarge) return 2
  return mode === 'read' && isLost(error) ? 1 : 0
}

/** Waits for a random time, so that batches turned away together do not come back together. False once time is up. */
async function pause(retries: number, signal: AbortSignal): Promise<boolean> {
  const longest = Math.min(firstPauseMs * 2 ** retries, longestPauseMs)
  const wait = new Promise((done) => setTimeout(done, longest * (0.5 + Math.random() / 2)))
  await within(signal, wait).catch(() => undefined)
  return !signal.aborted
}
