import type { Copy } from './copy.ts'
import { LedgerError } from './entered.ts'
import type { PendingUpdate } from './memory.ts'
import {
  type AffectedTransaction,
  type Change,
  deletes,
  type Fields,
  groupOf,
  type Named,
  type Pending,
  pick,
  textOf,
  withoutUnchanged,
} from './pending.ts'
import { type Renames, renamed, renamedAffected, renamedOne } from './revive.ts'
import type { Key } from './rows.ts'
import { idOf } from './store.ts'
import { affectedBy, fieldsIn, type View } from './view.ts'

/** The effect of a step on a row: its pending change and its shown fields, before and after. */
export type Done = Named & {
  pendingBefore: Pending | undefined
  pendingAfter: string
  fieldsBefore: Fields | undefined
  fieldsAfter: Fields | undefined
  /** The transactions that are restored with a deleted row. */
  others: AffectedTransaction[]
  /** True if it was made even in a reconciled period. */
  isOverride: boolean | undefined
}

/**
 * The work of undoing a step on a row: it restores the earlier pending change or, if that has changed since, changes the
 * row back.
 */
export function undoWorkOf({ stored, view, updateOf }: Copy, step: Done[], done: Done): PendingUpdate {
  const { noun, key, pendingBefore, pendingAfter } = done
  const change = undoChangeOf(view(), step, done)
  const update = change && updateOf(noun, key, change)
  return {
    ...{ noun, key },
    change(one) {
      if (textOf(one) === pendingAfter) return pendingBefore
      // The user has since kept a row that they had deleted.
      const isKept = change?.op === 'create' && !deletes(one) && stored().rows.get(noun, key)
      return update && !isKept ? update.change(one) : one
    },
  }
}

/**
 * The change that undoes a step on a row. Fields that have been changed since stay as they are, and a category that has
 * been deleted since is left out.
 */
function undoChangeOf(
  view: View,
  step: Done[],
  { noun, key, fieldsBefore, fieldsAfter, others }: Done,
): Change | undefined {
  if (!fieldsBefore) {
    if (noun === 'account' && affectedBy(view, noun, key).length > 0)
      throw new LedgerError('The account has transactions.')
    return fieldsAfter && { op: 'delete', set: {}, was: fieldsAfter }
  }
  const comesBack = (category: Key) => step.some((one) => one.noun === 'category' && one.key === category)
  const withoutLost = (fields: Fields): Fields => {
    const { category_id: category } = fields
    const isLost = typeof category === 'string' && !view.get('category', category) && !comesBack(category)
    return isLost ? { ...fields, category_id: null } : fields
  }
  const set = withoutLost(fieldsBefore)
  if (!fieldsAfter) {
    const back = others.map((other) => (other.set ? { ...other, set: withoutLost(other.set) } : other))
    // The balance checks of an account do not come back.
    const { reconciled_through: _, ...fields } = set
    return { op: 'create', set: fields, was: {}, others: back }
  }
  const now = fieldsIn(view, noun, key)
  // A rule has no field for an exception that it does not have.
  const [before, after] = [
    { ...nullsOf(fieldsAfter), ...set },
    { ...nullsOf(fieldsBefore), ...fieldsAfter },
  ]
  const own = Object.keys(after).filter(
    (field) => now && before[field] !== after[field] && (now[field] ?? null) === after[field],
  )
  const fields = own.flatMap(groupOf)
  return withoutUnchanged({ op: 'update', set: pick(before, fields), was: pick(after, fields) })
}

const nullsOf = (fields: Fields): Fields =>
  Object.fromEntries(Object.keys(fields).map((field) => [field, null]))

/** Puts the new keys of restored rows into a step. */
export function renameDone(done: Done, renames: Renames): void {
  done.pendingBefore &&= renamedOne(done.pendingBefore, renames)
  done.key = renames.get(idOf(done)) ?? done.key
  done.fieldsBefore &&= renamed(done.fieldsBefore, renames)
  done.fieldsAfter &&= renamed(done.fieldsAfter, renames)
  done.others = renamedAffected(done.others, renames)
}
