import { type SQL, sql } from 'drizzle-orm'
import type { NewTransaction } from '../../contract/transactions.ts'
import { hasLiveAccounts, refersToOwn } from '../../db/ownership.ts'
import { accounts, categories, remembered, spentClientIds, transactions } from '../../db/schema.ts'
import { invalidText, requiredText } from '../../domain/draft.ts'
import { type Rule, rule } from '../guards.ts'

/** The fields of a new transaction, without those that are null. */
export type GivenFields = {
  [Field in keyof Omit<NewTransaction, 'force'>]: NonNullable<NewTransaction[Field]>
}

/** A transaction as it will be written. Each field is an SQL expression: a value, or a column of the current row. */
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

/** The rules for every transaction, however it is written. */
export function transactionRules(userId: SQL, next: NextRow): Rule[] {
  const { type, account_id: from, to_account_id: to, category_id: category } = next
  const mustBeEmpty = 'The :field field must be empty unless type is transfer.'
  const mustDiffer = 'The :field field and account id must be different.'
  return [
    rule('account_id', invalidText, refersToOwn(userId, accounts, from)),
    rule('to_account_id', requiredText, sql`(${type} <> 'transfer' or ${to} is not null)`, 'type'),
    rule('to_account_id', mustBeEmpty, sql`(${type} = 'transfer' or ${to} is null)`, 'type'),
    rule('to_account_id', invalidText, sql`(${to} is null or ${refersToOwn(userId, accounts, to)})`),
    rule('to_account_id', mustDiffer, sql`(${to} is null or ${to} <> ${from})`, 'account_id'),
    rule(
      'category_id',
      invalidText,
      sql`(${category} is null or ${refersToOwn(userId, categories, category)})`,
    ),
  ]
}

/** A late retry of the request that created a transaction must not bring it back once it has been deleted. */
export function clientIdUnspent(userId: SQL, client_id: SQL): Rule {
  const { userId: spender, noun, clientId } = spentClientIds
  const text = 'The :field belongs to a transaction that was deleted.'
  const isSpent = sql`${spender} = ${userId} and ${noun} = 'transaction' and ${clientId} = ${client_id}`
  const isGone = sql`${transactions.userId} = ${userId} and ${transactions.clientId} = ${client_id} and not ${hasLiveAccounts}`
  return rule(
    'client_id',
    text,
    sql`not (exists (select 1 from ${spentClientIds} where ${isSpent} and not exists (${joinedWith(userId, client_id)}))
      or exists (select 1 from ${transactions} where ${isGone}))`,
  )
}

/**
 * The id of the transaction that was created with a client id or, if that has since been joined with another, of the one
 * that now stands for it. In place of the latter id, `orJoined` may select something else from that transaction and from
 * `gone`, the joined one as it is remembered.
 */
export function withClientId(userId: SQL, client_id: SQL, orJoined?: SQL): SQL {
  const has = sql`${transactions.userId} = ${userId} and ${transactions.clientId} = ${client_id}`
  return sql`coalesce((select ${transactions.id} from ${transactions} where ${has} and ${hasLiveAccounts}),
    (${joinedWith(userId, client_id, orJoined)}))`
}

/** Selects the transaction that now stands for a joined one, which was created with this client id. */
function joinedWith(userId: SQL, client_id: SQL, what: SQL = sql`${transactions.id}`): SQL {
  return sql`
    select ${what} from ${spentClientIds} spent
     cross join ${remembered} gone on gone.user_id = spent.user_id and gone.id = spent.row_id
     cross join ${transactions} on ${transactions.id} = gone.survivor_id
     where spent.user_id = ${userId} and spent.noun = 'transaction' and spent.client_id = ${client_id}
       and ${hasLiveAccounts}`
}

/** Only for transactions created singly or by an operation: batches, imports and updates accept them uncategorised. */
export function categoryRequired({ type, category_id }: NextRow): Rule {
  return rule('category_id', requiredText, sql`(${type} = 'transfer' or ${category_id} is not null)`, 'type')
}
