import type { CalendarDate } from '../../domain/dates.ts'
import type { FieldErrors } from '../../domain/field-errors.ts'
import { addError, invalidText, messageFor } from '../../domain/field-errors.ts'
import { addExceptionErrors } from '../../domain/recurrence/field-rules.ts'
import { exceptionsAfter, maxExceptions, withExceptions } from '../../domain/recurrence/occurrences.ts'
import { begunOn, chainOf, type FoundRule, responsibleOn } from '../../recurring/chain.ts'
import { afterFromText, continuation, dividedRows, fromError } from '../../recurring/divide.ts'
import { changeErrors } from '../../recurring/next-rule.ts'
import type { Operation } from '../operations-contract.ts'
import type { Outcome } from './outcomes.ts'
import type { ReadRules } from './read-rules.ts'
import { changesNothing, conflictsIn, type RuleChange, withoutReferences } from './rule-changes.ts'
import { type NewRule, newRulesOf } from './rule-occurrences.ts'
import type { RuleWrite, SetFields } from './rule-writes.ts'

/*
 * SQL computes no dates, so the rules are read before an upload that changes them or names their occurrences, and what it
 * does to them is decided here. Its steps then write only if the rules are still those that were read.
 */

export type RulePlan = {
  /** The outcomes of operations that write nothing, or whose writes cannot be refused. */
  outcomes: Outcome[]
  writes: RuleWrite[]
  /** The rules that were read, as they will be. */
  rules: FoundRule[]
  newRules: NewRule[]
}

