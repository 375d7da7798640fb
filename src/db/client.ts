import { createClient, type InStatement } from '@libsql/client/http'
import { drizzle } from 'drizzle-orm/libsql/http'
import { translateDatabaseErrors } from './errors.ts'
import { Meter } from './meter.ts'

export type Database = ReturnType<typeof openDatabase>

/** Where the database is, and how long one round trip may take. */
export type DatabaseAddress = { url: string; authToken?: string | undefined; timeoutMs: number }

/**
 * Opens a database for one request. Never share it between requests: the client's limit on parallel calls
 * is counted with promises, and a promise of one request that hangs would hang them all.
 * A deadline, where one is given, is for all round trips together; the meter hears of each of them.
 * Use `batch`, for a single statement too: it is what translates the driver's errors.
 */
export function openDatabase(
  { url, authToken, timeoutMs }: DatabaseAddress,
  { meter = new Meter(), deadline }: { meter?: Meter; deadline?: AbortSignal } = {},
) {
  const client = createClient({
    url,
    ...(authToken && { authToken }),
    fetch: (request: Request) => {
      meter.countRoundTrip()
      return fetch(request, { signal: deadline ?? AbortSignal.timeout(timeoutMs) })
    },
  })
  const batch = client.batch.bind(client)
  // Drizzle names no mode, and the default would begin as a reader: a batch that reads first and writes later
  // then fails at once when another writer was in between, instead of waiting for its turn.
  client.batch = (statements, mode = statements.every(isRead) ? 'read' : 'write') =>
    meter.timeDatabase(translateDatabaseErrors(batch(statements, mode)))
  return drizzle(client, { casing: 'snake_case' })
}

function isRead(statement: InStatement | [string, unknown?]): boolean {
  const sql =
    typeof statement === 'string' ? statement : Array.isArray(statement) ? statement[0] : statement.sql
  return /^\s*select\b/i.test(sql)
}
