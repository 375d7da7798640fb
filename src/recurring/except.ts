import { and, eq, sql } from 'drizzle-orm'
import type { Owner } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import { recurringRules, transactions } from '../database/schema.ts'
import type { CalendarDate } from '../domain/dates.ts'
import type { FieldErrors } from '../domain/field-errors.ts'
import { addError } from '../domain/field-errors.ts'
import { addDayErrors } from '../domain/recurrence/field-rules.ts'
import { exceptionOf, maxExceptions, withExceptions } from '../domain/recurrence/occurrences.ts'
import type { ExpectedVersions } from '../domain/types.ts'
import { type Draft, withErrors } from '../failures/draft.ts'
import { AlreadyRecorded, Invalid } from '../failures/failures.ts'
import { type FoundRules, readForWrite, repeated, requireOccurrence, successorOn } from './chain.ts'
import type { OccurrenceChanges } from './contract.ts'
import { linkTransaction } from './link.ts'
import { dueAfterWrite, isAsRead } from './next-rule.ts'
import { type Rule, type RuleWithNext, recordedAs, selectRules, withNext } from './read.ts'

/** The occurrence of a rule, with the versions that the rule may have. */
type Target = { id: number; date: CalendarDate; expected: ExpectedVersions }

/**
 * Changes or skips one occurrence, or links a transaction to it; returns its rule. Throws NotFound, Forbidden,
 * VersionConflict, Invalid, AlreadyRecorded, Reconciled, TooBusy.
 */
export function changeOccurrence(
  owner: Owner,
  { id, date, expected }: Target,
  draft: Draft<OccurrenceChanges>,
): Promise<RuleWithNext> {
  return repeated(async () => {
    const found = await readForWrite(owner, id, expected)
    // What was recorded can be unlinked even if the rule has other dates by now.
    const isUnlinked = draft.values.transaction_id === null
    const rule = isUnlinked ? successorOn(found.rule, found.rules, date) : requireOccurrence(found, date)
    const sent = await requireComplete(owner, withErrors(draft, occurrenceErrors(draft, date)))
    const { transaction_id, override_reconciled, ...exception } = sent
    if (transaction_id !== undefined) {
      const isOverride = override_reconciled === true
      return linkTransaction(owner, found, { rule, date, transactionId: transaction_id, isOverride })
    }
    return writeException(owner, found, { rule, date, exception })
  })
}

function occurrenceErrors(
  { values, errors: given }: Draft<OccurrenceChanges>,
  date: CalendarDate,
): FieldErrors {
  const errors = { ...given }
  addDayErrors(errors, { date, day: values.transaction_date })
  const { override_reconciled: _, ...changes } = values
  if (values.transaction_id !== undefined && Object.keys(changes).length > 1)
    addError(errors, 'transaction_id', 'The :field field must be the only one.')
  return errors
}

type Change = {
  rule: Rule
  date: CalendarDate
  exception: Omit<OccurrenceChanges, 'transaction_id' | 'override_reconciled'>
}

async function writeException(owner: Owner, { today }: FoundRules, { rule, date, exception }: Change) {
  const { db, now } = owner
  // Merged with what it had (RFC 7396).
  const changed = exceptionOf({ ...rule.exceptions[date], ...exception })
  const exceptions = withExceptions(rule.exceptions, { [date]: changed }, today)
  if (Object.keys(exceptions).length > maxExceptions)
    throw new Invalid({
      exceptions: [`A recurring transaction cannot have more than ${maxExceptions} exceptions.`],
    })
  const isCurrent = isAsRead(owner, rule)
  const recorded = db.select({ id: transactions.id }).from(transactions).where(recordedAs(rule, date))
  const columns = { exceptions, dueAt: dueAfterWrite(rule, {}), version: rule.version + 1, updatedAt: now }
  const results = await owner.run({
    recorded,
    changed: db
      .update(recurringRules)
      .set(columns)
      .where(and(isCurrent, sql`not exists ${recorded}`))
      .returning({ id: recurringRules.id }),
    rule: selectRules(owner, now, eq(recurringRules.id, rule.id)),
  })
  const [transaction] = results.recorded
  if (transaction) throw new AlreadyRecorded(transaction.id)
  const [found] = results.changed.length > 0 ? results.rule : []
  return found && withNext(found, today)
}
