import { and, type SQL, sql } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { TransactionChanges } from '../../contract/transactions.ts'
import type { Owner } from '../../db/owner.ts'
import { isOwn, own, requireOwned, there } from '../../db/ownership.ts'
import { transactions } from '../../db/schema.ts'
import type { Draft } from '../../domain/draft.ts'
import { withinBounds } from '../bounds.ts'
import type { ColumnsOf } from '../columns.ts'
import { allHold, brokenBy, verdict } from '../guards.ts'
import { liveCategory, transactionColumns } from './read.ts'
import { type NextRow, transactionRules } from './rules.ts'

/** Changes only the fields that were sent; the rules apply to the result. Throws NotFound, Forbidden, Invalid. */
export async function updateTransaction(owner: Owner, id: number, draft: Draft<TransactionChanges>) {
  const { db } = owner
  const sent = draft.values
  const next = rowAfter(sent)
  const rules = transactionRules(owner.id, next)
  const judged = db
    .select({ isOwn: isOwn(owner, transactions), verdict: verdict(rules) })
    .from(transactions)
    .where(there(transactions, id))

  const update = db
    .update(transactions)
    .set({
      type: sent.type,
      accountId: sent.account_id,
      // Not set unless it may change: setting a column writes its index entries, even to the same value.
      toAccountId: dropsDestination(sent) ? null : sent.to_account_id,
      categoryId: sent.category_id,
      amount: sent.amount,
      description: sent.description,
      reference: sent.reference,
      transactionDate: sent.transaction_date,
      updatedAt: owner.now,
    } satisfies ColumnsOf<TransactionChanges>)
    .where(and(own(owner, transactions, id), draft.complete ? allHold(rules) : sql`false`))
    .returning(transactionColumns)
  const results = await withinBounds('amount', owner.run({ judged, updated: update }))
  requireOwned(transactions, results.judged)
  const [updated] = results.updated
  if (!updated) throw brokenBy(rules, results.judged, draft.errors)
  return updated
}

/** The row after the change: the fields that were sent, the others as they are. */
function rowAfter(sent: TransactionChanges): NextRow {
  const kept = (value: unknown, column: AnySQLiteColumn): SQL =>
    value === undefined ? sql`${column}` : sql`${value}`
  return {
    type: kept(sent.type, transactions.type),
    account_id: kept(sent.account_id, transactions.accountId),
    to_account_id: dropsDestination(sent) ? sql`null` : kept(sent.to_account_id, transactions.toAccountId),
    category_id: sent.category_id === undefined ? liveCategory : sql`${sent.category_id}`,
  }
}

/** Changing the type away from transfer clears the destination, unless the request sets one. */
function dropsDestination({ type, to_account_id }: TransactionChanges): boolean {
  return type !== undefined && type !== 'transfer' && to_account_id === undefined
}
