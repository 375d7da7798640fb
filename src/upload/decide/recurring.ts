import { toColumns } from '../../database/input-columns.ts'
import { maxRules, quotaTexts } from '../../database/quotas.ts'
import type { CalendarDate } from '../../domain/dates.ts'
import type { FieldErrors } from '../../domain/field-errors.ts'
import { addError, invalidText, messageFor } from '../../domain/field-errors.ts'
import { addExceptionErrors } from '../../domain/recurrence/field-rules.ts'
import {
  type Exception,
  exceptionOf,
  exceptionsAfter,
  maxExceptions,
  withExceptions,
} from '../../domain/recurrence/occurrences.ts'
import { begunOn, chainOf, type FoundRule, responsibleOn } from '../../recurring/chain.ts'
import { recurringChanges } from '../../recurring/contract.ts'
import { afterFromText, continuation, dividedRows, fromError } from '../../recurring/divide.ts'
import { changeErrors } from '../../recurring/next-rule.ts'
import type { Operation } from '../contract.ts'
import { fieldsThatGoTogether } from '../fields-contract.ts'
import { conflictsIn, isAs, type Values } from './conflicts.ts'
import { calendarOf, withoutNulls } from './occurrences.ts'
import { changed, gone, invalid, isEmpty, type Outcome, shownAs } from './outcomes.ts'
import { createRow, isDone, referenceErrors } from './rows.ts'
import {
  type Decide,
  type Decisions,
  occurrenceKey,
  type RuleFields,
  refOf,
  resolved,
  type State,
  settled,
  valuesIn,
  write,
} from './state.ts'

const fields = Object.keys(recurringChanges.shape)

/** The values of fields that a new rule need not have. */
const defaults = { amount_tolerance: 0, weekend: 'keep', auto_record: false, paused: false }

const create: Decide = (operation, state) => {
  const { clientId } = operation
  const row = state.found.rules.byClientId.get(clientId ?? '')
  const set = settled(state, operation.set)
  const { starts_on: startsOn, rrule, exceptions: sent } = set as NewFields
  const exceptions = withoutNulls(sent)
  const columns = { ...defaults, ...set, exceptions: JSON.stringify(exceptions) }
  const errors = () => withQuotaError(referenceErrors(state, set), state)
  const outcome = createRow(operation, state, { known: row && changeOf(row), errors, columns })
  if (isDone(outcome))
    state.newRules.push({ id: refOf(operation), clientId, startsOn, rrule, exceptions, continues: null })
  return outcome
}

type Exceptions = Record<CalendarDate, Exception | null>
type NewFields = { starts_on: CalendarDate; rrule: string; exceptions?: Exceptions }
type DivisionFields = RuleFields & {
  from: CalendarDate
  successor_client_id?: string
  exceptions?: Exceptions
}

function withQuotaError(errors: FieldErrors, { rules, newRules }: State): FieldErrors {
  if (rules.length + newRules.length >= maxRules) addError(errors, 'rrule', quotaTexts.rules)
  return errors
}

/** The rule that an operation names, as the upload has made it so far. */
const ruleOf = ({ id, clientId }: Operation, { rules }: State) =>
  rules.find((one) => (id === null ? one.clientId === clientId : one.id === id))

const changeOf = (row: FoundRule) => ({ noun: 'recurring', id: row.id, row }) as const
const shown = (
  operation: Operation,
  outcome: 'duplicate' | 'conflict' | 'unchanged',
  row: FoundRule,
  fields?: string[],
) => shownAs(operation, outcome, changeOf(row), fields)

const update: Decide = (operation, state) => {
  const rule = ruleOf(operation, state)
  if (!rule) return gone(operation)
  const set = settled(state, operation.set)
  const one = { ...operation, set }
  return set.from ? divide(one, rule, state) : change(one, rule, state)
}

const remove: Decide = (operation, state) => {
  const rule = ruleOf(operation, state)
  if (!rule) return gone(operation)
  const conflicting = conflictsOf(rule, operation.was, state)
  if (conflicting.length > 0) return shown(operation, 'conflict', rule, conflicting)
  write(state, 'delete recurring', { id: rule.id, columns: {} })
  return changed(operation, 'deleted', changeOf(rule))
}

