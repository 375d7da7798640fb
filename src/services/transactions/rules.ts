import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { NewTransaction } from '../../contract/transactions.ts'
import type { Owner } from '../../db/owner.ts'
import { owns } from '../../db/ownership.ts'
import { accounts, categories, spentClientIds, transactions } from '../../db/schema.ts'
import type { Rule } from '../rules.ts'

/** A transaction as it will be written, each field an SQL expression: a value, or a column of the current row. */
export type NextRow = { type: SQL; account_id: SQL; to_account_id: SQL; category_id: SQL }

/** Makes such a row of an expression for each field. */
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
  const { type, account_id, to_account_id, category_id } = next
  return [
    {
      field: 'account_id',
      text: 'The selected :field is invalid.',
      holds: owns(userId, accounts, account_id),
      inputs: ['account_id'],
    },
    {
      field: 'to_account_id',
      text: 'The :field field is required.',
      holds: sql`(${type} <> 'transfer' or ${to_account_id} is not null)`,
      inputs: ['type', 'to_account_id'],
    },
    {
      field: 'to_account_id',
      text: 'The :field field must be empty unless type is transfer.',
      holds: sql`(${type} = 'transfer' or ${to_account_id} is null)`,
      inputs: ['type', 'to_account_id'],
    },
    {
      field: 'to_account_id',
      text: 'The selected :field is invalid.',
      holds: sql`(${to_account_id} is null or ${owns(userId, accounts, to_account_id)})`,
      inputs: ['to_account_id'],
    },
    {
      field: 'to_account_id',
      text: 'The :field field and account id must be different.',
      holds: sql`(${to_account_id} is null or ${to_account_id} <> ${account_id})`,
      inputs: ['to_account_id', 'account_id'],
    },
    {
      field: 'category_id',
      text: 'The selected :field is invalid.',
      holds: sql`(${category_id} is null or ${owns(userId, categories, category_id)})`,
      inputs: ['category_id'],
    },
  ]
}

/** A late retry of the request that created a transaction must not bring it back once it was deleted. */
export function clientIdUnspent(userId: SQL, client_id: SQL): Rule {
  const isSpent = and(
    sql`${spentClientIds.userId} = ${userId}`,
    sql`${spentClientIds.clientId} = ${client_id}`,
  )
  return {
    field: 'client_id',
    text: 'The :field belongs to a transaction that was deleted.',
    holds: sql`not exists (select 1 from ${spentClientIds} where ${isSpent})`,
    inputs: ['client_id'],
  }
}

/** Only for creating single transactions: batches, imports and updates accept uncategorised ones. */
export function categoryRequired({ type, category_id }: NextRow): Rule {
  return {
    field: 'category_id',
    text: 'The :field field is required.',
    holds: sql`(${type} = 'transfer' or ${category_id} is not null)`,
    inputs: ['type', 'category_id'],
  }
}

/**
 * Matches the potential duplicates of a transaction (docs/contract.md, Duplicates): equal in everything that moves
 * money, unless both have a reference and the two differ. For many rows, bulk-insert.ts has `absorbDuplicates`.
 */
export function isDuplicateOf(owner: Owner, fields: NewTransaction): SQL {
  const reference = fields.reference ?? null
  return and(
    eq(transactions.userId, owner.id),
    eq(transactions.accountId, fields.account_id),
    eq(transactions.transactionDate, fields.transaction_date),
    eq(transactions.amount, fields.amount),
    eq(transactions.type, fields.type),
    sql`${transactions.toAccountId} is ${fields.to_account_id ?? null}`,
    reference === null ? undefined : sql`coalesce(${transactions.reference}, ${reference}) = ${reference}`,
  ) as SQL
}
