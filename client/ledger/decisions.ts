import type { FieldErrors } from '../api.ts'
import type { Copy, Work } from './copy.ts'
import { idOf } from './store.ts'
import { type Change, type Fields, groupOf, type Named, pick, type Waiting } from './waiting.ts'

/** Both values of each field. `mine` is null if the row was deleted here, `theirs` if it was deleted elsewhere. */
export type LedgerConflict = Named & { fields: string[]; mine: Fields | null; theirs: Fields | null }
export type LedgerRejection = Named & { op: Change['op']; set: Fields; errors: FieldErrors }

/**
 * Pending changes, and those that a person has to decide about. The service detects conflicts
 * (src/changes/push/conflicts.ts); `leftAfter` applies its outcomes.
 */
export function decisionsOf({ waiting, view, write }: Copy) {
  return {
    /**
     * All pending changes, conflicts and rejections included. `row` has the last known values, even of a deleted row.
     */
    waiting: (): (Named & { row: Fields })[] =>
      [...waiting.values()].map(({ noun, key, sent, next }) => ({
        ...{ noun, key },
        row: { ...(next ?? sent)?.was, ...view().served(noun, key), ...sent?.set, ...next?.set },
      })),

    /** Pending changes that conflict with a change made elsewhere. Mine is shown until the person decides. */
    conflicts(): LedgerConflict[] {
      return [...waiting.values()]
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
      return [...waiting.values()]
        .filter((one) => one.errors !== null)
        .map(({ noun, key, next, errors }) => ({
          ...{ noun, key, errors: errors ?? {}, op: next?.op ?? 'update', set: next?.set ?? {} },
        }))
    },

    /** Drops a rejected change. A creation that may have been stored is sent once more, to find out. */
    async discard({ noun, key }: Named): Promise<void> {
      const change: Work['change'] = (one) =>
        !one?.errors ? one : one.sent ? { ...one, next: null, errors: null } : undefined
      if (waiting.get(idOf({ noun, key }))?.errors) await write([{ noun, key, change }])
    },
  }
}

/** The pending change after keeping mine. `seen` has the values that the person decided against. */
function withMine(waiting: Waiting, seen: Fields | null): Waiting {
  const { next } = waiting
  return { ...waiting, next: next && { ...next, was: { ...next.was, ...seen } }, conflict: null }
}

/** The pending change after keeping theirs: without the conflicting fields that still have the values in `mine`. */
function withTheirs(waiting: Waiting, mine: Fields | null): Waiting | undefined {
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
