import { enteredFields, fieldsOf } from './fields.ts'
import { listingOf } from './listing.ts'
import { newestFirst } from './order.ts'
import { type AffectedTransaction, type Fields, type Pending, pick } from './pending.ts'
import { type Key, keyOf, type Noun, nouns, references } from './rows.ts'
import { keyed, refersTo, type Shown, type Sources, shownRow } from './shown-row.ts'
import { shownRowsOf } from './shown-rows.ts'

/** For more changes than this, sorting all rows again is quicker. */
const maxIncremental = 1_000

export type View = ReturnType<typeof viewOf>

/** The rows with their pending changes applied, kept in order while they change. */
export function viewOf(sources: Sources) {
  const { rows, pending } = sources
  const all = shownRowsOf(sources)
  const { shown, edited, changed } = all
  const accountOf = (name: Key | number) => (typeof name === 'string' ? name : rows.keyOf('account', name))
  const listing = listingOf(shown.account, accountOf)
  let isStale = false

  /** Shows one row as it is now. */
  function refresh(noun: Noun, key: Key): void {
    const [before, account] = [all.listed(key), shown.account.get(key)]
    all.take(noun, key)
    if (noun === 'transaction' && !isStale) listing.replace(before, all.listed(key))
    if (noun !== 'account') return
    const now = shown.account.get(key)
    // With an account, all its transactions come and go.
    if (!account !== !now) isStale = true
    else if (account && now) listing.restart(account, now)
  }

  function order(): void {
    listing.order(rows, all.differing())
    isStale = false
  }

  /** A row by its key or, for an account or a category, its id. */
  function get<N extends Noun>(noun: N, name: Key | number): Shown[N] | undefined {
    if (noun === 'account' || noun === 'category')
      return shown[noun].get(typeof name === 'string' ? name : rows.keyOf(noun, name))
    if (noun === 'transaction') {
      const row = all.listed(String(name))
      return listing.isListed(row) ? (all.present(row) as Shown[N]) : undefined
    }
    const key =
      noun === 'recurring' && typeof name === 'number' ? rows.keyOf('recurring', name) : String(name)
    const row = shown[noun].get(key)
    const isThere = (account: Key | null | undefined) => account == null || shown.account.has(account)
    const { account_id, to_account_id } = (row ?? {}) as Partial<Shown['recurring']>
    return isThere(account_id) && isThere(to_account_id) ? row : undefined
  }

  for (const noun of nouns)
    if (noun !== 'transaction') for (const row of rows.byId[noun].values()) all.take(noun, keyOf(row))
  for (const { noun, key } of pending.values()) all.take(noun, key)
  order()

  return {
    /** Shows one row as it is now, but not yet others that have been changed. */
    show(noun: Noun, key: Key): void {
      refresh(noun, key)
      if (isStale) order()
    },

    /** Notes that a row is to be shown again; `before` is what the service had sent until now. */
    markServed: all.mark,
    markChanged: (noun: Noun, key: Key): void => all.mark(noun, key, rows.get(noun, key)),
    hasChanged: () => changed.size > 0,

    /** Shows the changed rows as they are now. */
    update(): void {
      if (changed.size > maxIncremental) isStale = true
      const inOrder = [...changed.values()].sort((a, b) => nouns.indexOf(a.noun) - nouns.indexOf(b.noun))
      for (const { noun, key } of inOrder) refresh(noun, key)
      if (isStale) order()
    },

    accountOf,
    /** The key of a rule, by its key or id. */
    ruleOf: (name: Key | number) => (typeof name === 'string' ? name : rows.keyOf('recurring', name)),
    balanceOf: listing.balanceOf,
    get listed() {
      return listing.listed
    },
    present: all.present,

    /** A row as the service has it, with keys in place of ids. */
    served(noun: Noun, key: Key): Fields | undefined {
      const row = rows.get(noun, key) as Fields | undefined
      return row && keyed(noun, row, rows)
    },

    /** A row as it would be shown with this pending change. */
    withPending: (noun: Noun, key: Key, one: Pending | undefined): Fields | undefined =>
      shownRow(noun, key, sources, rows.get(noun, key), one) as Fields | undefined,

    all: <N extends Exclude<Noun, 'transaction'>>(noun: N): ReadonlyMap<Key, Shown[N]> => shown[noun],
    /** A transaction with a pending change, even if it is hidden. */
    edited: (key: Key): Shown['transaction'] | undefined => edited.get(key),
    transactions: all.transactions,
    get,
  }
}

/** The fields of a row that a user can enter. */
export function fieldsIn(view: View, noun: Noun, key: Key): Fields | undefined {
  const row = view.get(noun, key)
  return row && enteredFields(noun, row as Fields)
}

/**
 * The transactions that the deletion of a row affects, newest first: those of an account with their fields, those of a
 * category without. Hidden transactions are included, since the account that hides them may be restored.
 */
export function affectedBy(
  { get, transactions, present }: View,
  noun: Noun,
  key: Key,
): AffectedTransaction[] {
  // A transaction of a deleted rule stays as it is.
  const own = references.filter(([, of]) => of === noun && of !== 'recurring').map(([field]) => field)
  const row = get(noun, key) ?? { key, id: null }
  const affected = own.length === 0 ? [] : transactions()
  return affected
    .filter((one) => own.some((field) => refersTo(one[field], row)))
    .sort(newestFirst)
    .map(present)
    .map((one) => ({
      key: one.key,
      ...(noun === 'account' && { set: pick({ ...one }, fieldsOf('transaction')) }),
    }))
}