/** What an operation changes of a rule: fields, and exceptions by date. */
type RuleChange = { rule: FoundRule; set: RuleFields; exceptions: Exceptions }

/** Fields and exceptions as fields alone, so that exceptions conflict by date. */
function flat({ exceptions = {}, ...values }: Values): Values {
  const texts = Object.entries(exceptions as Exceptions).map(([date, one]) => [
    `exceptions.${date}`,
    one && JSON.stringify(exceptionOf(one)),
  ])
  return { ...values, ...Object.fromEntries(texts) }
}

const flatRule = (rule: FoundRule) => flat(valuesIn(rule, [...fields, 'exceptions']))

function conflictsOf(
  rule: FoundRule,
  sent: Values,
  state: State,
  change?: Omit<RuleChange, 'rule'>,
): string[] {
  const was = flat(resolved(state, sent))
  const set = change && flat({ ...change.set, exceptions: change.exceptions })
  const dates = Object.keys(was).filter((field) => !fields.includes(field))
  const compared = { now: flatRule(rule), was, ...(set && { set }) }
  return conflictsIn([...fields, ...dates], compared, fieldsThatGoTogether)
}

/** Changes a rule as a whole, and single occurrences of it and of the rules that continue it. */
function change(operation: Operation, named: FoundRule, state: State): Outcome {
  const { set, was } = operation
  const { today } = state.found
  const changes = changesByRule(named, set, state)
  const errors = changeErrors(named, state.rules, { values: set, errors: {} })
  if (refers(set)) Object.assign(errors, referenceErrors(state, { ...valuesIn(named, fields), ...set }))
  for (const one of changes) addOccurrenceErrors(errors, one, today)
  if (!isEmpty(errors)) return invalid(operation, errors, changeOf(named))
  // With nothing but occurrences of another rule, the operation is about that one.
  const about = changes.length === 1 && changes[0] ? changes[0].rule : named
  const conflicting = changes.flatMap((one) => conflictsOf(one.rule, was, state, one))
  if (conflicting.length > 0) return shown(operation, 'conflict', about, conflicting)
  const written = changes.filter((one) => !changesNothing(one))
  if (written.length === 0) return shown(operation, 'unchanged', about)
  for (const { rule, set, exceptions: sent } of written) {
    const exceptions = withExceptions(rule.exceptions, sent, today)
    state.ruleWrites.push({ kind: 'update', rule, set, exceptions })
    replace(state, { ...rule, ...toColumns(set), exceptions, version: rule.version + 1 })
  }
  const { version } = state.rules.find(({ id }) => id === about.id) ?? about
  return changed(operation, 'updated', changeOf({ ...about, version: version - 1 }))
}

const changesNothing = ({ rule, set, exceptions }: RuleChange) =>
  isAs(flatRule(rule), flat({ ...set, exceptions }))

function replace(state: State, changed: FoundRule): void {
  state.rules = state.rules.map((rule) => (rule.id === changed.id ? changed : rule))
}

/** What an operation changes of the rule that it names, and of those that continue it. */
function changesByRule(named: FoundRule, sent: Values, state: State): RuleChange[] {
  const { exceptions = {}, ...set } = sent as RuleFields & { exceptions?: Exceptions }
  const byRule = Map.groupBy(Object.entries(exceptions), ([date]) => ruleOn(date, named, state))
  if (byRule.size === 0 || Object.keys(set).length > 0) byRule.set(named, byRule.get(named) ?? [])
  return [...byRule].map(([rule, dates]) => ({
    rule,
    set: rule === named ? set : {},
    exceptions: Object.fromEntries(dates),
  }))
}

/** The rule for a date: the one that is named, or one that continues it. */
function ruleOn(date: CalendarDate, named: FoundRule, { rules }: State): FoundRule {
  return responsibleOn(chainOf(named, rules), date, (one) => calendarOf(one).first)
}

