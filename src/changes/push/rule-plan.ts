import { columnOf, toColumns } from '../../database/input-columns.ts'
import { chainOf, type FoundRule, responsibleOn } from '../../recurring/chain.ts'
import { recurringChanges } from '../../recurring/contract.ts'
import { afterFromText, continuation, dividedRows, fromError } from '../../recurring/divide.ts'
import { changeErrors } from '../../recurring/next-rule.ts'
import { occurringOf } from '../../recurring/read.ts'
import type { CalendarDate } from '../../shared/dates.ts'
import type { FieldErrors } from '../../shared/failures.ts'
import { addError, invalidText, messageFor } from '../../shared/field-errors.ts'
import { type Exception, exceptionOf, maxExceptions, withExceptions } from '../../shared/occurrences.ts'
import { datesOf, nextOccurrence } from '../../shared/recurrence.ts'
import { addExceptionErrors } from '../../shared/recurring-rules.ts'
import { fieldsThatGoTogether } from '../fields-contract.ts'
import type { Operation } from '../operations-contract.ts'
import type { Outcome } from './outcomes.ts'
import type { RuleWrite, SetFields } from './rule-writes.ts'

/*
 * SQL computes no dates, so the rules are read before an upload that changes them or names their occurrences, and what it
 * does to them is decided here. Its steps then write only if the rules are still those that were read.
 */

/** What is read before: all rules, the ids of rows that operations name by client ids, and which of these are spent. */
export type ReadRules = {
  rules: FoundRule[]
  today: CalendarDate
  /** By noun and client id, as `account a1`. */
  ids: ReadonlyMap<string, number>
  /** The client ids of deleted rules. */
  spent: ReadonlySet<string>
  calendarOf: CalendarOf
}

/** The first date of a rule, and whether it has another one. */
type CalendarOf = (rule: FoundRule) => { first: CalendarDate | null; has: (date: CalendarDate) => boolean }

/** Computes the calendar of each schedule once: an upload may name thousands of dates. */
export function calendars(): CalendarOf {
  const known = new Map<string, ReturnType<CalendarOf>>()
  return (rule) => {
    const key = `${rule.startsOn} ${rule.rrule}`
    const schedule = known.get(key) ?? newCalendar(rule)
    known.set(key, schedule)
    return schedule
  }
}

function newCalendar(rule: FoundRule): ReturnType<CalendarOf> {
  const schedule = occurringOf(rule)
  return { first: nextOccurrence(schedule), has: datesOf(schedule) }
}

export type RulePlan = {
  /** The outcomes of operations that write nothing, or whose writes cannot be refused. */
  outcomes: Outcome[]
  writes: RuleWrite[]
  /** The rules as they will be; those that the upload creates have no id yet. */
  rules: FoundRule[]
}

/** Ids from this one on stand for rules that the upload creates. */
export const firstNewId = 2 ** 52

/** Decides the changes and deletions of rules: those that cannot be refused first, then what SQL has to check. */
export function planRules(operations: Operation[], found: ReadRules): RulePlan {
  const ranked = operations
    .filter(({ noun, kind }) => noun === 'recurring' && kind !== 'create')
    .map((one) => ({ one, rank: rankOf(one) }))
    .sort((a, b) => a.rank - b.rank || a.one.index - b.one.index)
  const created = new Set(
    operations.flatMap(({ noun, kind, clientId }) =>
      noun === 'recurring' && kind === 'create' ? (clientId ?? []) : [],
    ),
  )
  const plan: RulePlan = { outcomes: [], writes: [], rules: found.rules }
  for (const { one } of ranked) {
    const { outcome, writes = [], rules = [] } = decide(one, { ...found, ...plan, created })
    if (outcome) plan.outcomes.push(outcome)
    plan.writes.push(...writes)
    const changed = new Set(rules.map(({ id }) => id))
    if (rules.length > 0) plan.rules = [...plan.rules.filter(({ id }) => !changed.has(id)), ...rules]
  }
  return plan
}

const refers = ({ account_id, category_id, type }: SetFields) =>
  [account_id, category_id, type].some((value) => value !== undefined)

function rankOf({ kind, set }: Operation): number {
  if (kind === 'delete') return 3
  if (set.from) return 2
  return refers(set) ? 1 : 0
}

/** The rules as they are after the operations that were decided before, and the writes of these. */
type Before = ReadRules & Pick<RulePlan, 'writes'> & { created: ReadonlySet<string> }
/** What becomes of one operation: `rules` are those that it changes or adds. SQL stores the outcome of one that it may refuse. */
type Decision = { outcome?: Outcome; writes?: RuleWrite[]; rules?: FoundRule[] }

function decide(operation: Operation, before: Before): Decision {
  const { index, kind, id, clientId } = operation
  const rule = before.rules.find((one) => (id === null ? one.clientId === clientId : one.id === id))
  if (!rule || rule.id >= firstNewId) return { outcome: { ...nothing, index, outcome: 'gone' } }
  if (kind === 'delete') return decideDeletion(operation, rule, before)
  return operation.set.from ? decideDivision(operation, rule, before) : decideChange(operation, rule, before)
}

