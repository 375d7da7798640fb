import { createClient, type InStatement } from '@libsql/client/http'
import type { LibSQLDatabase } from 'drizzle-orm/libsql'
import { drizzle } from 'drizzle-orm/libsql/http'
import type { Deadline } from '../domain/deadline.ts'
import { BadStatus, translateDatabaseErrors } from './errors.ts'
import { Meter } from './meter.ts'
import { withRetries } from './retries.ts'

const casing = 'snake_case'

/** Builds statements, and runs them through run.ts. */
export type Database = LibSQLDatabase

/** Builds statements where there is no database at hand. */
export const builder: Database = drizzle.mock({ casing })

/** Where the database is, and how long a round trip may take. */
export type DatabaseAddress = { url: string; authToken?: string | undefined; timeoutMs: number }

/**
 * Opens the database for one run (deps.ts). A deadline covers all round trips together; without one, each gets the
 * time-out of the address. The meter counts round trips and the rows they cost. A batch is one transaction and one round
 * trip, retried where that is safe and useful (retries.ts). It throws the errors of errors.ts.
 */
export function openDatabase(
  address: DatabaseAddress,
  {
    meter = new Meter(),
    deadline = () => AbortSignal.timeout(address.timeoutMs),
  }: { meter?: Meter; deadline?: Deadline | undefined } = {},
): Database {
  const { url, authToken } = address
  const client = createClient({
    url,
    ...(authToken && { authToken }),
    fetch: (request: Request) => {
      meter.countRoundTrip()
      return fetchResults(request, deadline())
    },
  })
  const sendBatch = client.batch.bind(client)

  // Drizzle passes no mode, and the driver's default begins as a reader: a transaction that reads first and writes later
  // would fail at once, instead of waiting its turn, if another writer came in between.
  const batch = async (statements: InStatement[]) => {
    const mode = statements.every(isSelect) ? 'read' : 'write'
    // A single read is a transaction in itself, and is less work for the driver and the server than a batch.
    const [only] = mode === 'read' && statements.length === 1 ? statements : []
    const attempt = async () => (only ? [await client.execute(only)] : await sendBatch(statements, mode))
    return meter.timeDatabase(withRetries(() => translateDatabaseErrors(attempt()), mode, deadline()))
  }
  return drizzle(Object.assign(client, { batch }), { casing })
}

/** False for a `select` that begins with `with`: it counts as a write. */
function isSelect(statement: InStatement): boolean {
  return /^\s*select\b/i.test(typeof statement === 'string' ? statement : statement.sql)
}

/** Rejects responses other than 2xx: the driver would mistake their JSON for an error of the database. */
async function fetchResults(request: Request, signal: AbortSignal): Promise<Response> {
  const body = (await request.json()) as any
  const texts = new Map<number, string>()
  const step = (stmt: any) => {
    if (stmt.sql_id !== undefined) {
      stmt.sql = texts.get(stmt.sql_id)
      delete stmt.sql_id
    }
  }
  const stored = body.requests.filter((r: any) => r.type === 'store_sql')
  for (const r of stored) texts.set(r.sql_id, r.sql)
  body.requests = body.requests.filter((r: any) => r.type !== 'store_sql' && r.type !== 'close_sql')
  for (const r of body.requests) {
    if (r.type === 'batch') for (const s of r.batch.steps) step(s.stmt)
    if (r.stmt) step(r.stmt)
  }
  const response = await fetch(request.url, {
    method: 'POST',
    headers: request.headers,
    body: JSON.stringify(body),
    signal,
  })
  if (response.ok) {
    const res = (await response.json()) as any
    res.results.unshift(...stored.map(() => ({ type: 'ok', response: { type: 'store_sql' } })))
    return new Response(JSON.stringify(res), { headers: { 'content-type': 'application/json' } })
  }
  await response.body?.cancel()
  throw new BadStatus(response.status)
}
