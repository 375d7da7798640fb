import type { BatchItem } from 'drizzle-orm/batch'
import type { Database } from './client.ts'

export type Statement = BatchItem<'sqlite'>

/** The statements of a batch by name, in the order they run. A name may hold a list of any length. */
export type Statements = Record<string, Statement | Statement[]>

export type ResultOf<T> = T extends Statement ? T['_']['result'] : never

/** The result of each statement under its name, a list of results for a list. */
export type Results<T extends Statements> = {
  [K in keyof T]: T[K] extends (infer S)[] ? ResultOf<S>[] : ResultOf<T[K]>
}

/** Runs named statements in one transaction and one round trip. Throws what db/errors.ts makes of the driver's errors. */
export async function runBatch<T extends Statements>(db: Database, statements: T): Promise<Results<T>> {
  const results: unknown[] = await db.batch(Object.values(statements).flat() as [Statement])
  const named = Object.entries(statements).map(([name, one]) => [
    name,
    Array.isArray(one) ? results.splice(0, one.length) : results.shift(),
  ])
  return Object.fromEntries(named)
}

/** Runs a single statement, with errors translated as in `runBatch`. */
export async function runOne<T extends Statement>(db: Database, statement: T): Promise<ResultOf<T>> {
  const [result] = await db.batch([statement])
  return result as ResultOf<T>
}
