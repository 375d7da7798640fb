import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { UserScope } from '../database/owner.ts'
import type { Rule as WriteRule } from '../database/rules.ts'
import { recurringRules } from '../database/schema.ts'
import type { FieldErrors } from '../domain/field-errors.ts'
import { addError } from '../domain/field-errors.ts'
import { nextOccurrence } from '../domain/recurrence/dates.ts'
import { addRuleErrors, type LinkedRuleFields } from '../domain/recurrence/field-rules.ts'
import type { Draft } from '../failures/draft.ts'
import { type NextRow, nextRow, transactionRules } from '../transactions/sql-rules.ts'
import type { RecurringChanges } from './contract.ts'
import { occurringOf, type Rule } from './read.ts'

/** Matches the rule as it was read: SQL computes no dates, so a write holds only for the version that they are from. */
export const isAsRead = (owner: UserScope, { id, version }: Pick<Rule, 'id' | 'version'>) =>
  and(
    eq(recurringRules.id, id),
    eq(recurringRules.version, version),
    eq(recurringRules.userId, owner.id),
  ) as SQL

/** The errors of a change, with those of fields that depend on each other in the changed rule, among all rules of the user. */
export function changeErrors(
  rule: Rule,
  rules: Rule[],
  { values, errors: given }: Pick<Draft<LinkedRuleFields>, 'values' | 'errors'>,
): FieldErrors {
  const errors = { ...given }
  if (values.rrule !== undefined || values.starts_on !== undefined) addOverlap(errors, rule, rules, values)
  addRuleErrors(errors, {
    starts_on: values.starts_on ?? rule.startsOn,
    rrule: values.rrule ?? rule.rrule,
    amount_tolerance: values.amount_tolerance ?? rule.amountTolerance,
    auto_record: values.auto_record ?? rule.autoRecord,
  })
  return errors
}

/** Adds the error of a change after which an occurrence would be one of two rules: this one, and one that continues it or that it continues. */
function addOverlap(errors: FieldErrors, rule: Rule, rules: Rule[], { starts_on, rrule }: LinkedRuleFields) {
  const changed = occurringOf({
    ...rule,
    startsOn: starts_on ?? rule.startsOn,
    rrule: rrule ?? rule.rrule,
  })
  const successor = rules.find(({ id }) => id === rule.successorId)
  const first = successor && nextOccurrence(occurringOf(successor))
  if (first && nextOccurrence(changed, first))
    addError(
      errors,
      rrule === undefined ? 'starts_on' : 'rrule',
      `The :field field must end before ${first}, when another rule continues this one.`,
    )
  const earlier = rules.find(({ successorId }) => successorId === rule.id)
  const { until } = earlier ? occurringOf(earlier).rule : {}
  if (until && changed.startsOn <= until)
    addError(errors, 'starts_on', `The :field field must be a date after ${until}.`)
}

/** The references that a change sets. */
export type SentReferences = { [Name in keyof NextRow]?: RecurringChanges[Name] | SQL }

/** The rules about accounts and category of a changed rule, as far as the change concerns them. */
export function referenceRules(userId: SQL, rule: Rule, sent: SentReferences): WriteRule[] {
  const current = {
    type: rule.type,
    account_id: rule.accountId,
    to_account_id: rule.toAccountId,
    category_id: rule.categoryId,
  }
  const next = nextRow((field) => sql`${sent[field] === undefined ? current[field] : sent[field]}`)
  return transactionRules(userId, next).filter(({ inputs }) => inputs.some((field) => field in sent))
}

type Switches = Pick<RecurringChanges, 'paused' | 'auto_record'>

/** True if occurrences are open from now on: the rule is resumed, or begins to record by itself. */
export const isOpened = (rule: Rule, { paused, auto_record }: Switches): boolean =>
  (rule.paused && paused === false) || (!rule.autoRecord && auto_record === true)

/**
 * When the job looks at a rule that is written: as soon as possible, if it records anything. Each time another number, so
 * that a job that is writing the time of its next look notices.
 */
export function dueAfterWrite(rule: Rule, sent: Switches): SQL<Date> | null {
  const records = (sent.auto_record ?? rule.autoRecord) && !(sent.paused ?? rule.paused)
  return records ? dueAgain : null
}

export const dueAgain = sql<Date>`(min(coalesce(due_at, 0), 0) - 1)`