function addOccurrenceErrors(
  errors: FieldErrors,
  { rule, exceptions }: Pick<RuleChange, 'rule' | 'exceptions'>,
  today: CalendarDate,
): void {
  const recorded = new Set<CalendarDate>(JSON.parse(rule.recorded))
  const now = flatRule(rule)
  for (const [date, exception] of Object.entries(exceptions)) {
    const field = `exceptions.${date}`
    if (!exception || isAs(now, flat({ exceptions: { [date]: exception } }))) continue
    if (!calendarOf(rule).has(date)) addError(errors, field, invalidText)
    else if (recorded.has(date)) addError(errors, field, 'The occurrence is already recorded.')
  }
  addExceptionErrors(errors, exceptions)
  if (Object.keys(withExceptions(rule.exceptions, exceptions, today)).length > maxExceptions)
    addError(
      errors,
      'exceptions',
      `A recurring transaction cannot have more than ${maxExceptions} exceptions.`,
    )
}

/** Ends a rule before an occurrence, and has a new one continue it. */
function divide(operation: Operation, named: FoundRule, state: State): Outcome {
  const { from, successor_client_id, exceptions = {}, ...set } = operation.set as DivisionFields
  const clientId = successor_client_id ?? ''
  const { rules, found } = state
  const { today } = found
  const rule = ruleOn(from, named, state)
  // This operation was sent before, or another device has divided the rule.
  const successor = rules.find((one) => one.clientId === clientId) ?? begunOn(rule, rules, from)
  if (successor) return shown(operation, 'duplicate', successor)
  if (found.spent.has(`recurring ${clientId}`)) return gone(operation)

  const continued = continuation(rule, from, set)
  const errors = divisionErrors(rule, { from, clientId, set, continued }, state)
  addOccurrenceErrors(errors, { rule, exceptions }, today)
  if (!isEmpty(errors)) return invalid(operation, errors, changeOf(rule))
  const conflicting = conflictsOf(rule, operation.was, state, { set, exceptions })
  if (conflicting.length > 0) return shown(operation, 'conflict', rule, conflicting)

  const kept = exceptionsAfter(rule.exceptions, { from, set, today })
  const divided = { ...rule, exceptions: withExceptions(kept, exceptions, today) }
  const { ended, successor: next } = dividedRows(divided, from)
  const division = { rule: divided, from, columns: { ...continued, clientId } }
  state.ruleWrites.push({ kind: 'divide', rule, set, division })
  replace(state, { ...rule, rrule: ended.rrule, exceptions: ended.exceptions, version: rule.version + 1 })
  const id = `#${clientId}`
  state.newRules.push({ id, clientId, ...continued, exceptions: next.exceptions, continues: rule.id })
  state.refs.get('recurring')?.set(clientId, id)
  for (const [key, row] of state.recorded)
    if (key.startsWith(`${rule.id} `) && key.slice(-10) >= from)
      state.recorded.set(occurrenceKey(id, key.slice(-10)), row)
  return changed(operation, 'updated', changeOf(rule))
}

type NewDivision = {
  from: CalendarDate
  clientId: string
  set: RuleFields
  continued: ReturnType<typeof continuation>
}

function divisionErrors(
  rule: FoundRule,
  { from, clientId, set, continued }: NewDivision,
  state: State,
): FieldErrors {
  const { rules, newRules, found } = state
  if (newRules.some((one) => one.clientId === clientId))
    return { successor_client_id: [messageFor('successor_client_id', invalidText)] }
  const isDivided = state.ruleWrites.some((one) => one.kind === 'divide' && one.rule.id === rule.id)
  const text = isDivided ? invalidText : fromError(rule, from, found.today)
  if (text) return { from: [messageFor('from', text)] }
  const errors = changeErrors({ ...rule, ...continued }, rules, { values: set, errors: {} })
  if (continued.startsOn < from) addError(errors, 'starts_on', afterFromText)
  if (refers(set)) Object.assign(errors, referenceErrors(state, { ...valuesIn(rule, fields), ...set }))
  return withQuotaError(errors, state)
}

const refers = (set: RuleFields) => ['account_id', 'category_id', 'type'].some((field) => field in set)

export const recurring: Decisions = { create, update, delete: remove }