/** Decides the changes and deletions of rules: those that cannot be refused first, then what SQL has to check. */
export function planRules(operations: Operation[], read: ReadRules): RulePlan {
  const ranked = operations
    .filter(({ noun, kind }) => noun === 'recurring' && kind !== 'create')
    .map((one) => ({ one, rank: rankOf(one) }))
    .sort((a, b) => a.rank - b.rank || a.one.index - b.one.index)
  const plan: RulePlan = { outcomes: [], writes: [], rules: read.rules, newRules: newRulesOf(operations) }
  for (const { one } of ranked) {
    const { outcome, writes = [], rules = [], newRule } = decide(one, { ...read, ...plan })
    if (outcome) plan.outcomes.push(outcome)
    plan.writes.push(...writes)
    if (newRule) plan.newRules.push(newRule)
    plan.rules = plan.rules.map((rule) => rules.find(({ id }) => id === rule.id) ?? rule)
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

/** The rules as they are after the operations that were decided before. */
type Before = ReadRules & RulePlan
/** What becomes of one operation: `rules` are those that it changes. SQL stores the outcome of one that it may refuse. */
type Decision = { outcome?: Outcome; writes?: RuleWrite[]; rules?: FoundRule[]; newRule?: NewRule }

function decide(operation: Operation, before: Before): Decision {
  const { index, kind, id, clientId, set } = operation
  const rule = before.rules.find((one) => (id === null ? one.clientId === clientId : one.id === id))
  if (!rule) return gone(index)
  if (kind === 'delete') return decideDeletion(operation, rule, before)
  return set.from ? decideDivision(operation, rule, before) : decideChange(operation, rule, before)
}

const nothing = { id: null, version: null, fields: null, errors: null, current: null }

const gone = (index: number): Decision => ({ outcome: { ...nothing, index, outcome: 'gone' } })

const done = (index: number, outcome: 'updated' | 'deleted', { id, version }: FoundRule): Outcome => ({
  ...nothing,
  ...{ index, outcome, id, version },
})

/** An outcome that shows the rule as it is. */
const shownAs = (
  index: number,
  outcome: Outcome['outcome'],
  rule: FoundRule,
  fields: string[] | null = null,
): Decision => ({
  outcome: {
    ...nothing,
    ...{ index, outcome, id: rule.id, version: rule.version, fields },
    current: { noun: 'recurring', id: rule.id, row: rule },
  },
})

const invalid = (index: number, errors: FieldErrors): Decision => ({
  outcome: { ...nothing, index, outcome: 'invalid', errors },
})

function decideDeletion({ index, was }: Operation, rule: FoundRule, { ids }: Before): Decision {
  const fields = conflictsIn(rule, was, ids)
  if (fields.length > 0) return shownAs(index, 'conflict', rule, fields)
  return { outcome: done(index, 'deleted', rule), writes: [{ kind: 'delete', index, rule, set: {} }] }
}

/** Changes a rule as a whole, and single occurrences of it and of the rules that continue it. */
function decideChange({ index, set, was }: Operation, named: FoundRule, before: Before): Decision {
  const { ids, rules, today } = before
  const changes = changesByRule(named, set, before)
  const errors = changeErrors(named, rules, { values: set, errors: {} })
  for (const one of changes)
    addOccurrenceErrors(errors, one, { isAllowed: one.rule === named || !refers(set) }, before)
  if (Object.keys(errors).length > 0) return invalid(index, errors)
  // With nothing but occurrences of another rule, the operation is about that one.
  const about = changes.length === 1 && changes[0] ? changes[0].rule : named
  const fields = changes.flatMap((one) => conflictsIn(one.rule, was, ids, one))
  if (fields.length > 0) return shownAs(index, 'conflict', about, fields)
  const changed = changes
    .filter((one) => !changesNothing(one, ids))
    .map((one) => ({ ...one, exceptions: withExceptions(one.rule.exceptions, one.exceptions, today) }))
  if (changed.length === 0) return shownAs(index, 'unchanged', about)
  const next = changed.map(({ rule, set, exceptions }) => ({
    ...rule,
    ...withoutReferences(set),
    ...{ exceptions, version: rule.version + 1 },
  }))
  return {
    ...(!refers(set) && {
      outcome: done(index, 'updated', next.find(({ id }) => id === about.id) ?? about),
    }),
    writes: changed.map((one) => ({ kind: 'update', index, ...one, refers: refers(one.set) })),
    rules: next,
  }
}

/** What an operation changes of the rule that it names, and of those that continue it. */
function changesByRule(named: FoundRule, sent: SetFields, before: Before): RuleChange[] {
  const { exceptions = {}, ...set } = sent
  const byRule = Map.groupBy(Object.entries(exceptions), ([date]) => ruleOn(date, named, before))
  if (byRule.size === 0 || Object.keys(set).length > 0) byRule.set(named, byRule.get(named) ?? [])
  return [...byRule].map(([rule, dates]) => ({
    rule,
    set: rule === named ? set : {},
    exceptions: Object.fromEntries(dates),
  }))
}

/** The rule for a date: the one that is named, or one that continues it. */
function ruleOn(date: CalendarDate, named: FoundRule, { rules, calendarOf }: Before): FoundRule {
  return responsibleOn(chainOf(named, rules), date, (one) => calendarOf(one).first)
}

function addOccurrenceErrors(
  errors: FieldErrors,
  { rule, exceptions }: Pick<RuleChange, 'rule' | 'exceptions'>,
  { isAllowed }: { isAllowed: boolean },
  { today, calendarOf }: Before,
): void {
  const recorded = new Set<CalendarDate>(JSON.parse(rule.recorded))
  for (const [date, exception] of Object.entries(exceptions)) {
    if (!exception) continue
    const field = `exceptions.${date}`
    if (!isAllowed || !calendarOf(rule).has(date)) addError(errors, field, invalidText)
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
function decideDivision({ index, set: sent, was }: Operation, named: FoundRule, before: Before): Decision {
  const { from = '', successor_client_id, exceptions = {}, ...set } = sent as DivisionFields
  const clientId = successor_client_id ?? ''
  const rule = ruleOn(from, named, before)
  const { ids, rules, spent, today } = before
  // This operation was sent before, or another device has divided the rule.
  const successor = rules.find((one) => one.clientId === clientId) ?? begunOn(rule, rules, from)
  if (successor) return shownAs(index, 'duplicate', successor)
  if (spent.has(clientId)) return gone(index)

  const continued = continuation(rule, from, set)
  const errors = divisionErrors({ rule, from, clientId, set, continued }, before)
  addOccurrenceErrors(errors, { rule, exceptions }, { isAllowed: true }, before)
  if (Object.keys(errors).length > 0) return invalid(index, errors)
  const fields = conflictsIn(rule, was, ids, { set, exceptions })
  if (fields.length > 0) return shownAs(index, 'conflict', rule, fields)

  const kept = exceptionsAfter(rule.exceptions, { from, set, today })
  const divided = { ...rule, exceptions: withExceptions(kept, exceptions, today) }
  const rows = dividedRows(divided, from)
  const division = { rule: divided, from, columns: { ...continued, clientId } }
  const newRule = {
    id: null,
    clientId,
    ...continued,
    exceptions: rows.successor.exceptions,
    continues: rule.id,
  }
  const { dueAt: _, ...ended } = rows.ended
  return {
    writes: [{ kind: 'divide', index, rule, set, division }],
    rules: [{ ...rule, ...ended, version: rule.version + 1 }],
    newRule,
  }
}

type DivisionFields = SetFields & { from?: CalendarDate }
type NewDivision = {
  rule: FoundRule
  from: CalendarDate
  clientId: string
  set: SetFields
  continued: ReturnType<typeof continuation>
}

function divisionErrors(
  { rule, from, clientId, set, continued }: NewDivision,
  { rules, newRules, writes, today }: Before,
): FieldErrors {
  if (newRules.some((one) => one.clientId === clientId))
    return { successor_client_id: [messageFor('successor_client_id', invalidText)] }
  // Whether an earlier write of the rule will be refused is not known yet.
  const isUncertain = writes.some(
    (one) => one.rule.id === rule.id && (one.kind === 'divide' || (one.kind === 'update' && one.refers)),
  )
  const text = isUncertain ? invalidText : fromError(rule, from, today)
  if (text) return { from: [messageFor('from', text)] }
  const errors = changeErrors({ ...rule, ...continued }, rules, { values: set, errors: {} })
  if (continued.startsOn < from) addError(errors, 'starts_on', afterFromText)
  return errors
}
