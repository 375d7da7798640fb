import type { SQL } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { LibSQLDatabase } from 'drizzle-orm/libsql'
import { drizzle } from 'drizzle-orm/libsql/http'

/** Builds statements; `runAll` and `runOne` run them. */
export type Database = LibSQLDatabase

/** Builds statements without a database. */
export const builder: Database = drizzle.mock()

export type Statement = BatchItem<'sqlite'>

/** The statements of one round trip, by name, in the order in which they run. A name may have a list of statements. */
export type Statements = Record<string, Statement | Statement[]>

export type ResultOf<T extends Statement> = T['_']['result']

/** The result of each statement by its name, a list of results for a list. */
export type Results<T extends Statements> = {
  [K in keyof T]: T[K] extends (infer S extends Statement)[]
    ? ResultOf<S>[]
    : T[K] extends Statement
      ? ResultOf<T[K]>
      : never
}

/** Runs named statements in one transaction and one round trip. Throws the errors of errors.ts. */
export async function runAll<T extends Statements>(db: Database, statements: T): Promise<Results<T>> {
  const [first, ...others] = Object.values(statements).flat()
  const results: unknown[] = first ? await db.batch([first, ...others]) : []
  const named: Record<string, unknown> = {}
  for (const [name, one] of Object.entries(statements))
    named[name] = Array.isArray(one) ? results.splice(0, one.length) : results.shift()
  return named as Results<T>
}

/** Runs a single statement. Throws the errors of errors.ts. */
export async function runOne<T extends Statement>(db: Database, statement: T): Promise<ResultOf<T>> {
  const [result] = await db.batch([statement])
  return result
}

/** Makes statements of SQL whose results are not used, for `runAll`. */
export const toStatements = (statements: SQL[]) => statements.map((statement) => builder.run(statement))
