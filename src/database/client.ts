import { createClient, type InStatement } from '@libsql/client/http'
import { drizzle } from 'drizzle-orm/libsql/http'
import { Meter } from '../domain/meter.ts'
import { type Budgets, defaultBudgets } from '../failures/budgets.ts'
import { type Deadline, timeoutSignal, type WaitUntil } from '../failures/deadline.ts'
import { translateDatabaseErrors } from './errors.ts'
import { withRetries } from './retries.ts'
import type { Database } from './run.ts'
import { fetchOnStream } from './streams.ts'
import { nameWriter, type Writer } from './written-by.ts'

/** The database, the time-out of a round trip (0 sets none), and how many streams an isolate keeps, and how long (streams.ts). */
export type DatabaseAddress = {
  url: string
  authToken?: string | undefined
  timeoutMs?: number
  keptStreams?: number
  budgets?: Budgets
}

type Run = {
  meter?: Meter
  deadline?: Deadline | undefined
  waitUntil?: WaitUntil | undefined
  writer?: Writer
}

/**
 * Opens the database for one run (deps.ts). The deadline covers all round trips; by default each has its own time-out. A
 * batch is one transaction and one round trip, retried where that is safe (retries.ts). It throws the errors of errors.ts.
 */
export function openDatabase(
  {
    url,
    authToken,
    keptStreams = 0,
    budgets = defaultBudgets,
    timeoutMs = budgets.requestMs,
  }: DatabaseAddress,
  { meter = new Meter(), deadline = () => timeoutSignal(timeoutMs), waitUntil, writer = 'service' }: Run = {},
): Database {
  const client = createClient({
    url,
    ...(authToken && { authToken }),
    fetch: (request: Request) =>
      fetchOnStream(request, { maxKept: keptStreams, budgets, signal: deadline(), meter, waitUntil }),
  })
  const sendBatch = client.batch.bind(client)

  // Drizzle passes no mode. In the driver's default mode, a transaction that reads before it writes fails if another
  // writes in between.
  const batch = (statements: InStatement[]) => {
    const mode = statements.every(isSelect) ? 'read' : 'write'
    // A single read needs no transaction.
    const [single] = mode === 'read' && statements.length === 1 ? statements : []
    const send = async () => {
      if (single) return [await client.execute(single)]
      if (mode === 'read') return sendBatch(statements, mode)
      const results = await sendBatch([...statements, nameWriter(writer)], mode)
      return results.slice(0, -1)
    }
    return meter.timeDatabase(withRetries(() => translateDatabaseErrors(send()), mode, deadline()))
  }
  return drizzle(Object.assign(client, { batch }))
}

/** A statement that begins with `with` counts as a write. */
function isSelect(statement: InStatement): boolean {
  return /^\s*select\b/i.test(typeof statement === 'string' ? statement : statement.sql)
}
