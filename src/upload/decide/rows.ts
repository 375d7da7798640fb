import type { CalendarDate } from '../../domain/dates.ts'
import type { FieldErrors } from '../../domain/field-errors.ts'
import type { Change } from '../../feed/rows.ts'
import { withRuleErrors } from '../../transactions/contract-rules.ts'
import type { Operation } from '../contract.ts'
import { conflictsIn, isAs, type Values } from './conflicts.ts'
import {
  changed,
  created,
  gone,
  invalid,
  isEmpty,
  lockError,
  type Outcome,
  type Ref,
  shownAs,
} from './outcomes.ts'
import { exists, isSpent, refOf, resolved, type State, settled, valuesIn, write } from './state.ts'

type Creation = {
  /** The row that it would create again. */
  known: Change | undefined
  errors: () => FieldErrors
  columns: Values
}

/**
 * Decides a creation. It is a duplicate if its client id already has a row, gone if that row has been deleted, and invalid if
 * it would break a rule.
 */
export function createRow(operation: Operation, state: State, { known, errors, columns }: Creation): Outcome {
  const { noun, clientId } = operation
  if (known) return shownAs(operation, 'duplicate', known)
  if (isSpent(state, operation)) return gone(operation)
  const broken = errors()
  if (!isEmpty(broken)) return invalid(operation, broken)
  const id = refOf(operation)
  state.refs.get(noun)?.set(clientId ?? '', id)
  write(state, `create ${noun}`, { clientId, columns })
  return created(operation, id)
}

type RowChange = {
  current: Change
  /** The fields that may conflict. */
  fields: readonly string[]
  together?: readonly string[]
  errors?: FieldErrors
  /** The last day of the reconciled period that the change is in. */
  lock?: { field: string; through: CalendarDate | null | undefined }
  /** What is written, by default what the operation sets. */
  columns?: Values
  step?: string
}

/**
 * Decides the update or the deletion of a row:
 *
 * 1. An update that would break a rule is invalid.
 * 2. A change conflicts as a whole if any of its fields does.
 * 3. An update that would change nothing leaves the row unchanged.
 * 4. A change in a reconciled period is invalid, unless it overrides that.
 */
export function changeRow(operation: Operation, state: State, change: RowChange): Outcome {
  const { kind, noun, isOverride } = operation
  const { current, fields, together, errors = {}, lock, step = `${kind} ${noun}` } = change
  const [now, was] = [valuesIn(current.row ?? {}, fields), resolved(state, operation.was)]
  const set = kind === 'update' ? settled(state, operation.set) : undefined
  if (!isEmpty(errors)) return invalid(operation, errors, current)
  const conflicting = conflictsIn(fields, { now, was, ...(set && { set }) }, together)
  if (conflicting.length > 0) return shownAs(operation, 'conflict', current, conflicting)
  if (set && isAs(now, set)) return shownAs(operation, 'unchanged', current)
  if (lock?.through && !isOverride) return invalid(operation, lockError(lock.field, lock.through), current)
  write(state, step, { id: current.id, columns: change.columns ?? set ?? {} })
  return changed(operation, set ? 'updated' : 'deleted', current)
}

/** True if an operation is done. */
export const isDone = ({ outcome }: Outcome) => ['created', 'updated', 'deleted'].includes(outcome)

/** The errors of the rules about the accounts and the category of a transaction, single or recurring. */
export function referenceErrors(state: State, row: Values, needsCategory = false): FieldErrors {
  const isThere = (noun: 'account' | 'category', ref: Ref) => exists(state, noun, ref)
  return withRuleErrors<Ref>(row, { exists: isThere, isNew: needsCategory, errors: {} })
}
