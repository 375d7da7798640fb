import { type SQL, sql } from 'drizzle-orm'
import type { Owner } from '../../db/owner.ts'
import { columnsAsSent, fieldsAsSent, stageRows } from '../bulk-insert.ts'
import type { ImportRow } from './import-file.ts'

/** Stands for a name that no account has, or more than one: no row has this id. */
const noAccount = 0

/** Stages rows with the ids of the accounts they name. An id of a category that is not the user's fails its row. */
export function stageImportRows(owner: Owner, batchId: string, rows: ImportRow[]): SQL[] {
  // A name means the account with exactly that name, else the only one whose name differs just in case.
  const named = (name: SQL) => sql`
    select ${name} as name, min(id) as id from accounts where user_id = ${owner.id} group by 1 having count(*) = 1`
  const accountId = (given: SQL, exact: SQL, folded: SQL) =>
    sql`iif(typeof(${given}) = 'text', coalesce(${exact}, ${folded}, ${noAccount}), ${given})`
  const isId = sql`typeof(item.category) = 'integer'`
  const isStray = sql`(${isId} and own.id is null)`
  const strayError = JSON.stringify([['category_id', 'The selected category id is invalid.']])
  // Materialized, or SQLite would go through all accounts for each row.
  const items = sql`,
    exact as materialized (${named(sql`name`)}), folded as materialized (${named(sql`lower(name)`)})
    select ${batchId}, position, iif(${isStray}, 'failed', 'pending'), iif(${isStray}, ${strayError}, null),
           ${accountId(sql`item.account`, sql`source.id`, sql`source_folded.id`)},
           ${accountId(sql`item.to_account`, sql`target.id`, sql`target_folded.id`)},
           own.id, ${columnsAsSent('item')}
      from item
      left join exact source on source.name = item.account
      left join folded source_folded on source_folded.name = lower(item.account)
      left join exact target on target.name = item.to_account
      left join folded target_folded on target_folded.name = lower(item.to_account)
      left join categories own on ${isId} and own.id = item.category and own.user_id = ${owner.id}`
  return stageRows(batchId, rows, ['account', 'to_account', 'category', ...fieldsAsSent], items)
}
