import { and, type SQL, sql } from 'drizzle-orm'
import { nextChange } from '../database/change-numbers.ts'
import { toColumns } from '../database/input-columns.ts'
import { insertWhere } from '../database/insert-where.ts'
import type { Owner, UserScope } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import { recurringQuota } from '../database/quotas.ts'
import { allHold, selectRuleFlags, violationOf } from '../database/rules.ts'
import { recurringRules } from '../database/schema.ts'
import { addDays, type CalendarDate } from '../domain/dates.ts'
import { addError, invalidText, messageFor } from '../domain/field-errors.ts'
import { continuedFrom, endedBefore, isOccurrence } from '../domain/recurrence/dates.ts'
import { dueDays, type Exceptions, exceptionsAfter } from '../domain/recurrence/occurrences.ts'
import { formatRecurrenceRule } from '../domain/recurrence/rule.ts'
import { type Draft, withErrors } from '../failures/draft.ts'
import { Invalid } from '../failures/failures.ts'
import { begunOn, type FoundRules, successorOn } from './chain.ts'
import { changeRule } from './change.ts'
import type { RecurringChanges } from './contract.ts'
import { openedNow } from './create.ts'
import { changeErrors, dueAgain, isAsRead, isOpened, referenceRules } from './next-rule.ts'
import { occurringOf, type Rule, type RuleWithNext, selectRules, withNext } from './read.ts'

/** A rule that ends, and the one that continues it; null if the change is about all of the rule. */
export type Divided = { ended: RuleWithNext; successor: RuleWithNext | null }

/**
 * Changes the occurrences of a rule from one on: the rule ends before it, and a new one continues it. Where a rule
 * has begun, that rule itself is changed. Returns undefined if the rule has changed since it was read. Throws
 * Invalid.
 */
export async function divideRule(
  owner: Owner,
  found: FoundRules,
  from: CalendarDate,
  draft: Draft<RecurringChanges>,
): Promise<Divided | undefined> {
  const { rules, today } = found
  const responsible = successorOn(found.rule, rules, from)
  const begun = begunOn(responsible, rules, from)
  const text = begun ? missedError(from, today) : fromError(responsible, from, today)
  if (text) throw new Invalid({ ...draft.errors, from: [messageFor('from', text)] })
  if (!begun) return divide(owner, { rule: responsible, rules, today }, from, draft)
  const changed = await changeRule(owner, { rule: begun, rules, today }, draft, from)
  if (!changed) return undefined
  const earlier = rules.find(({ successorId }) => successorId === begun.id)
  return earlier && begun !== found.rule
    ? { ended: withNext(earlier, today), successor: changed }
    : { ended: changed, successor: null }
}

/** The error unless the rule has an occurrence on the date that is not missed. */
export function fromError(rule: Rule, from: CalendarDate, today: CalendarDate): string | undefined {
  return isOccurrence(occurringOf(rule), from) ? missedError(from, today) : invalidText
}

function missedError(from: CalendarDate, today: CalendarDate): string | undefined {
  if (from >= addDays(today, -dueDays)) return undefined
  return `The :field field must be a date of the last ${dueDays} days, or later.`
}

export const afterFromText = 'The :field field must be a date after or equal to from.'

async function divide(
  owner: Owner,
  { rule, rules: all, today }: Omit<FoundRules, 'timezone'>,
  from: CalendarDate,
  draft: Draft<RecurringChanges>,
): Promise<Divided | undefined> {
  const { db, now } = owner
  const continued = continuation(rule, from, draft.values)
  const errors = changeErrors({ ...rule, ...continued }, all, draft)
  if (continued.startsOn < from) addError(errors, 'starts_on', afterFromText)
  const sent = await requireComplete(owner, withErrors(draft, errors))
  const rules = [...referenceRules(owner.id, rule, sent), recurringQuota(owner.id)]
  const isCurrent = isAsRead(owner, rule)
  const divided = { ...rule, exceptions: exceptionsAfter(rule.exceptions, { from, set: sent, today }) }
  const columns = { ...toColumns(sent), ...continued, ...(isOpened(rule, sent) && openedNow(owner)) }
  const results = await owner.run({
    ruleFlags: selectRuleFlags(db, rules),
    current: db.select({ id: recurringRules.id }).from(recurringRules).where(isCurrent),
    ...divisionStatements(owner, { rule: divided, from, columns }, and(isCurrent, allHold(rules)) as SQL),
    both: selectRules(
      owner,
      now,
      sql`${recurringRules.id} in (${rule.id}, (
      select successor_id from recurring_rules divided where divided.id = ${rule.id}))`,
    ),
  })
  if (results.current.length === 0) return undefined
  const [first, second] = results.both.map((one) => withNext(one, today))
  if (results.ended.length === 0 || !first || !second) throw violationOf(rules, results.ruleFlags)
  return { ended: first, successor: second }
}

