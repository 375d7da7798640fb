import type { Owner } from '../database/owner.ts'
import { requirePrecondition } from '../database/ownership.ts'
import { recurringRules } from '../database/schema.ts'
import { addDays, type CalendarDate, dateIn, latestDate } from '../domain/dates.ts'
import { isOccurrence, nextOccurrence } from '../domain/recurrence/dates.ts'
import type { ExpectedVersions } from '../domain/types.ts'
import { NotFound, TooBusy } from '../failures/failures.ts'
import { occurringOf, type Rule, rulePrecondition, selectRules, withNext } from './read.ts'

/** A rule with the dates of its recorded occurrences (`recordedDates`). */
export type FoundRule = Rule & { recorded: string }

/** The user's rules, which a write to one of them reads first, since SQL computes no dates. */
export type FoundRules = {
  rule: FoundRule
  rules: FoundRule[]
  today: CalendarDate
  timezone: string
}

/** Reads a rule with all others of the user. Throws NotFound, Forbidden, VersionConflict. */
export async function readForWrite(
  owner: Owner,
  id: number,
  expected?: ExpectedVersions,
): Promise<FoundRules> {
  const { owned, conflictingRow } = rulePrecondition(owner, id, expected)
  const results = await owner.run({ owned, conflictingRow, rules: selectRules(owner, owner.now) })
  const { timezone } = results.user
  const today = dateIn(timezone, owner.now)
  requirePrecondition(recurringRules, {
    owned: results.owned,
    conflictingRow: results.conflictingRow.map((rows) => rows.map((row) => withNext(row, today))),
  })
  const rule = results.rules.find((one) => one.id === id) as FoundRule
  return { rule, rules: results.rules, today, timezone }
}

/** The rule with an occurrence on this date: the one found, or one that continues it; undefined if there is none. */
export function ruleOn(
  { rule, rules }: Pick<FoundRules, 'rule' | 'rules'>,
  date: CalendarDate,
): FoundRule | undefined {
  const responsible = successorOn(rule, rules, date)
  return isOccurrence(occurringOf(responsible), date) ? responsible : undefined
}

/** Returns the rule that has the occurrence. Throws NotFound. */
export function requireOccurrence(found: FoundRules, date: CalendarDate) {
  const rule = ruleOn(found, date)
  if (!rule) throw new NotFound('Occurrence')
  return rule
}

/** The rule itself, or the one that continues it on this date. */
export function successorOn(rule: FoundRule, rules: FoundRule[], date: CalendarDate): FoundRule {
  return responsibleOn(chainOf(rule, rules), date, (one) => nextOccurrence(occurringOf(one)))
}

/**
 * The rule that has begun on this date, of which `rule` is responsible for it: with its first occurrence, or, where that
 * was moved, since the rule before it ends.
 */
export function begunOn(rule: FoundRule, rules: FoundRule[], date: CalendarDate): FoundRule | undefined {
  const occurring = occurringOf(rule)
  if (nextOccurrence(occurring) === date) return rule
  const { until } = occurring.rule
  return until && addDays(until, 1) === date ? rules.find(({ id }) => id === rule.successorId) : undefined
}

/** A rule and those that continue it, in the order of their days. A restored export may have a circle: it ends there. */
export function chainOf(rule: FoundRule, rules: FoundRule[]): Chain<FoundRule> {
  const chain: Chain<FoundRule> = [rule]
  for (let last: FoundRule | undefined = rule; last; ) {
    const { successorId }: FoundRule = last
    last = rules.find((one) => one.id === successorId && !chain.includes(one))
    if (last) chain.push(last)
  }
  return chain
}

/** A rule, and those that continue it. */
export type Chain<T> = [T, ...T[]]

/** The rule of a chain that is responsible for a date: the last that has begun by then. */
export function responsibleOn<T>(
  [rule, ...others]: Chain<T>,
  date: CalendarDate,
  firstOf: (rule: T) => CalendarDate | null,
): T {
  const later = others.findIndex((one) => date < (firstOf(one) ?? latestDate))
  return others.slice(0, later < 0 ? undefined : later).at(-1) ?? rule
}

/** Each failed attempt is another write of the user's rules: with fewer than this at once, all are done. */
const attempts = 8

/** Repeats a write that returns undefined, since what it had read has changed. Throws TooBusy. */
export async function repeated<T>(write: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const result = await write()
    if (result) return result
  }
  throw new TooBusy()
}