const nothing = { id: null, version: null, fields: null, errors: null, current: null }

const done = (index: number, outcome: 'updated' | 'deleted', { id, version }: FoundRule): Outcome => ({
  ...nothing,
  ...{ index, outcome, id, version },
})

/** An outcome that shows the rule as it is. */
const shownAs = (
  index: number,
  outcome: Outcome['outcome'],
  rule: FoundRule,
  fields?: string[],
): Decision => ({
  outcome: {
    ...nothing,
    ...{ index, outcome, id: rule.id, version: rule.version, fields: fields ?? null },
    current: { noun: 'recurring', id: rule.id, row: rule },
  },
})

const invalid = (index: number, errors: FieldErrors): Decision => ({
  outcome: { ...nothing, index, outcome: 'invalid', errors },
})

function decideDeletion({ index, was }: Operation, rule: FoundRule, { ids }: Before): Decision {
  const fields = conflictsIn(rule, { was }, ids)
  if (fields.length > 0) return shownAs(index, 'conflict', rule, fields)
  return { outcome: done(index, 'deleted', rule), writes: [{ kind: 'delete', index, rule, set: {} }] }
}

/** Changes a rule as a whole, and single occurrences of it and of the rules that continue it. */
function decideChange({ index, set: sent, was }: Operation, rule: FoundRule, before: Before): Decision {
  const { ids, today } = before
  const { exceptions = {}, ...set } = sent as SetFields
  const ruleFor = rulesByDate(rule, before)
  const byRule = Map.groupBy(Object.entries(exceptions), ([date]) => ruleFor(date))
  const errors = changeErrors(rule, before.rules, { values: set, errors: {} })
  for (const [one, dates] of byRule)
    addOccurrenceErrors(errors, dates, { rule: one, isAllowed: one === rule || !refers(set) }, before)
  if (Object.keys(errors).length > 0) return invalid(index, errors)
  // With nothing but occurrences of another rule, the operation is about that one.
  const [about = rule] = byRule.size === 1 && Object.keys(set).length === 0 ? byRule.keys() : []
  const fields = conflictsIn(rule, { was, set, exceptions }, ids, ruleFor)
  if (fields.length > 0) return shownAs(index, 'conflict', about, fields)
  const changed = new Map(
    [...byRule].filter(([one, dates]) =>
      dates.some(([date, exception]) => !isSame(one.exceptions[date], exception)),
    ),
  )
  if (!isAs(rule, set, ids)) changed.set(rule, changed.get(rule) ?? [])
  if (changed.size === 0) return shownAs(index, 'unchanged', about)
  const written = [...changed].map(([one, dates]) => {
    const own = one === rule ? set : {}
    const next = withExceptions(one.exceptions, Object.fromEntries(dates), today)
    return {
      write: { kind: 'update' as const, index, rule: one, set: own, exceptions: next, refers: refers(own) },
      next: { ...one, ...withoutReferences(own), exceptions: next, version: one.version + 1 },
    }
  })
  const next = written.map((one) => one.next)
  const writes = written.map(({ write }) => write)
  if (refers(set)) return { writes, rules: next }
  return {
    outcome: done(index, 'updated', next.find(({ id }) => id === about.id) ?? about),
    writes,
    rules: next,
  }
}

/** Returns the rule for a date: the one that is named, or one that continues it. */
function rulesByDate(rule: FoundRule, { rules, calendarOf }: Pick<ReadRules, 'rules' | 'calendarOf'>) {
  const chain = chainOf(rule, rules)
  return (date: CalendarDate) => responsibleOn(chain, date, (one) => calendarOf(one).first) ?? rule
}

function addOccurrenceErrors(
  errors: FieldErrors,
  dates: [date: CalendarDate, exception: Exception | null][],
  { rule, isAllowed }: { rule: FoundRule; isAllowed: boolean },
  { today, calendarOf }: Before,
): void {
  const recorded = new Set<CalendarDate>(JSON.parse(rule.recorded))
  for (const [date, exception] of dates) {
    if (!exception) continue
    const field = `exceptions.${date}`
    if (!isAllowed || !calendarOf(rule).has(date)) addError(errors, field, invalidText)
    else if (recorded.has(date)) addError(errors, field, 'The occurrence is already recorded.')
  }
  const changes = Object.fromEntries(dates)
  addExceptionErrors(errors, changes)
  if (Object.keys(withExceptions(rule.exceptions, changes, today)).length > maxExceptions)
    addError(
      errors,
      'exceptions',
      `A recurring transaction cannot have more than ${maxExceptions} exceptions.`,
    )
}

