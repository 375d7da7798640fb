import { type SQL, sql } from 'drizzle-orm'
import type { UserScope } from '../database/owner.ts'
import { ownRow } from '../database/ownership.ts'
import { type Rule, rule } from '../database/rules.ts'
import { transactions } from '../database/schema.ts'
import type { Pair } from './contract.ts'

/** Both rows must be the user's. The error is the same whether a row is another user's or does not exist. */
export function pairRules(owner: UserScope, ids: readonly number[]): Rule[] {
  return ids.map((id, at) =>
    rule(
      `ids.${at}`,
      'The selected id is invalid.',
      sql`exists (select 1 from ${transactions} where ${ownRow(owner, transactions, id)})`,
    ),
  )
}

const kindTexts = {
  transfer: 'The :field must be those of an expense and an income of one amount on two accounts.',
  duplicate: 'The :field must be those of two transactions of one account, type and amount.',
}

/** Two transactions of the user's that are to be joined must be a pair of that kind. */
export function kindRule({ id: userId }: UserScope, { kind, ids: [first, second] }: Pair): Rule {
  const both = sql`a.id = ${first} and a.user_id = ${userId} and b.id = ${second} and b.user_id = ${userId}`
  const isOther = sql`select 1 from transactions a cross join transactions b where ${both} and not (${isPair(sql`${kind}`)})`
  return rule('ids', kindTexts[kind], sql`not exists (${isOther})`)
}

/** At most one of two rows may be an occurrence of a rule: they are different ones. */
export function occurrenceRule({ id: userId }: UserScope, { ids: [first, second] }: Pair): Rule {
  const both = sql`a.id = ${first} and a.user_id = ${userId} and b.id = ${second} and b.user_id = ${userId}`
  return rule(
    'ids',
    'The :field must not be those of two occurrences of recurring transactions.',
    sql`not exists (select 1 from transactions a cross join transactions b where ${both} and ${areOccurrences})`,
  )
}

/** True if `a` and `b` are occurrences of rules that exist. */
export const areOccurrences = sql`(
  (a.recurring_id in (select id from recurring_rules) and b.recurring_id in (select id from recurring_rules)) is true)`

/** The most joined rows that one transaction may represent, since each join and separation rewrites all of them. */
const maxRepresented = 1_000

/** The rows that are to be one transaction must not represent too many others. */
export function roomRule({ id: userId }: UserScope, { ids: [first, second] }: Pair): Rule {
  return rule(
    'ids',
    `The :field must have fewer than ${maxRepresented.toLocaleString('en')} joined transactions.`,
    hasRoom(userId, sql`${first}, ${second}`),
  )
}

/** True as long as the rows with these ids together represent fewer than `maxRepresented`. */
export function hasRoom(userId: SQL, ids: SQL): SQL {
  const max = sql.raw(String(maxRepresented))
  return sql`(select count(*) from (
    select 1 from imported_originals indexed by imported_originals_merged_into
     where user_id = ${userId} and merged_into_id in (${ids}) limit ${max})) < ${max}`
}

/** True for `a` and `b` if they can be one event, of that kind. A transfer counts as its two legs. */
export function isPair(kind: SQL): SQL {
  const isLeg = (transfer: SQL, row: SQL) => sql`(
    ${transfer}.type = 'transfer' and (${row}.type = 'expense' and ${row}.account_id = ${transfer}.account_id
      or ${row}.type = 'income' and ${row}.account_id = ${transfer}.to_account_id))`
  const [a, b] = [sql`a`, sql`b`]
  return sql`a.amount = b.amount and a.id <> b.id and iif(${kind} = 'transfer',
    a.account_id <> b.account_id and (a.type, b.type) in (('expense', 'income'), ('income', 'expense')),
    (a.type, a.account_id, a.to_account_id) is (b.type, b.account_id, b.to_account_id) or ${isLeg(a, b)} or ${isLeg(b, a)})`
}