/** A rule that ends before a date, and the columns of its successor that are not those of the rule. */
export type Division = { rule: Rule; from: CalendarDate; columns: RuleColumns }
type Columns = typeof recurringRules.$inferInsert
export type RuleColumns = { [Name in keyof Columns]?: Columns[Name] | SQL }

/** The statements that end a rule, if `isWritten` matches it, create its successor, and move its transactions there. */
export function divisionStatements(
  owner: UserScope & Pick<Owner, 'now'>,
  { rule, from, columns }: Division,
  isWritten: SQL,
) {
  const { db, now } = owner
  const { ended, successor } = dividedRows(rule, from)
  const isEnded = isAsRead(owner, { ...rule, version: rule.version + 1 })
  const nextId = sql<number>`(1 + (select seq from sqlite_sequence where name = 'recurring_rules'))`
  return {
    ended: db
      .update(recurringRules)
      .set({ ...ended, successorId: nextId, version: rule.version + 1, updatedAt: now })
      .where(isWritten)
      .returning({ id: recurringRules.id }),
    created: insertWhere(
      db,
      recurringRules,
      {
        ...successor,
        ...columns,
        id: nextId,
        dueAt: (columns.autoRecord ?? rule.autoRecord) ? new Date(0) : null,
        createdAt: now,
        updatedAt: now,
      },
      and(isEnded, sql`${recurringRules.successorId} = ${nextId}`) as SQL,
      sql`from ${recurringRules}`,
    ),
    moved: db.run(moveTransactions(owner.id, isEnded, from)),
  }
}

/** The first day and the rule of a successor: as before, but for what the change says. */
export function continuation(
  rule: Rule,
  from: CalendarDate,
  { starts_on, rrule }: Pick<RecurringChanges, 'starts_on' | 'rrule'>,
) {
  const schedule = occurringOf(rule)
  const continued = continuedFrom(schedule, from)
  // Another first day is also another day of the month, unless the rule names one.
  const kept = starts_on
    ? { ...schedule.rule, ...(continued.count && { count: continued.count }) }
    : continued
  return { startsOn: starts_on ?? from, rrule: rrule ?? formatRecurrenceRule(kept) }
}

/** The columns of a rule that ends before a date, and those of its successor. */
export function dividedRows(rule: Rule, from: CalendarDate) {
  const { id, version, clientId, successorId, ...template } = rule
  const exceptionsThat = (isKept: (date: CalendarDate) => boolean): Exceptions =>
    Object.fromEntries(Object.entries(rule.exceptions).filter(([date]) => isKept(date)))
  return {
    ended: {
      rrule: formatRecurrenceRule(endedBefore(occurringOf(rule).rule, from)),
      exceptions: exceptionsThat((date) => date < from),
      dueAt: rule.dueAt && dueAgain,
    },
    successor: {
      ...template,
      exceptions: exceptionsThat((date) => date >= from),
      successorId: rule.successorId,
    },
  }
}

/** Moves the recorded occurrences from a date on to the successor, if the rule has just been ended. */
function moveTransactions(userId: SQL, isEnded: SQL, from: CalendarDate): SQL {
  const newest = sql`(select seq from sqlite_sequence where name = 'recurring_rules')`
  const ended = sql`select id from recurring_rules where ${isEnded} and successor_id = ${newest}`
  return sql`
    update transactions
       set recurring_id = ${newest}, version = transactions.version + 1, seq = ${nextChange(userId)} + moved.nth
      from (select id, row_number() over (order by occurrence_date) - 1 as nth from transactions
             where recurring_id = (${ended}) and occurrence_date >= ${from}) moved
     where transactions.id = moved.id`
}
