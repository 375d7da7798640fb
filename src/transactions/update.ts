import { and, type SQL, sql } from 'drizzle-orm'
import { withinBounds } from '../database/bounds.ts'
import { nextChange } from '../database/change-numbers.ts'
import { columnOf, toColumns } from '../database/input-columns.ts'
import type { Owner } from '../database/owner.ts'
import { existingRow, isOwnColumn, requirePrecondition } from '../database/ownership.ts'
import { lockedThrough, movementOfRow, withLock } from '../database/reconciled.ts'
import { allHold, type Rule, rule, ruleFlags, violationOf } from '../database/rules.ts'
import { transactions } from '../database/schema.ts'
import type { ExpectedVersions } from '../domain/types.ts'
import type { Draft } from '../failures/draft.ts'
import { bookedDays, movesBookedDays } from './booked-days.ts'
import { setElsewhere, type TransactionChanges, type TransactionUpdate } from './contract.ts'
import { liveCategory, transactionColumns, transactionPrecondition } from './read.ts'
import { type NextRow, nextRow, transactionRules } from './sql-rules.ts'

/**
 * Changes the fields that were sent; their rules apply to the result. Throws NotFound, Forbidden, VersionConflict, Invalid.
 */
export async function updateTransaction(
  owner: Owner,
  id: number,
  draft: Draft<TransactionUpdate>,
  expected: ExpectedVersions,
) {
  const { db } = owner
  const { override_reconciled, recurring_id, occurrence_date, booked_on, to_booked_on, ...values } =
    draft.values
  const sent = withDestinationCleared(values)
  const { isCurrentRow, conflictingRow } = transactionPrecondition(owner, id, expected)
  // Another user's row is checked against that user's accounts; the response does not show the outcome.
  const rules = [
    ...transactionRules(sql`${transactions.userId}`, rowAfter(sent)).filter(({ inputs }) =>
      inputs.some((field) => field in sent),
    ),
    ...unchangedRules({ recurring_id, occurrence_date, booked_on, to_booked_on }),
  ]
  const through = override_reconciled ? sql<null>`null` : lockOf(sent)
  const owned = db
    .select({ isOwn: isOwnColumn(owner, transactions), ruleFlags: ruleFlags(rules), through })
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
    .where(and(isCurrentRow, draft.complete ? allHold(rules) : sql`false`, sql`${through} is null`))
    .returning(transactionColumns)
  const results = await withinBounds('amount', owner.run({ owned, conflictingRow, updated }))
  requirePrecondition(transactions, results)
  const [transaction] = results.updated
  if (!transaction) throw withLock(violationOf(rules, results.owned, draft.errors), results.owned[0]?.through)
  return transaction
}

/** Refuses other values of these fields than those of the row. Null says nothing: the row may have got one since. */
function unchangedRules(sent: Pick<TransactionUpdate, keyof typeof setElsewhere>): Rule[] {
  const fields = Object.keys(setElsewhere) as (keyof typeof setElsewhere)[]
  return fields
    .filter((field) => sent[field] != null)
    .map((field) => rule(field, setElsewhere[field], sql`${transactions[columnOf(field)]} is ${sent[field]}`))
}

/** A change of the type to anything but transfer clears the destination, unless the request sets one. */
export function withDestinationCleared<Sent extends Pick<TransactionChanges, 'type' | 'to_account_id'>>(
  sent: Sent,
): Sent {
  const { type = 'transfer', to_account_id } = sent
  return type !== 'transfer' && to_account_id === undefined ? { ...sent, to_account_id: null } : sent
}

/** The reconciled period in which the change moves a balance, if it may move any. */
function lockOf(sent: TransactionChanges) {
  const next = rowAfter(sent)
  if (!('amount' in sent || 'type' in sent || movesBookedDays(sent))) return sql<null>`null`
  const { bookedOn, toBookedOn } = movesBookedDays(sent)
    ? bookedDays(next)
    : { bookedOn: sql`transactions.booked_on`, toBookedOn: sql`transactions.to_booked_on` }
  const { transaction_date: date } = next
  const days = { day: sql`coalesce(${bookedOn}, ${date})`, to_day: sql`coalesce(${toBookedOn}, ${date})` }
  return lockedThrough({ before: movementOfRow, after: { ...next, ...days } })
}

/** The row after the change: the fields that were sent, the others as they are. */
function rowAfter(sent: TransactionChanges): NextRow & { amount: SQL; transaction_date: SQL } {
  const {
    type,
    amount,
    accountId: account_id,
    toAccountId: to_account_id,
    transactionDate: transaction_date,
  } = transactions
  const current = { type, amount, account_id, to_account_id, category_id: liveCategory, transaction_date }
  const next = (field: keyof typeof current) =>
    sent[field] === undefined ? sql`${current[field]}` : sql`${sent[field]}`
  return { ...nextRow(next), amount: next('amount'), transaction_date: next('transaction_date') }
}
