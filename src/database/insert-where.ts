import { getTableColumns, is, SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Database } from './run.ts'

/** The values of a row, each a plain value or an SQL expression. */
type RowOf<T extends SQLiteTable> = { [K in keyof T['$inferInsert']]: T['$inferInsert'][K] | SQL }

/**
 * `INSERT … SELECT … WHERE <guard>`: inserts the row only if the guard holds. `from` may be a FROM clause, whose columns
 * `row` can use; `guard` must then match at most one of its rows. `.returning()` shows whether the row was inserted.
 */
export function insertWhere<T extends SQLiteTable>(
  db: Database,
  table: T,
  row: RowOf<T>,
  guard: SQL,
  from = sql``,
) {
  const columns = Object.entries(getTableColumns(table)).filter(([, column]) => !column.generated)
  const values = columns.map(([key, column]) => {
    const value = (row as Record<string, unknown>)[key]
    if (value === undefined)
      return column.hasDefault && !column.primary ? sql.param(column.default, column) : sql`null`
    return is(value, SQL) ? value : sql.param(value, column)
  })
  return db.insert(table).select(sql`select ${sql.join(values, sql`, `)} ${from} where ${guard}`)
}
