import { continuedFrom, nextOccurrence } from '../../src/domain/recurrence/dates.ts'
import { formatRecurrenceRule } from '../../src/domain/recurrence/rule.ts'
import type { Copy } from './copy.ts'
import type { Entered } from './entered.ts'
import { dateOfField, exceptionAfter, exceptionField, isExceptionField } from './exceptions.ts'
import { fieldsOf } from './fields.ts'
import type { EditOptions } from './occurrences.ts'
import { type Change, creation, type Fields, groupOf, pick, withoutUnchanged } from './pending.ts'
import type { Key } from './rows.ts'
import { occurringOf, type Rule, requireRule } from './rules.ts'
import { keyed, type Shown } from './shown-row.ts'

/*
 * A change of all that follows is a pending creation of the rule that continues another one: `divides` has the key of that,
 * and `from` the first occurrence. It is sent as an update of the other rule.
 */

/** Writes to all occurrences from one on. */
export function successorWritesOf(copy: Copy, { newId, keyOf, today, steps, validate }: EditOptions) {
  return {
    /**
     * Changes the occurrences from one on: the rule ends before it, and another one continues it, whose key is returned. At
     * the first occurrence of a rule, the rule itself is changed. Throws LedgerError.
     */
    async changeFollowing(
      name: Key | number,
      from: string,
      fields: Partial<Entered['recurring']>,
    ): Promise<Key> {
      const rule = requireRule(copy, keyOf('recurring', name), from, today())
      const { row, occurring } = rule
      const first = exceptionField(from)
      const own = pick({ ...row }, [first])[first]
      const withFirst = (set: Fields) => (own ? { ...set, [first]: exceptionAfter(own, set) } : set)
      if (from === nextOccurrence(occurring)) {
        const set = withFirst(validate.update('recurring', { ...row }, fields))
        const change = withoutUnchanged({ op: 'update', set, was: pick({ ...row }, Object.keys(set)) })
        if (change) await steps.perform([copy.updateOf('recurring', row.key, change)])
        return row.key
      }
      const template = continuation(rule, from, fields.starts_on)
      const given = withFirst(validate.update('recurring', { ...template, key: row.key }, fields))
      const key = validate.newKey('recurring', newId())
      const set: Fields = { ...template, ...given, divides: row.key, from }
      await steps.perform([copy.updateOf('recurring', key, creation(set))])
      return key
    },
  }
}

/** The fields of the rule that continues another one from an occurrence on. */
function continuation({ row, occurring }: Rule, from: string, startsOn?: string): Fields {
  const exceptions = Object.keys(row).filter((field) => isExceptionField(field) && dateOfField(field) >= from)
  const continued = continuedFrom(occurring, from)
  // Another first day is also another day of the month, unless the rule names one.
  const rule = startsOn
    ? { ...occurring.rule, ...(continued.count && { count: continued.count }) }
    : continued
  return {
    ...pick({ ...row }, [...fieldsOf('recurring'), ...exceptions]),
    ...{ starts_on: startsOn ?? from, rrule: formatRecurrenceRule(rule) },
  }
}

/**
 * The creation of a successor as it is sent: `was` has what differs from the rule that it continues, and how that is now,
 * since it may change until there is an outcome.
 */
export function sentDivision({ rows }: ReturnType<Copy['stored']>, change: Change): Change {
  const { divides, from, ...set } = change.set
  const served = rows.get('recurring', String(divides))
  const row = served && (keyed('recurring', served, rows) as Shown['recurring'])
  const base =
    row && continuation({ row, occurring: occurringOf(row, ''), recorded: new Map() }, String(from))
  const isChanged = (field: string) =>
    groupOf(field).some((one) => (set[one] ?? null) !== (base?.[one] ?? null))
  const changed = Object.keys({ ...base, ...set }).filter(isChanged)
  return { ...change, was: Object.fromEntries(changed.map((field) => [field, base?.[field] ?? null])) }
}

/** The update of the rule to which a sent creation of its successor amounts. */
export function changeOfDivision({ set, was }: Change): Change {
  return {
    op: 'update',
    set: Object.fromEntries(Object.keys(was).map((field) => [field, set[field] ?? null])),
    was,
  }
}
