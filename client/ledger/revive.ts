import {
  type AffectedTransaction,
  creation,
  deletes,
  type Fields,
  merge,
  newPending,
  overriding,
  type Pending,
  type Value,
} from './pending.ts'
import { type Key, references } from './rows.ts'
import { idOf, type Stored } from './store.ts'

/** The new keys of revived rows, by their old ids. */
export type Renames = Map<string, Key>

/**
 * Turns deleted rows that the user has restored into new rows, with the rows that were deleted with them, if their pending
 * changes are among `ids`. A row whose deletion has no outcome yet stays pending. Sequence numbers continue from `at`.
 * Returns which rows have changed, and the new keys.
 */
export function revive({ pending, rows }: Stored, ids: string[], newKey: () => Key, at: number) {
  const touched = new Set<string>()
  const renames: Renames = new Map()
  const put = (one: Pending) => {
    pending.set(idOf(one), one)
    touched.add(idOf(one))
  }
  const drop = (id: string) => {
    pending.delete(id)
    touched.add(id)
  }
  const rename = (id: string) => renames.set(id, newKey()).get(id) as Key
  /** True for an account that exists or is restored, and for none. */
  const isThere = (account: Value | undefined) =>
    account == null ||
    rows.get('account', String(account)) !== undefined ||
    pending.get(`account ${account}`)?.next?.op === 'create'

  /** Restores a transaction together with its account. */
  function reviveTransaction(key: Key, set: Fields): void {
    const id = `transaction ${key}`
    const other = pending.get(id)
    // Its other account has brought it back, or it has been moved to an account that is still there.
    if (isToBeCreated(other) || rows.get('transaction', key)) {
      if (other) put({ ...other, errors: null })
      return
    }
    // A pending change of the old row, such as a later edit, is merged into the new one.
    const fields = renamed({ ...set, ...other?.sent?.set, ...other?.next?.set }, renames)
    // If its other account is still deleted, it is restored with that one.
    if (!isThere(fields.account_id) || !isThere(fields.to_account_id)) return
    drop(id)
    // As with the deletion of the account, reconciled periods of others do not matter.
    const next = creation(fields)
    if (!deletes(other)) put(overriding({ ...newPending('transaction', rename(id), at++), next }))
  }

  /** Sets a restored category in a transaction that named it and has no other since. */
  function restoreCategory(category: Key, was: Key, key: Key): void {
    const other = pending.get(`transaction ${key}`) ?? newPending('transaction', key, at++)
    const served = rows.get('transaction', key) as Fields | undefined
    const row: Fields = { ...served, ...other.sent?.set, ...other.next?.set }
    if (deletes(other) || (row.category_id !== null && row.category_id !== was)) return
    const change = { op: 'update' as const, set: { category_id: category }, was: { category_id: null } }
    put({ ...(merge(other, change) as Pending), errors: other.errors })
  }

  for (const id of ids) {
    // Read now, since a restored category may have changed it.
    const one = pending.get(id)
    if (!one?.next?.others || one.sent) continue
    const { others, ...change } = one.next
    const key = rename(id)
    drop(id)
    put({ ...one, key, next: { ...change, mayLackCategory: true } })
    // The oldest first, so that those of a day keep their order.
    for (const other of renamedAffected(others, renames).reverse())
      if (other.set) reviveTransaction(other.key, other.set)
      else restoreCategory(key, one.key, other.key)
  }
  if (renames.size === 0) return { touched, renames }
  for (const one of [...pending.values()]) {
    const now = renamedOne(one, renames)
    if (now.next?.others || now.next?.set !== one.next?.set) put(now)
  }
  return { touched, renames }
}

/** False for a creation that was sent or refused: its client id may be spent. */
const isToBeCreated = (one: Pending | undefined) => one?.next?.op === 'create' && !one.sent && !one.errors

/** A pending change, with its row and the affected transactions under their new keys. */
export function renamedOne(one: Pending, renames: Renames): Pending {
  const { next } = one
  const others = next?.others && { others: renamedAffected(next.others, renames) }
  return {
    ...one,
    key: renames.get(idOf(one)) ?? one.key,
    next: next && { ...next, set: renamed(next.set, renames), ...others },
  }
}

/** The affected transactions, by their new keys. */
export function renamedAffected(others: AffectedTransaction[], renames: Renames): AffectedTransaction[] {
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
