import { and, type SQL, sql } from 'drizzle-orm'
import { withinBounds } from '../database/bounds.ts'
import { nextChange } from '../database/change-numbers.ts'
import { toColumns } from '../database/input-columns.ts'
import type { Owner } from '../database/owner.ts'
import { existingRow, isOwnColumn, requirePrecondition } from '../database/ownership.ts'
import { allHold, ruleFlags, violationOf } from '../database/rules.ts'
import { transactions } from '../database/schema.ts'
import type { Draft } from '../shared/draft.ts'
import type { ExpectedVersions } from '../shared/types.ts'
import { bookedDays, movesBookedDays } from './booked-days.ts'
import type { TransactionChanges } from './contract.ts'
import { liveCategory, transactionColumns, transactionPrecondition } from './read.ts'
import { type NextRow, nextRow, transactionRules } from './sql-rules.ts'

/**
 * Changes the fields that were sent; their rules apply to the result. Throws NotFound, Forbidden, VersionConflict, Invalid.
 */
export async function updateTransaction(
  owner: Owner,
  id: number,
  draft: Draft<TransactionChanges>,
  expected: ExpectedVersions,
) {
  const { db } = owner
  const sent = withDestinationCleared(draft.values)
  const { isCurrentRow, conflictingRow } = transactionPrecondition(owner, id, expected)
  // Another user's row is checked against that user's accounts; the response does not show the outcome.
  const rules = transactionRules(sql`${transactions.userId}`, rowAfter(sent)).filter(({ inputs }) =>
    inputs.some((field) => field in sent),
  )
  const owned = db
    .select({ isOwn: isOwnColumn(owner, transactions), ruleFlags: ruleFlags(rules) })
    .from(transactions)
    .where(existingRow(transactions, id))
  const updated = db
    .update(transactions)
    .set({
      ...toColumns(sent),
      ...(movesBookedDays(sent) && bookedDays(rowAfter(sent))),
      version: sql`${transactions.version} + 1`,
      seq: nextChange(sql`transactions.user_id`),
      updatedAt: owner.now,
    })
    .where(and(isCurrentRow, draft.complete ? allHold(rules) : sql`false`))
    .returning(transactionColumns)
  const results = await withinBounds('amount', owner.run({ owned, conflictingRow, updated }))
  requirePrecondition(transactions, results)
  const [transaction] = results.updated
  if (!transaction) throw violationOf(rules, results.owned, draft.errors)
  return transaction
}

/** A change of the type to anything but transfer clears the destination, unless the request sets one. */
export function withDestinationCleared<Sent extends Pick<TransactionChanges, 'type' | 'to_account_id'>>(
  sent: Sent,
): Sent {
  const { type = 'transfer', to_account_id } = sent
  return type !== 'transfer' && to_account_id === undefined ? { ...sent, to_account_id: null } : sent
}

/** The row after the change: the fields that were sent, the others as they are. */
function rowAfter(sent: TransactionChanges): NextRow & { transaction_date: SQL } {
  const {
    type,
    accountId: account_id,
    toAccountId: to_account_id,
    transactionDate: transaction_date,
  } = transactions
  const current = { type, account_id, to_account_id, category_id: liveCategory, transaction_date }
  const next = (field: keyof typeof current) =>
    sent[field] === undefined ? sql`${current[field]}` : sql`${sent[field]}`
  return { ...nextRow(next), transaction_date: next('transaction_date') }
}
