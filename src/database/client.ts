import { createClient, type InStatement } from '@libsql/client/http'
import type { LibSQLDatabase } from 'drizzle-orm/libsql'
import { drizzle } from 'drizzle-orm/libsql/http'
import type { Deadline, WaitUntil } from '../shared/deadline.ts'
import { Meter } from '../shared/meter.ts'
import { translateDatabaseErrors } from './errors.ts'
import { withRetries } from './retries.ts'
import { fetchOnStream } from './streams.ts'

/** Builds statements, and runs them through run.ts. */
export type Database = LibSQLDatabase

/** Builds statements where there is no database at hand. */
export const builder: Database = drizzle.mock()

/** Where the database is, how long a round trip may take, and how many streams an isolate keeps (streams.ts). */
export type DatabaseAddress = {
  url: string
  authToken?: string | undefined
  timeoutMs: number
  keptStreams?: number
}

type Run = { meter?: Meter; deadline?: Deadline | undefined; waitUntil?: WaitUntil | undefined }

/**
 * Opens the database for one run (deps.ts). A deadline covers all round trips together; without one, each gets the
 * time-out of the address. The meter counts round trips and the rows they cost. A batch is one transaction and one round
 * trip, retried where that is safe and useful (retries.ts). It throws the errors of errors.ts.
 */
export function openDatabase(
  { url, authToken, timeoutMs, keptStreams = 0 }: DatabaseAddress,
  { meter = new Meter(), deadline = () => AbortSignal.timeout(timeoutMs), waitUntil }: Run = {},
): Database {
  const client = createClient({
    url,
    ...(authToken && { authToken }),
    fetch: (request: Request) =>
      fetchOnStream(request, { mostKept: keptStreams, signal: deadline(), meter, waitUntil }),
  })
  const sendBatch = client.batch.bind(client)

  // Drizzle passes no mode, and the driver's default begins as a reader: a transaction that reads first and writes later
  // would fail at once, instead of waiting its turn, if another writer came in between.
  const batch = (statements: InStatement[]) => {
    const mode = statements.every(isSelect) ? 'read' : 'write'
    // A single read is a transaction in itself, and is less work for the driver and the server than a batch.
    const [alone] = mode === 'read' && statements.length === 1 ? statements : []
    const send = async () => (alone ? [await client.execute(alone)] : await sendBatch(statements, mode))
    return meter.timeDatabase(withRetries(() => translateDatabaseErrors(send()), mode, deadline()))
  }
  return drizzle(Object.assign(client, { batch }))
}

/** False for a `select` that begins with `with`: it counts as a write. */
function isSelect(statement: InStatement): boolean {
  return /^\s*select\b/i.test(typeof statement === 'string' ? statement : statement.sql)
}
