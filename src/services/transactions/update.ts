import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { TransactionChanges } from '../../contract/transactions.ts'
import type { Owner } from '../../db/owner.ts'
import { demandClaim, isOwn, own } from '../../db/ownership.ts'
import { transactions } from '../../db/schema.ts'
import type { Draft } from '../../domain/draft.ts'
import { Invalid } from '../../domain/failures.ts'
import { withinBounds } from '../bounds.ts'
import type { ColumnsOf } from '../columns.ts'
import { addBroken, allHold, verdict } from '../rules.ts'
import type { Transaction } from './fields.ts'
import { type NextRow, transactionRules } from './rules.ts'

/** Changes the fields that were sent; the rules hold for the row as it will be. Throws NotFound, Forbidden, Invalid. */
export async function updateTransaction(
  owner: Owner,
  id: number,
  draft: Draft<TransactionChanges>,
): Promise<Transaction> {
  const { db } = owner
  const sent = draft.values
  const next = nextRow(sent)
  const rules = transactionRules(owner.id, next)
  const judged = db
    .select({ isOwn: isOwn(owner, transactions), verdict: verdict(rules) })
    .from(transactions)
    .where(eq(transactions.id, id))

  const update = db
    .update(transactions)
    .set({
      type: sent.type,
      accountId: sent.account_id,
      // Left out where it stays: what is set runs the triggers, whether it changes or not.
      toAccountId: dropsDestination(sent) ? null : sent.to_account_id,
      categoryId: sent.category_id,
      amount: sent.amount,
      description: sent.description,
      reference: sent.reference,
      transactionDate: sent.transaction_date,
      updatedAt: owner.now,
    } satisfies ColumnsOf<TransactionChanges>)
    .where(and(own(owner, transactions, id), draft.complete ? allHold(rules) : sql`false`))
    .returning()
  const [, judgements, [updated]] = await withinBounds('amount', owner.run(judged, update))
  demandClaim(transactions, judgements)
  if (updated) return updated
  const errors = { ...draft.errors }
  addBroken(errors, rules, judgements[0]?.verdict ?? '[]')
  throw new Invalid(errors)
}

/** The row after the change: what was sent, else what is there. */
function nextRow(sent: TransactionChanges): NextRow {
  const kept = (value: unknown, column: AnySQLiteColumn): SQL =>
    value === undefined ? sql`${column}` : sql`${value}`
  return {
    type: kept(sent.type, transactions.type),
    account_id: kept(sent.account_id, transactions.accountId),
    to_account_id: dropsDestination(sent) ? sql`null` : kept(sent.to_account_id, transactions.toAccountId),
    category_id: kept(sent.category_id, transactions.categoryId),
  }
}

/** Leaving the type transfer drops its destination. */
function dropsDestination({ type, to_account_id }: TransactionChanges): boolean {
  return type !== undefined && type !== 'transfer' && to_account_id === undefined
}
