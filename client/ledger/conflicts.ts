import type { FieldErrors } from '../api.ts'
import type { Copy } from './copy.ts'
import type { PendingUpdate } from './memory.ts'
import { type Change, type Fields, groupOf, type Named, overriding, type Pending, pick } from './pending.ts'
import { reconciledThroughOf } from './reconciled.ts'
import { idOf } from './store.ts'

/** Both values of each field. `mine` is null if the row was deleted here, `theirs` if it was deleted elsewhere. */
export type LedgerConflict = Named & { fields: string[]; mine: Fields | null; theirs: Fields | null }
/** `reconciled_through` is the last day of the reconciled period that the change is in. */
export type LedgerRejection = Named & {
  op: Change['op']
  set: Fields
  errors: FieldErrors
  reconciled_through: string | null
}

/**
 * Pending changes, conflicts and rejections, and how the user resolves them. The service detects conflicts
 * (src/upload/decide/conflicts.ts); `leftAfter` applies its outcomes.
 */
export function conflictsOf(copy: Copy) {
  const { pending, view, write } = copy
  return {
    /**
     * All pending changes, conflicts and rejections included. `row` has the last known values, even of a deleted row.
     */
    waiting: (): (Named & { row: Fields })[] =>
      [...pending.values()].map(({ noun, key, sent, next }) => ({
        ...{ noun, key },
        row: { ...(next ?? sent)?.was, ...view().served(noun, key), ...sent?.set, ...next?.set },
      })),

    /** Pending changes that conflict with a change made elsewhere. Mine is shown until the user resolves it. */
    conflicts(): LedgerConflict[] {
      return [...pending.values()]
        .filter((one) => one.conflict && !one.errors)
        .map(({ noun, key, conflict, next }) => {
          const fields = conflict ?? []
          const row = view().served(noun, key)
          const mine = next?.op === 'delete' ? null : pick(next?.set ?? {}, fields)
          return { noun, key, fields, mine, theirs: row ? pick(row, fields) : null }
        })
    },

    /** Keeps mine: the next sync sends it, and conflicts again only if the row has changed again by then. */
    keepMine: ({ noun, key, theirs }: LedgerConflict): Promise<void> =>
      write([{ noun, key, change: (one) => (one?.conflict ? withMine(one, theirs) : one) }]),

    /** Keeps theirs: drops my values of the conflicting fields. Other fields, and later changes, stay pending. */
    keepTheirs: ({ noun, key, mine }: LedgerConflict): Promise<void> =>
      write([{ noun, key, change: (one) => (one?.conflict ? withTheirs(one, mine) : one) }]),

    /** Changes that the service has rejected, or that are damaged. `update` corrects one, `discard` drops it. */
    rejected(): LedgerRejection[] {
      return [...pending.values()]
        .filter((one) => one.errors !== null)
        .map((one) => ({
          ...{ noun: one.noun, key: one.key, errors: one.errors ?? {} },
          ...{ op: one.next?.op ?? 'update', set: one.next?.set ?? {} },
          reconciled_through: reconciledThroughOf(copy, one),
        }))
    },

    /** Sends a rejected change again, to be made even in a reconciled period. */
    overrideReconciled: ({ noun, key }: Named): Promise<void> =>
      write([
        {
          noun,
          key,
          change: (one) => (one?.errors && one.next ? { ...overriding(one), errors: null } : one),
        },
      ]),

    /** Drops a rejected change. A creation that may have been stored is sent once more, to learn its outcome. */
    async discard({ noun, key }: Named): Promise<void> {
      const change: PendingUpdate['change'] = (one) =>
        !one?.errors ? one : one.sent ? { ...one, next: null, errors: null } : undefined
      if (pending.get(idOf({ noun, key }))?.errors) await write([{ noun, key, change }])
    },
  }
}

/** The pending change after keeping mine. `seen` has the values that the user decided against. */
function withMine(pending: Pending, seen: Fields | null): Pending {
  const { next } = pending
  return { ...pending, next: next && { ...next, was: { ...next.was, ...seen } }, conflict: null }
}

/** The pending change after keeping theirs: without the conflicting fields that still have the values in `mine`. */
function withTheirs(pending: Pending, mine: Fields | null): Pending | undefined {
  const { next } = pending
  const conflict = pending.conflict ?? []
  if (next?.op !== 'update') return mine ? pending : undefined
  const isOther = (field: string) =>
    conflict.includes(field) && field in next.set && next.set[field] !== mine?.[field]
  const left = conflict.filter((field) => groupOf(field).some(isOther))
  const lost = new Set(conflict.filter((field) => !left.includes(field)).flatMap(groupOf))
  const fields = Object.keys(next.set).filter((field) => !lost.has(field))
  if (fields.length === 0) return undefined
  return {
    ...pending,
    conflict: left.length > 0 ? left : null,
    next: { ...next, set: pick(next.set, fields), was: pick(next.was, fields) },
  }
}
