import { fieldsOf } from './fields.ts'
import {
  type Change,
  type Fields,
  leftAfter,
  merge,
  newPending,
  type Pending,
  pick,
  type Result,
  withoutUnchanged,
} from './pending.ts'
import { type Key, keyOf, type Noun } from './rows.ts'
import { isKnownRule, keepChanged, type LedgerRun, referredTo } from './run.ts'
import { keyed } from './shown-row.ts'
import type { Entry } from './store.ts'
import { changeOfDivision } from './successors.ts'

/** Applies the results of the upload to the pending changes, and returns the entries to store. */
export function applyResults(run: LedgerRun): Entry[] {
  const { report, results } = run
  const entries: Entry[] = []
  for (const [id, result] of results) {
    const one = run.stored().pending.get(id)
    if (!one?.sent) continue
    const left = leftAfter(one, result)
    if (moved(run, one, left, result, entries)) continue
    if (result.errors?.recurring_id && !isKnownRule(run, String(one.sent.set.recurring_id))) {
      // The rule has been deleted elsewhere: the transaction is sent again, as an ordinary one.
      run.attempted.delete(id)
      entries.push(keepChanged(run, id, left && { ...left, errors: null }))
      continue
    }
    // Rejected only because a row that it refers to was: it stays pending until that row is corrected.
    const isHeld = result.outcome === 'invalid' && left !== undefined && namesInvalid(run, one)
    entries.push(keepChanged(run, id, isHeld ? { ...left, errors: null } : left))
    if (left?.conflict) report.conflicts += 1
    else if (left?.errors) report.rejected += isHeld ? 0 : 1
    else {
      report.sent += 1
      run.attempted.delete(id)
    }
  }
  results.clear()
  return entries
}

/**
 * If the outcome is about another row, drops this one and moves what is left to the other. Another device may have
 * created the same row, or another rule may continue the named one. Returns true if the outcome was about another row.
 */
function moved(
  run: LedgerRun,
  one: Pending,
  left: Pending | undefined,
  { outcome, data }: Result,
  entries: Entry[],
): boolean {
  const { noun, key } = one
  const isMoved = outcome === 'duplicate' || (outcome === 'conflict' && noun === 'recurring')
  const other = data && 'client_id' in data && isMoved ? keyOf(data) : key
  if (other === key) return false
  entries.push(keepChanged(run, `${noun} ${key}`, undefined))
  const id = `${noun} ${other}`
  const division = one.sent?.set.divides && outcome === 'duplicate' ? changeOfDivision(one.sent) : undefined
  const recorded = outcome === 'duplicate' ? recordedOtherwise(run, one, other) : undefined
  let into = run.stored().pending.get(id) ?? newPending(noun, other, one.at)
  for (const change of [division, recorded, left?.next])
    if (change) into = merge(into, change) ?? { ...into, next: null }
  const conflict = recorded ? Object.keys(recorded.set) : (left?.conflict ?? into.conflict)
  if (into.next) entries.push(keepChanged(run, id, { ...into, conflict }))
  entries.push(...renamed(run, one, other))
  if (conflict) run.report.conflicts += 1
  else run.report.sent += 1
  run.attempted.delete(`${noun} ${key}`)
  return true
}

/** The values of an occurrence recorded here that differ from those recorded on another device. */
function recordedOtherwise(run: LedgerRun, { noun, sent }: Pending, other: Key): Change | undefined {
  const { rows } = run.stored()
  const served = noun === 'transaction' && sent?.set.recurring_id ? rows.get('transaction', other) : undefined
  if (!served || !sent) return undefined
  const was = pick(keyed('transaction', served, rows), fieldsOf('transaction'))
  return withoutUnchanged({ op: 'update', set: pick({ ...was, ...sent.set }, fieldsOf('transaction')), was })
}

/** The fields that name a rule or a category. */
const naming: Partial<Record<Noun, string[]>> = {
  recurring: ['recurring_id', 'divides'],
  category: ['category_id'],
}

/** Lets what refers to a row that was dropped refer to the other one. */
function renamed(run: LedgerRun, { noun, key }: Pending, other: Key): Entry[] {
  const fields = naming[noun] ?? []
  const isNamed = (values: Fields = {}) => fields.some((field) => values[field] === key)
  const rename = (values: Fields): Fields =>
    Object.fromEntries(
      Object.entries(values).map(([field, value]) => [
        field,
        fields.includes(field) && value === key ? other : value,
      ]),
    )
  return [...run.stored().pending].flatMap(([id, one]) => {
    const { next } = one
    if (!next || !(isNamed(next.set) || isNamed(next.was))) return []
    const changed = { ...next, set: rename(next.set), was: rename(next.was) }
    return [keepChanged(run, id, { ...one, next: changed })]
  })
}

/** True if the sent change refers to a row whose creation is invalid as well. */
function namesInvalid(run: LedgerRun, { sent }: Pending): boolean {
  const { pending } = run.stored()
  return referredTo(sent).some((id) => {
    const named = pending.get(id)
    return (
      (named?.sent ?? named?.next)?.op === 'create' &&
      (run.results.get(id)?.outcome === 'invalid' || named?.errors)
    )
  })
}
