import type { CalendarDate } from '../../domain/dates.ts'
import { datesOf, nextOccurrence } from '../../domain/recurrence/dates.ts'
import type { Exception, Exceptions } from '../../domain/recurrence/occurrences.ts'
import { storedRecurrenceRule } from '../../domain/recurrence/rule.ts'
import { type Chain, chainOf, type FoundRule, responsibleOn } from '../../recurring/chain.ts'
import type { Operation } from '../contract.ts'
import type { Ref } from './outcomes.ts'
import type { NewRule, State } from './state.ts'

export const withoutNulls = (exceptions: Record<CalendarDate, Exception | null> = {}): Exceptions =>
  Object.fromEntries(Object.entries(exceptions).flatMap(([date, one]) => (one ? [[date, one]] : [])))

/** Which rule a new transaction is an occurrence of: 0 for none of the user's, undefined if it names none. */
type Occurrence = { rule?: Ref; isSkipped?: boolean; isNone?: boolean }

/** The occurrence that a new transaction is, by the rules as they are after the upload's changes of rules. */
export function occurrenceOf({ set }: Operation, state: State): Occurrence {
  const { recurring_id: name, occurrence_date: date } = set as {
    recurring_id?: Ref
    occurrence_date: CalendarDate
  }
  if (name == null) return {}
  const ref = typeof name === 'string' ? state.refs.get('recurring')?.get(name.slice(1)) : name
  const named = [...state.rules, ...state.newRules].find(({ id }) => id === ref)
  if (!named) return { rule: 0 }
  if (state.isRestore) return { rule: named.id }
  const rule = responsibleOn(chainWithNew(named, state), date, (one) => calendarOf(one).first)
  if (!calendarOf(rule).has(date)) return { rule: named.id, isNone: true }
  return { rule: rule.id, isSkipped: rule.exceptions[date]?.skip === true }
}

/** A rule and those that continue it, new ones included. */
function chainWithNew(named: FoundRule | NewRule, { rules, newRules }: State): Chain<FoundRule | NewRule> {
  const old = isNew(named) ? rules.find(({ id }) => id === named.continues) : named
  if (!old) return [named]
  const chain = chainOf(old, rules).flatMap((one) => [
    one,
    ...newRules.filter(({ continues }) => continues === one.id),
  ])
  return [named, ...chain.slice(chain.indexOf(named) + 1)]
}

const isNew = (rule: FoundRule | NewRule): rule is NewRule => 'continues' in rule

type Calendar = {
  first: CalendarDate | null
  /** True for a date of the rule. */
  has: (date: CalendarDate) => boolean
}
type Scheduled = Pick<FoundRule, 'startsOn' | 'rrule'>
const calendars = new WeakMap<Scheduled, Calendar>()

/** Computes the calendar of each rule once: an upload may name thousands of dates. */
export function calendarOf(rule: Scheduled): Calendar {
  const known = calendars.get(rule)
  if (known) return known
  const schedule = { startsOn: rule.startsOn, rule: storedRecurrenceRule(rule.rrule) }
  const calendar = { first: nextOccurrence(schedule), has: datesOf(schedule) }
  calendars.set(rule, calendar)
  return calendar
}
