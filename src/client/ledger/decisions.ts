import type { FieldErrors } from '../api.ts'
import type { Copy, Work } from './copy.ts'
import { idOf } from './store.ts'
import { type Change, type Fields, type Named, pick, withMine, withTheirs } from './waiting.ts'

/** Both values of each field; `mine` is null if the person has deleted the row, `theirs` if somebody else has. */
export type LedgerConflict = Named & { fields: string[]; mine: Fields | null; theirs: Fields | null }
export type LedgerRejection = Named & { op: Change['op']; set: Fields; errors: FieldErrors }

/** What waits, and what of it a person has to decide. */
export function decisionsOf({ waiting, view, write }: Copy) {
  return {
    /** What waits to be sent, for a person or for a network; `row` is what is known of the row, even a deleted one. */
    waiting: (): (Named & { row: Fields })[] =>
      [...waiting.values()].map(({ noun, key, sent, next }) => ({
        ...{ noun, key },
        row: { ...(next ?? sent)?.was, ...view().served(noun, key), ...sent?.set, ...next?.set },
      })),

    /** What conflicts with somebody else's change. It is shown as mine until the person decides. */
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

    /** Decides a conflict: what the person did is done, unless somebody has changed the row again since. */
    keepMine: ({ noun, key, theirs }: LedgerConflict): Promise<void> =>
      write([{ noun, key, change: (one) => (one?.conflict ? withMine(one, theirs) : one) }]),

    /** Decides a conflict: the fields stay as somebody else has them. What did not conflict, or came later, still waits. */
    keepTheirs: ({ noun, key, mine }: LedgerConflict): Promise<void> =>
      write([{ noun, key, change: (one) => (one?.conflict ? withTheirs(one, mine) : one) }]),

    /** What the service has refused. `update` corrects it and queues it again, `discard` drops it. */
    rejected(): LedgerRejection[] {
      return [...waiting.values()]
        .filter((one) => one.errors !== null)
        .map(({ noun, key, next, errors }) => ({
          ...{ noun, key, errors: errors ?? {}, op: next?.op ?? 'update', set: next?.set ?? {} },
        }))
    },

    /** Drops what the service has refused. What may have landed before is still sent, to find out. */
    async discard({ noun, key }: Named): Promise<void> {
      const change: Work['change'] = (one) =>
        !one?.errors ? one : one.sent ? { ...one, next: null, errors: null } : undefined
      if (waiting.get(idOf({ noun, key }))?.errors) await write([{ noun, key, change }])
    },
  }
}
