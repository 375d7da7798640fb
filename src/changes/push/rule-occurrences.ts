import type { CalendarDate } from '../../domain/dates.ts'
import type { Exception, Exceptions } from '../../domain/recurrence/occurrences.ts'
import { type Chain, chainOf, type FoundRule, responsibleOn } from '../../recurring/chain.ts'
import type { Operation } from '../operations-contract.ts'
import type { CalendarOf } from './read-rules.ts'

/** A rule that the upload creates, as far as its occurrences depend on it. */
export type NewRule = Pick<FoundRule, 'clientId' | 'startsOn' | 'rrule' | 'exceptions'> & {
  id: null
  /** The id of the rule that it continues. */
  continues: number | null
}

/** The rules that an upload creates by themselves. */
export function newRulesOf(operations: Operation[]): NewRule[] {
  return operations
    .filter(({ noun, kind }) => noun === 'recurring' && kind === 'create')
    .map(({ clientId, set }) => {
      const { starts_on, rrule, exceptions } = set as NewFields
      return {
        ...{ id: null, clientId, startsOn: starts_on, rrule, continues: null },
        exceptions: withoutNulls(exceptions),
      }
    })
}

type NewFields = {
  starts_on: CalendarDate
  rrule: string
  exceptions?: Record<CalendarDate, Exception | null>
}

export const withoutNulls = (exceptions: Record<CalendarDate, Exception | null> = {}): Exceptions =>
  Object.fromEntries(Object.entries(exceptions).flatMap(([date, one]) => (one ? [[date, one]] : [])))

/** The rules as they will be after an upload's changes of rules. */
type Rules = { rules: FoundRule[]; newRules: NewRule[]; calendarOf: CalendarOf }

/** New transactions with the rules whose occurrences they are. */
export function withOccurrences(operations: Operation[], after: Rules): Operation[] {
  const all = [...after.rules, ...after.newRules]
  return operations.map((one) => {
    const { recurring_id: name, occurrence_date } = one.set
    if (one.noun !== 'transaction' || one.kind !== 'create' || name == null) return one
    const named = all.find(({ id, clientId }) => name === id || name === `#${clientId}`)
    if (!named) return one
    const date = occurrence_date as CalendarDate
    const rule = responsibleOn(chainWithNew(named, after), date, (one) => after.calendarOf(one).first)
    if (!after.calendarOf(rule).has(date)) return { ...one, noOccurrence: 'unknown' }
    const set = { ...one.set, recurring_id: rule.id ?? `#${rule.clientId}` }
    return { ...one, set, ...(rule.exceptions[date]?.skip && { noOccurrence: 'skipped' }) }
  })
}

/** A rule and those that continue it, new ones included. */
function chainWithNew(named: FoundRule | NewRule, { rules, newRules }: Rules): Chain<FoundRule | NewRule> {
  const old = named.id === null ? rules.find(({ id }) => id === named.continues) : named
  if (!old) return [named]
  const chain = chainOf(old, rules).flatMap((one) => [
    one,
    ...newRules.filter(({ continues }) => continues === one.id),
  ])
  return [named, ...chain.slice(chain.indexOf(named) + 1)]
}
