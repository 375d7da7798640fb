import type { SQL } from 'drizzle-orm'
import { builder, type Database } from './client.ts'
import { type Bound, bind, type Statement } from './prepared.ts'

/** A statement, prepared or not. */
export type Runnable = Statement | Bound

/** The statements of one round trip by name, in the order in which they run. A name may hold a list of any length. */
export type Statements = Record<string, Runnable | Runnable[]>

export type ResultOf<T> =
  T extends Bound<infer Result> ? Result : T extends Statement ? T['_']['result'] : never

/** The result of each statement under its name, a list of results for a list. */
export type Results<T extends Statements> = {
  [K in keyof T]: T[K] extends (infer S)[] ? ResultOf<S>[] : ResultOf<T[K]>
}

/** Runs named statements in one transaction and one round trip. Throws what `Database.send` throws. */
export async function runAll<T extends Statements>(db: Database, statements: T): Promise<Results<T>> {
  const results = await db.send(Object.values(statements).flat().map(toBound))
  const named: Record<string, unknown> = {}
  for (const [name, one] of Object.entries(statements))
    named[name] = Array.isArray(one) ? results.splice(0, one.length) : results.shift()
  return named as Results<T>
}

/** Runs a single statement. Throws what `Database.send` throws. */
export async function runOne<T extends Runnable>(db: Database, statement: T): Promise<ResultOf<T>> {
  const [result] = await db.send([toBound(statement)])
  return result as ResultOf<T>
}

/** Statements whose results nobody reads, for `runAll`. */
export const unread = (statements: SQL[]) => statements.map((statement) => builder.run(statement))

function toBound(statement: Runnable): Bound {
  return 'decode' in statement ? statement : bind(statement)
}
