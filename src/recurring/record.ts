import { and, type SQL, sql } from 'drizzle-orm'
import { withinBounds } from '../database/bounds.ts'
import { nextChange } from '../database/change-numbers.ts'
import { insertWhere } from '../database/insert-where.ts'
import { nextTransactionId } from '../database/next-transaction-id.ts'
import type { Owner } from '../database/owner.ts'
import { lockedThrough } from '../database/reconciled.ts'
import { recurringRules, transactions } from '../database/schema.ts'
import type { CalendarDate } from '../domain/dates.ts'
import type { OverrideReconciled } from '../domain/reconciled.ts'
import { occurrenceOn } from '../domain/recurrence/occurrences.ts'
import { type Draft, valuesOf } from '../failures/draft.ts'
import { Invalid, Reconciled } from '../failures/failures.ts'
import { type Transaction, transactionColumns } from '../transactions/read.ts'
import { readForWrite, repeated, requireOccurrence } from './chain.ts'
import { isAsRead } from './next-rule.ts'
import { occurringOf, type Rule, recordedAs, ruleColumns } from './read.ts'

/**
 * Records an occurrence, or returns the transaction that it is recorded as. Throws NotFound, Forbidden, Invalid, Reconciled,
 * TooBusy.
 */
export function recordOccurrence(
  owner: Owner,
  id: number,
  date: CalendarDate,
  draft: Draft<OverrideReconciled>,
) {
  return repeated(async () => {
    const { db } = owner
    const rule = requireOccurrence(await readForWrite(owner, id), date)
    const { override_reconciled } = valuesOf(draft)
    const row = transactionOf(rule, date, owner.now)
    const through = override_reconciled ? sql<null>`null` : lockOf(row)
    const recorded = db.select(transactionColumns).from(transactions).where(recordedAs(rule, date))
    const isSkipped = rule.exceptions[date]?.skip === true
    // Even a row that is being removed with its account has the key.
    const isTaken = sql`exists (
      select 1 from transactions taken where taken.recurring_id = ${rule.id} and taken.occurrence_date = ${date})`
    const guard = and(
      isAsRead(owner, rule),
      sql`not ${isTaken} and ${through} is null`,
      isSkipped ? sql`false` : undefined,
    ) as SQL
    const results = await withinBounds(
      'amount',
      owner.run({
        earlier: recorded,
        locked: db.select({ through }).from(recurringRules).where(isAsRead(owner, rule)),
        created: insertWhere(db, transactions, row, guard, sql`from ${recurringRules}`).returning(
          transactionColumns,
        ),
      }),
    )
    const [transaction]: Transaction[] = [...results.earlier, ...results.created]
    if (!transaction && isSkipped) throw new Invalid({ date: ['The occurrence is skipped.'] })
    const [lock] = results.locked
    if (!transaction && lock?.through) throw new Reconciled('transaction_date', lock.through)
    return transaction && { transaction, isNew: results.created.length > 0 }
  })
}

/** The reconciled period in which the row would move a balance. */
function lockOf({ accountId, toAccountId, type, amount, transactionDate }: ReturnType<typeof transactionOf>) {
  const days = { day: sql`${transactionDate}`, to_day: sql`${transactionDate}` }
  const accounts = { account_id: sql`${accountId}`, to_account_id: sql`${toAccountId}` }
  return lockedThrough({ after: { type: sql`${type}`, amount: sql`${amount}`, ...accounts, ...days } })
}

/** The row of an occurrence, for an insert that selects from its rule. */
function transactionOf(rule: Rule, date: CalendarDate, now: Date) {
  const { day, exception } = occurrenceOn(occurringOf(rule), date)
  return {
    id: nextTransactionId,
    userId: sql<number>`${recurringRules.userId}`,
    accountId: rule.accountId,
    toAccountId: rule.toAccountId,
    categoryId: ruleColumns.categoryId,
    type: rule.type,
    amount: exception.amount ?? rule.amount,
    description: exception.description ?? rule.description,
    reference: rule.reference,
    transactionDate: day,
    recurringId: rule.id,
    occurrenceDate: date,
    seq: nextChange(sql`recurring_rules.user_id`),
    createdAt: now,
    updatedAt: now,
  }
}
