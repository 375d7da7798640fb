import { createClient, type InStatement } from '@libsql/client/http'
import { drizzle } from 'drizzle-orm/libsql/http'
import type { Deadline } from '../domain/deadline.ts'
import { DatabaseUnavailable } from '../domain/failures.ts'
import { BadStatus, isTimeout, translateDatabaseErrors } from './errors.ts'
import { Meter } from './meter.ts'

export type Database = ReturnType<typeof openDatabase>

/** Where the database is, and how long one round trip may take. */
export type DatabaseAddress = { url: string; authToken?: string | undefined; timeoutMs: number }

/**
 * Opens a database for one request. Never share it between requests: the client's limit on parallel calls
 * is counted with promises, and a promise of one request that hangs would hang them all.
 * A deadline, where one is given, is for all round trips together, and for whatever else has it; without, each has the
 * time-out of the address. The meter hears of each round trip.
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
    fetch: (request: Request) => {
      meter.countRoundTrip()
      return ask(request, deadline())
    },
  })
  const batch = client.batch.bind(client)
  // Drizzle names no mode, and the default would begin as a reader: a batch that reads first and writes later
  // then fails at once when another writer was in between, instead of waiting for its turn.
  client.batch = (statements, mode = statements.every(isRead) ? 'read' : 'write') => {
    const run = () => translateDatabaseErrors(batch(statements, mode))
    return meter.timeDatabase(mode === 'read' ? onceMore(run) : run())
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

/**
 * Asks once more where the way to the database failed, but not where the time is up. For reads alone: of a write
 * whose answer was lost nobody knows whether it was executed, and who sent it decides about sending it again.
 */
async function onceMore<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof DatabaseUnavailable && !isTimeout(error.cause)) return read()
    throw error
  }
}

function isRead(statement: InStatement | [string, unknown?]): boolean {
  const sql =
    typeof statement === 'string' ? statement : Array.isArray(statement) ? statement[0] : statement.sql
  return /^\s*select\b/i.test(sql)
}
