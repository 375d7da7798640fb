import { endedBefore, isOccurrence, nextOccurrence } from '../../src/domain/recurrence/dates.ts'
import { nextOpen, type Occurring } from '../../src/domain/recurrence/occurrences.ts'
import { formatRecurrenceRule, parseRecurrenceRule } from '../../src/domain/recurrence/rule.ts'
import type { Copy } from './copy.ts'
import { LedgerError } from './entered.ts'
import { dateOfField, exceptionField, isExceptionField, readException, skipped } from './exceptions.ts'
import { compare } from './money.ts'
import { deletes } from './pending.ts'
import { isSchedule, type Key } from './rows.ts'
import type { Shown } from './shown-row.ts'
import type { View } from './view.ts'

type Row = Shown['recurring']

/** A recurring transaction with what its occurrences are computed from. */
export type Rule = {
  row: Row
  occurring: Occurring
  /** The keys of the transactions that are its occurrences, by their dates. */
  recorded: ReadonlyMap<string, Key>
}

/** The rules that are shown, oldest first, with pending changes: those that another one continues end before it. */
export function rulesOf({ view, pending }: Pick<Copy, 'view' | 'pending'>, today: string): Rule[] {
  const rows = [...view().all('recurring').values()]
    .filter((row) => view().get('recurring', row.key) && isSchedule({ ...row }))
    .sort((a, b) => a.rank - b.rank || compare(a.key, b.key))
  const partOn = partsOf(rows)
  const recorded = recordedOf(view(), partOn)
  const deleted = deletedOf({ view, pending })
  return rows.map((row) => {
    const first = rows.reduce(
      (from, { divides, from: other = '' }) => (divides === row.key && other < from ? other : from),
      never,
    )
    const own = withSkipped(first < never ? ended(row, first) : row, deleted.get(row.key))
    return { row: own, occurring: occurringOf(own, today), recorded: recorded.get(row.key) ?? new Map() }
  })
}

/** Later than any date. */
const never = '9'

/** Returns a function that returns the rule of a date: one that continues the named one on this device, or that itself. */
function partsOf(rows: Row[]): (rule: Key, date: string) => Key {
  const parts = Map.groupBy(
    rows.filter(({ divides }) => divides).sort((a, b) => compare(b.from ?? '', a.from ?? '')),
    ({ divides }) => divides as Key,
  )
  return function partOn(rule: Key, date: string): Key {
    const part = parts.get(rule)?.find(({ from = never }) => from <= date)
    return part ? partOn(part.key, date) : rule
  }
}

/** A rule without its occurrences from a date on. */
function ended(row: Row, from: string): Row {
  const kept = Object.entries(row).filter(([field]) => !isExceptionField(field) || dateOfField(field) < from)
  const rrule = formatRecurrenceRule(endedBefore(parseRecurrenceRule(row.rrule), from))
  return { ...(Object.fromEntries(kept) as Row), rrule }
}

export function occurringOf(row: Row, today: string): Occurring {
  const exceptions = Object.entries(row)
    .filter(([field, text]) => isExceptionField(field) && text !== null)
    .map(([field, text]) => [dateOfField(field), readException(text)])
  return {
    startsOn: row.starts_on,
    rule: parseRecurrenceRule(row.rrule),
    weekend: row.weekend,
    paused: row.paused,
    openFrom: row.open_from ?? today,
    exceptions: Object.fromEntries(exceptions),
  }
}

/** The recorded occurrences by rule. */
function recordedOf(view: View, partOn: ReturnType<typeof partsOf>): Map<Key, Map<string, Key>> {
  const recorded = new Map<Key, Map<string, Key>>()
  for (const row of view.listed) {
    const { recurring_id: name, occurrence_date: date } = row
    if (name == null || date == null) continue
    const rule = partOn(view.ruleOf(name), date)
    const own = recorded.get(rule) ?? new Map<string, Key>()
    recorded.set(rule, own.set(date, view.present(row).key))
  }
  return recorded
}

/** The occurrences whose transactions are to be deleted, by rule: the service skips them then. */
function deletedOf({ view, pending }: Pick<Copy, 'view' | 'pending'>): Map<Key, string[]> {
  const deleted = new Map<Key, string[]>()
  for (const one of pending.values()) {
    if (one.noun !== 'transaction' || !deletes(one)) continue
    const row = view().served('transaction', one.key)
    const { recurring_id: rule, occurrence_date: date } = (row ?? {}) as Partial<Shown['transaction']>
    if (!rule || !date) continue
    const isChanged = exceptionField(date) in (pending.get(`recurring ${rule}`)?.next?.set ?? {})
    if (!isChanged) deleted.set(rule, [...(deleted.get(rule) ?? []), date])
  }
  return deleted
}

const withSkipped = (row: Row, dates: string[] = []): Row => ({
  ...row,
  ...Object.fromEntries(dates.map((date) => [exceptionField(date), skipped])),
})

/** The rule that has an occurrence on a date: the one that is named, or one that continues it; undefined if there is none. */
function ruleOn(rules: Rule[], key: Key, date: string): Rule | undefined {
  const partOn = partsOf(rules.map(({ row }) => row))
  const named = (one: Key) => rules.find(({ row }) => row.key === one)
  let rule = named(partOn(key, date))
  for (
    let next = rule && servedSuccessorOf(rules, rule.row);
    next && isBegun(next, date);
    next = rule && servedSuccessorOf(rules, rule.row)
  )
    rule = named(partOn(next.row.key, date))
  return rule && isOccurrence(rule.occurring, date) ? rule : undefined
}

/** Returns the rule that has an occurrence on a date: the one that is named, or one that continues it. Throws LedgerError. */
export function requireRule(
  copy: Pick<Copy, 'view' | 'pending'>,
  key: Key,
  date: string,
  today: string,
): Rule {
  const rule = ruleOn(rulesOf(copy, today), key, date)
  if (!rule) throw new LedgerError(`There is no occurrence of ${key} on ${date}.`)
  return rule
}

const isBegun = ({ occurring }: Rule, date: string) => (nextOccurrence(occurring) ?? never) <= date

/** The rule that continues another one: on this device alone, or for the service as well. */
export function successorOf(rules: Rule[], { row }: Rule): Rule | undefined {
  const parts = rules.filter(({ row: { divides } }) => divides === row.key)
  const [first] = parts.sort((a, b) => compare(a.row.from ?? '', b.row.from ?? ''))
  return first ?? servedSuccessorOf(rules, row)
}

const servedSuccessorOf = (rules: Rule[], { successor_id }: Row): Rule | undefined =>
  rules.find(({ row: { id } }) => id !== null && id === successor_id)

/** The first open occurrence of a rule. */
export const nextOf = ({ occurring, recorded }: Rule, today: string): string | null =>
  nextOpen(occurring, (date) => recorded.has(date), today)
