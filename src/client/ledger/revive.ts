import { type Key, references } from './rows.ts'
import { idOf, type Stored } from './store.ts'
import { type Change, creation, deletes, type Fields, fold, newWaiting, type Waiting } from './waiting.ts'

/** The new keys of rows that have come back, by their old ids. */
export type Renames = Map<string, Key>

/**
 * Turns deleted rows that come back into new rows, along with what went with them. A row whose deletion has not been
 * answered yet has to wait. Sequence numbers continue from `at`. Returns which rows have changed, and the new keys.
 */
export function revive(
  { waiting, rows }: Stored,
  newKey: () => Key,
  at: number,
): { touched: Set<string>; renames: Renames } {
  const touched = new Set<string>()
  const renames: Renames = new Map()
  const put = (one: Waiting) => {
    waiting.set(idOf(one), one)
    touched.add(idOf(one))
  }
  const rename = (id: string) => renames.set(id, newKey()).get(id) as Key
  for (const [id, one] of [...waiting]) {
    const { sent, next } = one
    if (sent || !next?.others) continue
    const { others, ...change } = next
    const key = rename(id)
    waiting.delete(id)
    touched.add(id)
    put({ ...one, key, next: { ...change, again: true } })
    // The oldest first, so that those of a day come back in their order.
    for (const { key: otherKey, set } of [...others].reverse()) {
      const otherId = `transaction ${otherKey}`
      const other = waiting.get(otherId) ?? newWaiting('transaction', otherKey, at++)
      const isLeft = deletes(other) || (other.next && 'category_id' in other.next.set)
      if (set) put({ ...newWaiting('transaction', rename(otherId), at++), next: creation(set) })
      else if (rows.get('transaction', otherKey)?.category_id === null && !isLeft) {
        const change = { op: 'update' as const, set: { category_id: key }, was: { category_id: null } }
        put({ ...(fold(other, change) as Waiting), errors: other.errors })
      }
    }
  }
  for (const one of renamedWaiting(waiting, renames)) put(one)
  return { touched, renames }
}

/** What waits and refers to rows that have come back, now by their new keys. */
function renamedWaiting(waiting: ReadonlyMap<string, Waiting>, renames: Renames): Waiting[] {
  if (renames.size === 0) return []
  return [...waiting.values()].flatMap((one) => {
    const set = one.next && renamed(one.next.set, renames)
    return set && set !== one.next?.set ? [{ ...one, next: { ...(one.next as Change), set } }] : []
  })
}

/** The fields, with other rows named by their new keys. */
export function renamed(fields: Fields, renames: Renames): Fields {
  const own = references.flatMap(([field, noun]) => {
    const key = renames.get(`${noun} ${fields[field]}`)
    return key ? [[field, key]] : []
  })
  return own.length === 0 ? fields : { ...fields, ...Object.fromEntries(own) }
}
