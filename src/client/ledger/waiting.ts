import type { FieldErrors, UploadAnswer } from '../api.ts'
import type { Key, Noun } from './rows.ts'

export type Value = string | number | boolean | null
export type Fields = Record<string, Value>

/** A change in the form of an upload's operation: accounts and categories are named by their keys. */
export type Change = {
  op: 'create' | 'update' | 'delete'
  set: Fields
  was: Fields
  /** For a deleted row that comes back as a new one: the transactions that come back with it. */
  others?: Other[]
  /** The row was there before, so it may have no category. */
  again?: boolean
}

/** A transaction that went with its account; without `set`, one that lost its category. */
export type Other = { key: Key; set?: Fields }

/** What waits for one row. It is stored in this form. */
export type Waiting = {
  noun: Noun
  key: Key
  /** The order in which rows were first touched. */
  at: number
  /** Sent, with unknown outcome: it goes out again just as it was, until there is an answer. */
  sent: Change | null
  /** What the person has done since. */
  next: Change | null
  /** The fields that, as the service has found, somebody else has changed: a person decides. */
  conflict: string[] | null
  /** Why the service has refused it: a person corrects or discards it. */
  errors: FieldErrors | null
}

/** Names what waits for one row. */
export type Named = Pick<Waiting, 'noun' | 'key'>

export type Result = UploadAnswer['results'][number]

/** The contract's `fieldsThatGoTogether`. */
const together = ['type', 'account_id', 'to_account_id']

/** A field and those that go with it, in changes and in conflicts. */
export const groupOf = (field: string): string[] => (together.includes(field) ? together : [field])

/** Adds a change to what waits for a row. Undefined if nothing is left to do. */
export function fold(waiting: Waiting, change: Change): Waiting | undefined {
  const next = waiting.next ? foldChanges(waiting.next, change) : change
  if (!next && !waiting.sent) return undefined
  return { ...waiting, next: next ?? null, errors: null }
}

/** Two changes as one; undefined if they cancel out, as an unsent creation and its deletion do. */
function foldChanges(first: Change, then: Change): Change | undefined {
  if (first.op === 'create') {
    if (then.op === 'delete') return undefined
    return { ...first, ...(then.again && { again: true }), set: { ...first.set, ...then.set } }
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

/** True if the row is to be deleted. */
export const deletes = (waiting: Waiting | undefined): boolean =>
  (waiting?.next ?? waiting?.sent)?.op === 'delete'

/** An entry for a row for which nothing waits yet. */
export const newWaiting = (noun: Noun, key: Key, at: number): Waiting => ({
  ...{ noun, key, at, sent: null, next: null, conflict: null, errors: null },
})

/** The creation of a row that was there before. */
export const creation = (set: Fields): Change => ({ op: 'create', set, was: {}, again: true })

export function pick(fields: Fields, names: string[]): Fields {
  return Object.fromEntries(
    names.filter((name) => name in fields).map((name) => [name, fields[name] ?? null]),
  )
}

/** Merges what was sent with what has been done since, as if nothing had been sent. */
function unsent(waiting: Waiting): Waiting | undefined {
  const { sent, next } = waiting
  if (!sent) return waiting
  const back = { ...waiting, sent: null, next: sent }
  return next ? fold(back, next) : back
}

/** What is left of what waits, after the service has said what became of the part that was sent. */
export function leftAfter(waiting: Waiting, { outcome, fields, errors }: Result): Waiting | undefined {
  const { sent, next } = waiting
  // The deletion was undone before the answer came, which says that it has not been done.
  if (sent?.op === 'delete' && next && outcome !== 'deleted' && outcome !== 'gone') return unsent(waiting)
  if (outcome === 'conflict') {
    const back = unsent(waiting)
    return back && { ...back, conflict: fields ?? [] }
  }
  if (outcome === 'gone' && sent?.op === 'update') return refuse(waiting, gone)
  // Its client id is spent: the row had landed, and somebody has deleted it since.
  if (outcome === 'invalid' && sent?.op === 'create' && errors?.client_id)
    return next?.op === 'update' ? refuse({ ...waiting, sent: null }, gone) : undefined
  if (outcome === 'invalid') return refuse(waiting, errors ?? {})
  return next ? { ...waiting, sent: null, conflict: null } : undefined
}

const gone: FieldErrors = { row: ['It has been deleted elsewhere.'] }

/** Keeps what waits, with its errors, for a person to look at. */
export function refuse(waiting: Waiting, errors: FieldErrors): Waiting | undefined {
  const back = unsent(waiting)
  return back && { ...back, errors }
}

/** What waits, with the decision to keep mine: the person has seen what others have made of some fields. */
export function withMine(waiting: Waiting, seen: Fields | null): Waiting {
  const { next } = waiting
  return { ...waiting, next: next && { ...next, was: { ...next.was, ...seen } }, conflict: null }
}

/** What waits, with the decision to keep theirs: the person has seen `mine`. What does not conflict still waits. */
export function withTheirs(waiting: Waiting, mine: Fields | null): Waiting | undefined {
  const { next } = waiting
  const conflict = waiting.conflict ?? []
  if (next?.op !== 'update') return mine ? waiting : undefined
  const isOther = (field: string) =>
    conflict.includes(field) && field in next.set && next.set[field] !== mine?.[field]
  const left = conflict.filter((field) => groupOf(field).some(isOther))
  const lost = new Set(conflict.filter((field) => !left.includes(field)).flatMap(groupOf))
  const fields = Object.keys(next.set).filter((field) => !lost.has(field))
  if (fields.length === 0) return undefined
  return {
    ...waiting,
    conflict: left.length > 0 ? left : null,
    next: { ...next, set: pick(next.set, fields), was: pick(next.was, fields) },
  }
}
