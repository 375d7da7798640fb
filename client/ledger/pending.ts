import { fieldsThatGoTogether } from '../../src/upload/fields-contract.ts'
import type { FieldErrors, UploadAnswer } from '../api.ts'
import type { Key, Noun } from './rows.ts'

export type Value = string | number | boolean | null
export type Fields = Record<string, Value>

/** A change in the form of an upload's operation: accounts and categories are named by their keys. */
export type Change = {
  op: 'create' | 'update' | 'delete'
  set: Fields
  was: Fields
  /** For a deleted row that is restored as a new one: the transactions that its deletion affected. */
  others?: AffectedTransaction[]
  /**
   * It may lack a category: its row existed before, or its category was deleted before it was ever sent.
   */
  mayLackCategory?: boolean
  /** It is made even in a reconciled period. */
  override_reconciled?: true
}

/** With `set`, a transaction that is restored with its account; without, one that gets its restored category again. */
export type AffectedTransaction = { key: Key; set?: Fields }

/** The pending change of one row. It is stored in this form. */
export type Pending = {
  noun: Noun
  key: Key
  /** A sequence number, stored under this name: of rows of one stage (push.ts), the one first touched is sent first. */
  at: number
  /** Sent, with unknown outcome: it is sent again unchanged until there is one. */
  sent: Change | null
  /** The change made since, or the whole change if none was sent. */
  next: Change | null
  /** Fields that conflict with a change made elsewhere: the user decides. */
  conflict: string[] | null
  /** Errors of a rejected change: the user corrects or discards it. */
  errors: FieldErrors | null
}

/** Identifies a pending change. */
export type Named = Pick<Pending, 'noun' | 'key'>

export type Result = UploadAnswer['results'][number]

const together: string[] = [...fieldsThatGoTogether]

/** A field and those that go with it, in changes and in conflicts. */
export const groupOf = (field: string): string[] => (together.includes(field) ? together : [field])

/** Merges a change into a pending change. Undefined if nothing is left to do. */
export function merge(pending: Pending, change: Change): Pending | undefined {
  const next = pending.next ? mergeChanges(pending.next, change) : change
  if (!next && !pending.sent) return undefined
  const isOverride = pending.next?.override_reconciled || change.override_reconciled
  const merged = { ...pending, next: next ?? null, errors: null }
  return isOverride ? overriding(merged) : merged
}

/** The pending change, to be made even in a reconciled period. */
export const overriding = (pending: Pending): Pending => ({
  ...pending,
  next: pending.next && { ...pending.next, override_reconciled: true },
})

/** Two changes as one; undefined if they cancel out, as an unsent creation and its deletion do. */
function mergeChanges(first: Change, then: Change): Change | undefined {
  if (first.op === 'create') {
    if (then.op === 'delete') return undefined
    return {
      ...first,
      ...(then.mayLackCategory && { mayLackCategory: true }),
      set: { ...first.set, ...then.set },
    }
  }
  const was = { ...then.was, ...first.was }
  if (then.op === 'delete') return { op: 'delete', set: {}, was }
  return withoutUnchanged({ op: 'update', set: { ...first.set, ...then.set }, was })
}

/** Leaves out fields that would stay as they were. */
export function withoutUnchanged({ op, set, was }: Change): Change | undefined {
  const isChanged = (field: string) =>
    groupOf(field).some((one) => one in set && !(one in was && set[one] === was[one]))
  const fields = Object.keys(set).filter(isChanged)
  if (fields.length === 0) return undefined
  return { op, set: pick(set, fields), was: pick(was, fields) }
}

export const isUnresolved = ({ conflict, errors }: Pending): boolean => conflict !== null || errors !== null

/** True if the row is to be deleted. */
export const deletes = (pending: Pending | undefined): boolean =>
  (pending?.next ?? pending?.sent)?.op === 'delete'

/** An empty pending change. */
export const newPending = (noun: Noun, key: Key, at: number): Pending => ({
  ...{ noun, key, at, sent: null, next: null, conflict: null, errors: null },
})

/** A pending change as a text, to compare with that of another time. */
export const textOf = (pending: Pending | undefined): string => JSON.stringify(pending ?? null)

/** The creation of a row that may lack a category. */
export const creation = (set: Fields): Change => ({ op: 'create', set, was: {}, mayLackCategory: true })

export function pick(fields: Fields, names: string[]): Fields {
  return Object.fromEntries(
    names.filter((name) => name in fields).map((name) => [name, fields[name] ?? null]),
  )
}

/** Merges the sent change with the later one, as if nothing had been sent. */
function unsent(pending: Pending): Pending | undefined {
  const { sent, next } = pending
  if (!sent) return pending
  const back = { ...pending, sent: null, next: sent }
  return next ? merge(back, next) : back
}

/**
 * The pending change after the outcome of its sent part. Undefined if none is left: it is done, a later change cancels
 * it, or the row that it created has been deleted elsewhere.
 */
export function leftAfter(pending: Pending, { outcome, fields, errors }: Result): Pending | undefined {
  const { sent, next } = pending
  // The deletion was undone here before its outcome arrived, and it did not happen.
  if (sent?.op === 'delete' && next && outcome !== 'deleted' && outcome !== 'gone') return unsent(pending)
  if (outcome === 'conflict') {
    const back = unsent(pending)
    return back && { ...back, conflict: fields ?? [] }
  }
  if (outcome === 'gone' && sent?.op === 'update') return rejected(pending, gone)
  if (outcome === 'invalid') return rejected(pending, errors ?? {})
  return next ? { ...pending, sent: null, conflict: null } : undefined
}

const gone: FieldErrors = { row: ['It has been deleted elsewhere.'] }

/** Marks a pending change as rejected. A row that has been deleted since needs no correction. */
function rejected(pending: Pending, errors: FieldErrors): Pending | undefined {
  const back = unsent(pending)
  if (back?.next?.op === 'delete' && pending.sent?.op !== 'delete') return back
  return back && { ...back, errors }
}
