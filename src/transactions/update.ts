import { and, type Column, type SQL, sql } from 'drizzle-orm'
import { withinBounds } from '../database/bounds.ts'
import { nextChange } from '../database/change-numbers.ts'
import type { ColumnsOf } from '../database/input-columns.ts'
import type { Owner } from '../database/owner.ts'
import { existingRow, isOwnColumn, requirePrecondition } from '../database/ownership.ts'
import { allHold, ruleFlags, violationOf } from '../database/rules.ts'
import { transactions } from '../database/schema.ts'
import type { Draft } from '../shared/draft.ts'
import type { ExpectedVersions } from '../shared/types.ts'
import type { TransactionChanges } from './contract.ts'
import { liveCategory, transactionColumns, transactionPrecondition } from './read.ts'
import { clearsDestination, type NextRow, transactionRules } from './rules.ts'

type Edit = {
  id: number
  sent: TransactionChanges
  dropsDestination: boolean
  isComplete: boolean
  expected: ExpectedVersions
}

function update(owner: Owner, { id, sent, dropsDestination, isComplete, expected }: Edit) {
  const { db } = owner
  const { row, stale } = transactionPrecondition(owner, id, expected)
  // Rules for another user's row are checked with that user's accounts; the flags are not shown.
  const rules = transactionRules(sql`${transactions.userId}`, rowAfter(sent, dropsDestination))
  return {
    owned: db
      .select({ isOwn: isOwnColumn(owner, transactions), ruleFlags: ruleFlags(rules) })
      .from(transactions)
      .where(existingRow(transactions, id)),
    stale,
    updated: db
      .update(transactions)
      .set({
        type: sent.type,
        accountId: sent.account_id,
        // Not set unless it may change: even setting it to the same value would write its index entries.
        toAccountId: dropsDestination ? null : sent.to_account_id,
        categoryId: sent.category_id,
        amount: sent.amount,
        description: sent.description,
        reference: sent.reference,
        transactionDate: sent.transaction_date,
        version: sql`${transactions.version} + 1`,
        seq: nextChange(sql`transactions.user_id`),
        updatedAt: owner.now,
      } satisfies ColumnsOf<TransactionChanges>)
      .where(and(row, isComplete ? allHold(rules) : sql`false`))
      .returning(transactionColumns),
  }
}

/** Changes the fields that were sent; the rules apply to the result. Throws NotFound, Forbidden, VersionConflict, Invalid. */
export async function updateTransaction(
  owner: Owner,
  id: number,
  draft: Draft<TransactionChanges>,
  expected: ExpectedVersions,
) {
  const { values: sent, complete: isComplete } = draft
  const dropsDestination = clearsDestination(sent)
  const statements = update(owner, { id, sent, dropsDestination, isComplete, expected })
  const results = await withinBounds('amount', owner.run(statements))
  requirePrecondition(transactions, results)
  const [updated] = results.updated
  if (!updated)
    throw violationOf(transactionRules(owner.id, rowAfter({}, false)), results.owned, draft.errors)
  return updated
}

/** The row after the change: the fields that were sent, the others as they are. */
function rowAfter(sent: TransactionChanges, dropsDestination: boolean): NextRow {
  const { type, accountId, toAccountId } = transactions
  const sentOr = (value: string | number | null | undefined, current: Column | SQL) =>
    value === undefined ? sql`${current}` : sql`${value}`
  return {
    type: sentOr(sent.type, type),
    account_id: sentOr(sent.account_id, accountId),
    to_account_id: dropsDestination ? sql`null` : sentOr(sent.to_account_id, toAccountId),
    category_id: sentOr(sent.category_id, liveCategory),
  }
}
