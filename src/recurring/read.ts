import { and, asc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { hasLiveAccounts } from '../database/live-accounts.ts'
import type { Owner, UserScope } from '../database/owner.ts'
import { ownRow, precondition, requireOwned, selectOwnership } from '../database/ownership.ts'
import { recurringRules, transactions } from '../database/schema.ts'
import { addDays, type CalendarDate, dateIn, daysOnEarth } from '../domain/dates.ts'
import {
  dueDays,
  type IsRecorded,
  maxDaysMoved,
  nextOpen,
  type Occurring,
} from '../domain/recurrence/occurrences.ts'
import { storedRecurrenceRule } from '../domain/recurrence/rule.ts'
import type { ExpectedVersions } from '../domain/types.ts'

/** The columns of a rule. Its category is null if that has been deleted. */
export const ruleColumns = {
  ...getTableColumns(recurringRules),
  categoryId: sql<number | null>`(
    select id from categories category where category.id = recurring_rules.category_id and category.user_id is not null)`,
}
export type Rule = typeof recurringRules.$inferSelect

/** The most recorded occurrences of a rule that are read: those after a gap of that length count as open. */
const maxRecorded = 1_000

/** The recorded dates of a rule, as JSON, from the earliest on that may still be open. */
export function recordedDates(now: Date): SQL<string> {
  const from = addDays(daysOnEarth(now).from, -dueDays - maxDaysMoved)
  return sql<string>`(select json_group_array(occurrence_date) from (
    select occurrence_date from transactions
     where recurring_id = recurring_rules.id and occurrence_date >= ${from} and ${hasLiveAccounts}
     order by occurrence_date limit ${maxRecorded}))`
}

/** Selects the user's rules that match, with the dates of their recorded occurrences. */
export function selectRules({ db, id }: UserScope, now: Date, where?: SQL) {
  return db
    .select({ ...ruleColumns, recorded: recordedDates(now) })
    .from(recurringRules)
    .where(and(eq(recurringRules.userId, id), where))
    .orderBy(asc(recurringRules.id))
}

/** A rule with the date of its first open occurrence. */
export type RuleWithNext = Rule & { next: CalendarDate | null }

/** The columns from which the occurrences of a rule are computed. */
type StoredOccurring = Pick<
  Rule,
  'startsOn' | 'rrule' | 'weekend' | 'paused' | 'openedIn' | 'openedAt' | 'exceptions'
>

/** Converts a stored rule for the functions that compute its occurrences. */
export function occurringOf(rule: StoredOccurring): Occurring {
  return {
    startsOn: rule.startsOn,
    rule: storedRecurrenceRule(rule.rrule),
    weekend: rule.weekend,
    paused: rule.paused,
    openFrom: openFromOf(rule),
    exceptions: rule.exceptions,
  }
}

export const openFromOf = ({ openedIn, openedAt }: Pick<Rule, 'openedIn' | 'openedAt'>): CalendarDate =>
  dateIn(openedIn, openedAt)

export function isRecordedIn(dates: string): IsRecorded {
  const recorded = new Set<CalendarDate>(JSON.parse(dates))
  return (date) => recorded.has(date)
}

/** Adds the next open occurrence to a rule, if `today` is the current date. */
export function withNext(
  { recorded, ...rule }: Rule & { recorded: string },
  today: CalendarDate,
): RuleWithNext {
  return { ...rule, next: nextOpen(occurringOf(rule), isRecordedIn(recorded), today) }
}

/** Returns all rules of the user, oldest first. */
export async function listRules(owner: Owner): Promise<RuleWithNext[]> {
  const { rules, user } = await owner.run({ rules: selectRules(owner, owner.now) })
  return rules.map((rule) => withNext(rule, dateIn(user.timezone, owner.now)))
}

/** Returns one rule. Throws NotFound, Forbidden. */
export async function showRule(owner: Owner, id: number): Promise<RuleWithNext> {
  const { owned, rules, user } = await owner.run({
    owned: selectOwnership(owner, recurringRules, id),
    rules: selectRules(owner, owner.now, ownRow(owner, recurringRules, id)),
  })
  requireOwned(recurringRules, owned)
  return withNext(rules[0] as (typeof rules)[number], dateIn(user.timezone, owner.now))
}

/** The transaction that an occurrence is recorded as, in a query. */
export const recordedAs = (rule: Pick<Rule, 'id'>, date: CalendarDate) =>
  and(eq(transactions.recurringId, rule.id), eq(transactions.occurrenceDate, date), hasLiveAccounts)

/** True for a transaction, by its name in a query, that is no occurrence, or one of a rule that has been deleted. */
export const isOfNoRule = (row: SQL) =>
  sql`not exists (select 1 from recurring_rules other where other.id = ${row}.recurring_id)`

/** The exceptions of a rule, by its name in a query, for json_each: none if they cannot be read. */
export const readableExceptions = (rule: SQL) =>
  sql`iif(json_valid(${rule}.exceptions), ${rule}.exceptions, '{}')`

/** The precondition of a write to a rule (see `precondition`). */
export function rulePrecondition(owner: Owner, id: number, expected: ExpectedVersions) {
  return precondition(owner, recurringRules, id, expected, (row) => selectRules(owner, owner.now, row))
}
