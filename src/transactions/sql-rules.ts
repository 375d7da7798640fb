import { type SQL, sql } from 'drizzle-orm'
import { refersToOwn } from '../database/ownership.ts'
import { type Rule, rule } from '../database/rules.ts'
import { accounts, categories } from '../database/schema.ts'
import { invalidText, mustDifferText, onlyForTransfersText, requiredText } from '../domain/field-errors.ts'

/** The fields that the rules check, as they will be written: SQL expressions for values or for columns of the row. */
export type NextRow = { type: SQL; account_id: SQL; to_account_id: SQL; category_id: SQL }

/** Makes such a row from an expression for each field. */
export function nextRow(of: (field: keyof NextRow) => SQL): NextRow {
  return {
    type: of('type'),
    account_id: of('account_id'),
    to_account_id: of('to_account_id'),
    category_id: of('category_id'),
  }
}

/** The rules for every transaction, however it is written; contract-rules.ts has them without SQL. */
export function transactionRules(userId: SQL, next: NextRow): Rule[] {
  const { type, account_id: from, to_account_id: to, category_id: category } = next
  return [
    rule('account_id', invalidText, refersToOwn(userId, accounts, from)),
    rule('to_account_id', requiredText, sql`(${type} <> 'transfer' or ${to} is not null)`, 'type'),
    rule('to_account_id', onlyForTransfersText, sql`(${type} = 'transfer' or ${to} is null)`, 'type'),
    rule('to_account_id', invalidText, sql`(${to} is null or ${refersToOwn(userId, accounts, to)})`),
    rule('to_account_id', mustDifferText, sql`(${to} is null or ${to} <> ${from})`, 'account_id'),
    rule(
      'category_id',
      invalidText,
      sql`(${category} is null or ${refersToOwn(userId, categories, category)})`,
    ),
  ]
}
