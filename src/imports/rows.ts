import { type SQL, sql } from 'drizzle-orm'
import type { UserScope } from '../database/owner.ts'
import { brokenRules } from '../database/rules.ts'
import { categoryNameKey } from '../domain/category-name-key.ts'
import { invalidText, messageFor } from '../domain/field-errors.ts'
import {
  copiedColumns,
  copiedFieldNames,
  itemRules,
  rowParts,
  stageRows,
} from '../transactions/bulk-insert.ts'
import { nameKeySql, relateNames } from './account-names.ts'
import type { ImportFile, ImportRow } from './import-file.ts'

/** The id for a name that no account has, or more than one: no row has it. */
const noAccount = 0

/**
 * Stages rows with the ids of the accounts they name; rows that break a rule are invalid. A category that is given by
 * its id must be the user's; names of categories are looked up when the rows are created.
 */
export function stageImportRows(
  { id }: UserScope,
  batchId: string,
  parts: { from: number; json: string }[],
  hasClientIds: boolean,
): SQL[] {
  // A name means the only account with exactly that name, or else the only one with that name apart from case and white space.
  const named = (name: SQL) => sql`
    select ${name} as name, min(id) as id from accounts where user_id = ${id} group by 1 having count(*) = 1`
  const accountId = (given: SQL, exact: SQL, folded: SQL) =>
    sql`iif(typeof(${given}) = 'text', coalesce(${exact}, ${folded}, ${noAccount}), ${given})`
  const isUnknownCategory = sql`typeof(category) = 'integer' and not exists (
    select 1 from categories where categories.id = category and user_id = ${id})`
  const unknownCategoryError = JSON.stringify([['category_id', messageFor('category_id', invalidText)]])
  // Materialized, or SQLite would go through all accounts for each row.
  const checked = sql`
    with exact as materialized (${named(sql`name`)}), folded as materialized (${named(nameKeySql(sql`name`))}),
    located as materialized (
      select ${copiedColumns}, category,
             ${accountId(sql`item.account`, sql`source.id`, sql`source_folded.id`)} as account_id,
             ${accountId(sql`item.to_account`, sql`target.id`, sql`target_folded.id`)} as to_account_id
        from item
        left join exact source on source.name = item.account
        left join folded source_folded on source_folded.name = item.account_key
        left join exact target on target.name = item.to_account
        left join folded target_folded on target_folded.name = item.to_account_key
    )
    select iif(${isUnknownCategory}, ${unknownCategoryError}, nullif(${brokenRules(itemRules(id, { hasClientIds }))}, '[]')) as errors, ${copiedColumns},
           account_id, to_account_id, category
      from located item`
  return stageRows(batchId, parts, importedFields, checked)
}

const importedFields = [
  ...(['account', 'account_key', 'to_account', 'to_account_key', 'category'] as const),
  ...copiedFieldNames,
] as const

/** Rows as JSON, in the parts that `stageImportRows` takes. */
export function importedParts(
  rows: ImportRow[],
  product: ImportFile['product'],
): { from: number; json: string }[] {
  const { keyOf } = relateNames(
    rows.flatMap(({ account, to_account }) => [account, to_account]),
    product,
  )
  const keyOfNamed = (account: ImportRow['account']) => (typeof account === 'string' ? keyOf(account) : null)
  // Names of categories are staged in the form in which they are compared.
  const staged = rows.map(({ category, ...row }) => ({
    ...row,
    account_key: keyOfNamed(row.account),
    to_account_key: keyOfNamed(row.to_account),
    category: typeof category === 'string' ? categoryNameKey(category) : category,
  }))
  return rowParts(staged, importedFields)
}
