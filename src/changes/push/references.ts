import { type SQL, sql } from 'drizzle-orm'

/** The condition for the user's row that `item` names, by its id or its client id. */
export function isTargetRow(userId: SQL, table: 'accounts' | 'categories' | 'transactions'): SQL {
  const name = sql.raw(table)
  const withClientId = sql`select named.id from ${name} named where named.user_id = ${userId} and named.client_id = item.client_id`
  return sql`${name}.id = coalesce(item.id, (${withClientId})) and ${name}.user_id = ${userId}`
}

/**
 * The id that a sent value refers to: `#` and a client id mean the row with that client id. 0 if there is none, which no
 * rule accepts: what refers to a row whose creation was refused is refused too.
 */
export function resolved(userId: SQL, table: 'accounts' | 'categories', sent: SQL): SQL {
  const named = sql`select named.id from ${sql.raw(table)} named where named.user_id = ${userId} and named.client_id = substr(${sent}, 2)`
  return sql`iif(typeof(${sent}) = 'text', coalesce((${named}), 0), ${sent})`
}