/** Ends a rule before an occurrence, unless another device has done so: then the rule that begins there is a duplicate. */
function decideDivision({ index, set: sent, was }: Operation, named: FoundRule, before: Before): Decision {
  const { rules, ids, today, spent, created, calendarOf } = before
  const { exceptions = {}, from = '', successor_client_id: clientId = '', ...set } = sent as NewSuccessor
  const rule = rulesByDate(named, before)(from)
  const isFirst = from === calendarOf(rule).first
  const other = rules.find((one) => one.clientId === clientId) ?? (isFirst ? rule : undefined)
  if (other && other.id < firstNewId) return shownAs(index, 'duplicate', other)
  if (created.has(clientId) || rules.some((one) => one.clientId === clientId))
    return invalid(index, { successor_client_id: [messageFor('successor_client_id', invalidText)] })
  if (spent.has(clientId)) return { outcome: { ...nothing, index, outcome: 'gone' } }
  const continued = continuation(rule, from, set)
  const errors = divisionErrors(rule, { from, set, continued }, before)
  addOccurrenceErrors(errors, Object.entries(exceptions), { rule, isAllowed: true }, before)
  if (Object.keys(errors).length > 0) return invalid(index, errors)
  const fields = conflictsIn(rule, { was, set, exceptions }, ids)
  if (fields.length > 0) return shownAs(index, 'conflict', rule, fields)
  const divided = { ...rule, exceptions: withExceptions(rule.exceptions, exceptions, today) }
  const { ended, successor } = dividedRows(divided, from)
  const id = firstNewId + index
  return {
    writes: [
      {
        kind: 'divide',
        index,
        rule,
        set,
        division: { rule: divided, from, columns: { ...continued, clientId } },
      },
    ],
    rules: [
      {
        ...divided,
        rrule: ended.rrule,
        exceptions: ended.exceptions,
        successorId: id,
        version: rule.version + 1,
      },
      {
        ...successor,
        ...withoutReferences(set),
        ...continued,
        id,
        clientId,
        version: 1,
        recorded: rule.recorded,
      },
    ],
  }
}

type NewSuccessor = SetFields & { from?: CalendarDate; successor_client_id?: string }

function divisionErrors(
  rule: FoundRule,
  {
    from,
    set,
    continued,
  }: { from: CalendarDate; set: SetFields; continued: ReturnType<typeof continuation> },
  { rules, writes, today }: Before,
): FieldErrors {
  // Whether an earlier write of the rule will be refused is not known yet.
  const isUncertain = writes.some(
    (one) => one.rule.id === rule.id && (one.kind === 'divide' || (one.kind === 'update' && one.refers)),
  )
  const text = isUncertain || rule.id >= firstNewId ? invalidText : fromError(rule, from, today)
  if (text) return { from: [messageFor('from', text)] }
  const errors = changeErrors({ ...rule, ...continued }, rules, { values: set, errors: {} })
  if (continued.startsOn < from) addError(errors, 'starts_on', afterFromText)
  return errors
}

/** The columns that a change sets, but for those that name other rows. */
function withoutReferences({ account_id: _, to_account_id: __, category_id: ___, ...set }: SetFields) {
  const { exceptions, from, successor_client_id, ...columns } = set
  return toColumns(columns)
}

const changeable = Object.keys(recurringChanges.shape) as (keyof typeof recurringChanges.shape)[]
type Field = (typeof changeable)[number]
const together: readonly Field[] = fieldsThatGoTogether

/**
 * The fields that conflict, as SQL determines them for other nouns (conflicts.ts): those whose value is neither what the
 * client saw nor what it sets. Exceptions do so by date. Without `set`, as a deletion, those whose value is not what it saw.
 */
function conflictsIn(
  rule: FoundRule,
  { was, set, exceptions }: { was: Operation['was']; set?: SetFields; exceptions?: SetFields['exceptions'] },
  ids: ReadRules['ids'],
  ruleFor: (date: CalendarDate) => FoundRule = () => rule,
): string[] {
  const { exceptions: seen = {}, ...fields } = was as SetFields
  const fieldsInConflict = changeable.filter((field) => {
    const group = together.includes(field) ? together : [field]
    if (!(field in fields) || (set && !(field in set))) return false
    return !isAs(rule, fields, ids, group) && !(set && isAs(rule, set, ids, group))
  })
  const dates = Object.keys(seen).filter((date) => {
    if (exceptions && !(date in exceptions)) return false
    const now = ruleFor(date).exceptions[date]
    return !isSame(now, seen[date]) && !(exceptions && isSame(now, exceptions[date]))
  })
  return [...fieldsInConflict, ...dates.map((date) => `exceptions.${date}`)]
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

/** New transactions with the rules whose occurrences they are, as they will be after the changes of rules. */
export function withOccurrences(
  operations: Operation[],
  read: Pick<ReadRules, 'rules' | 'calendarOf'>,
): Operation[] {
  return operations.map((one) => {
    const { recurring_id: name, occurrence_date } = one.set
    if (one.noun !== 'transaction' || one.kind !== 'create' || name == null) return one
    const named = read.rules.find(({ id, clientId }) => name === id || name === `#${clientId}`)
    if (!named) return one
    const date = occurrence_date as CalendarDate
    const rule = rulesByDate(named, read)(date)
    if (!read.calendarOf(rule).has(date)) return { ...one, noOccurrence: 'unknown' }
    const set = { ...one.set, recurring_id: rule.id < firstNewId ? rule.id : `#${rule.clientId}` }
    return { ...one, set, ...(rule.exceptions[date]?.skip && { noOccurrence: 'skipped' }) }
  })
}
