import { columnOf, toColumns } from '../../database/input-columns.ts'
import type { CalendarDate } from '../../domain/dates.ts'
import { type Exception, exceptionOf } from '../../domain/recurrence/occurrences.ts'
import type { FoundRule } from '../../recurring/chain.ts'
import { recurringChanges } from '../../recurring/contract.ts'
import { fieldsThatGoTogether } from '../fields-contract.ts'
import type { ReadRules } from './read-rules.ts'
import type { SetFields } from './rule-writes.ts'

/** What an operation sets of a rule: fields, and exceptions by date. */
export type RuleChange = {
  rule: FoundRule
  set: SetFields
  exceptions: Record<CalendarDate, Exception | null>
}

const changeable = Object.keys(recurringChanges.shape) as (keyof typeof recurringChanges.shape)[]
type Field = (typeof changeable)[number]
const together: readonly Field[] = fieldsThatGoTogether

/**
 * The fields that conflict, as SQL determines them for other nouns (conflicts.ts): those whose value is neither what the
 * client saw nor what it sets. Exceptions do so by date. Of a deletion, those whose value is not what it saw.
 */
export function conflictsIn(
  rule: FoundRule,
  was: SetFields,
  ids: ReadRules['ids'],
  change?: Pick<RuleChange, 'set' | 'exceptions'>,
): string[] {
  const { exceptions: seen = {}, ...fields } = was
  const fieldsInConflict = changeable.filter((field) => {
    if (!(field in fields) || (change && !(field in change.set))) return false
    const group = together.includes(field) ? together : [field]
    return !isAs(rule, fields, ids, group) && !(change && isAs(rule, change.set, ids, group))
  })
  const dates = Object.keys(seen).filter((date) => {
    if (change && !(date in change.exceptions)) return false
    const now = rule.exceptions[date]
    return !isSame(now, seen[date]) && !(change && isSame(now, change.exceptions[date]))
  })
  return [...fieldsInConflict, ...dates.map((date) => `exceptions.${date}`)]
}

/** True if the rule already has what a change sets. */
export function changesNothing({ rule, set, exceptions }: RuleChange, ids: ReadRules['ids']): boolean {
  return (
    isAs(rule, set, ids) &&
    Object.entries(exceptions).every(([date, one]) => isSame(rule.exceptions[date], one))
  )
}

/** True if a rule has these values in the fields. */
function isAs(
  rule: FoundRule,
  values: SetFields,
  ids: ReadRules['ids'],
  fields: readonly Field[] = changeable.filter((field) => field in values),
): boolean {
  return fields.every(
    (field) => (rule[columnOf(field)] ?? null) === (idOf(field, values[field], ids) ?? null),
  )
}

/** The id of a row that is named by its client id; other values stay. */
function idOf(field: Field, value: unknown, ids: ReadRules['ids']): unknown {
  if (!field.endsWith('_id') || typeof value !== 'string') return value
  return ids.get(`${field === 'category_id' ? 'category' : 'account'} ${value.slice(1)}`) ?? value
}

const isSame = (one: Exception | null | undefined, other: Exception | null | undefined) =>
  JSON.stringify(one ? exceptionOf(one) : null) === JSON.stringify(other ?? null)

/** The columns that a change sets, but for those that name other rows. */
export function withoutReferences({ account_id: _, to_account_id: __, category_id: ___, ...set }: SetFields) {
  const { exceptions, from, successor_client_id, ...columns } = set
  return toColumns(columns)
}
