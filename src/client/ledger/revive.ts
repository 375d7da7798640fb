import { type Key, references } from './rows.ts'
import { idOf, type Stored } from './store.ts'
import { creation, deletes, type Fields, fold, newWaiting, type Other, type Waiting } from './waiting.ts'

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
  /** Undefined for a row that is not there. */
  const categoryOf = (key: Key, one: Waiting | undefined) => {
    const served = rows.get('transaction', key) as Fields | undefined
    return { ...served, ...one?.sent?.set, ...one?.next?.set }.category_id as Key | null
  }
  for (const [id, one] of [...waiting]) {
    const { sent, next } = one
    if (sent || !next?.others) continue
    const { others, ...change } = next
    const key = rename(id)
    waiting.delete(id)
    touched.add(id)
    put({ ...one, key, next: { ...change, again: true } })
    // The oldest first, so that those of a day come back in their order.
    for (const { key: otherKey, set } of renamedOthers(others, renames).reverse()) {
      const otherId = `transaction ${otherKey}`
      const other = waiting.get(otherId)
      const isDeleted = deletes(other)
      if (set) {
        // Its other account has brought it back, or it has been moved to an account that is still there.
        if (isToBeCreated(other) || rows.get('transaction', otherKey)) {
          if (other) put({ ...other, errors: null })
        } else {
          // What waits for the old row, such as an edit since, goes into the new one.
          waiting.delete(otherId)
          touched.add(otherId)
          const next = creation({ ...set, ...other?.sent?.set, ...other?.next?.set })
          if (!isDeleted) put({ ...newWaiting('transaction', rename(otherId), at++), next })
        }
      } else if (!isDeleted && [null, one.key].includes(categoryOf(otherKey, other))) {
        const change = { op: 'update' as const, set: { category_id: key }, was: { category_id: null } }
        const whole = other ?? newWaiting('transaction', otherKey, at++)
        put({ ...(fold(whole, change) as Waiting), errors: whole.errors })
      }
    }
  }
  for (const one of renamedWaiting(waiting, renames)) put(one)
  return { touched, renames }
}

/** False for a creation that was sent or refused: its client id may be spent. */
const isToBeCreated = (one: Waiting | undefined) => one?.next?.op === 'create' && !one.sent && !one.errors

/** What waits and refers to rows that have come back, now by their new keys. */
function renamedWaiting(waiting: ReadonlyMap<string, Waiting>, renames: Renames): Waiting[] {
  if (renames.size === 0) return []
  return [...waiting.values()].flatMap((one) => {
    const { next } = one
    const set = next && renamed(next.set, renames)
    if (!next || !set || (set === next.set && !next.others)) return []
    const others = next.others && { others: renamedOthers(next.others, renames) }
    return [{ ...one, next: { ...next, set, ...others } }]
  })
}

/** Others by their new keys. */
export function renamedOthers(others: Other[], renames: Renames): Other[] {
  return others.map(({ key, set }) => ({
    key: renames.get(`transaction ${key}`) ?? key,
    ...(set && { set: renamed(set, renames) }),
  }))
}

/** The fields, with other rows named by their new keys. */
export function renamed(fields: Fields, renames: Renames): Fields {
  const own = references.flatMap(([field, noun]) => {
    const key = renames.get(`${noun} ${fields[field]}`)
    return key ? [[field, key]] : []
  })
  return own.length === 0 ? fields : { ...fields, ...Object.fromEntries(own) }
}
