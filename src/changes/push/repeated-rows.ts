import { type SQL, sql } from 'drizzle-orm'
import type { FieldErrors } from '../../domain/field-errors.ts'
import { firstErrors } from '../../domain/field-errors.ts'
import type { Operation } from '../operations-contract.ts'

/** The error of a second operation on the same row: which of the two was meant to come first is unknown. */
export const repeatedRowText = 'The row already appears in an earlier operation.'

const tables = {
  account: 'accounts',
  category: 'categories',
  recurring: 'recurring_rules',
  transaction: 'transactions',
  balance_check: 'balance_checks',
} as const

/**
 * The rows to compare, as JSON: those of nouns that the upload identifies both by id and by client id, since only the
 * database can tell whether the two mean the same row. Undefined if there are none.
 */
export function rowsToCompare(operations: Operation[]): string | undefined {
  const changing = operations.filter(({ kind, noun }) => kind !== 'create' && noun !== 'profile')
  const byId = new Set(changing.filter(({ id }) => id !== null).map(({ noun }) => noun))
  const byClientId = new Set(changing.filter(({ id }) => id === null).map(({ noun }) => noun))
  const rows = changing.filter(({ noun }) => byId.has(noun) && byClientId.has(noun))
  if (rows.length === 0) return undefined
  return JSON.stringify(
    rows.map(({ index, noun, id, clientId }) => [index, noun, id, id === null ? clientId : null]),
  )
}

/** The positions of operations whose row an earlier operation has already named, as a query. */
export function repeatedRows(userId: SQL, rows: string): SQL {
  const found = Object.entries(tables).map(
    ([noun, table]) => sql`when ${sql.raw(`'${noun}'`)} then (
      select row.id from ${sql.raw(table)} row where row.user_id = ${userId} and row.client_id = value ->> 3)`,
  )
  return sql`
    select position from (
      select position, row_number() over (partition by noun, id order by position) as nth
        from (select value ->> 0 as position, value ->> 1 as noun,
                     coalesce(value ->> 2, case value ->> 1 ${sql.join(found, sql` `)} end) as id
                from json_each(${rows}))
       where id is not null)
     where nth > 1`
}

export function repeatedRowErrors(found: { position: number }[]): FieldErrors {
  return firstErrors(
    Object.fromEntries(found.map(({ position }) => [`ops.${position}`, [repeatedRowText]])),
    'ops',
  )
}
