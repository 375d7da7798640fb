import { fieldsOf } from './fields.ts'
import { listingOf, newestFirst } from './listing.ts'
import { type AffectedTransaction, type Fields, pick } from './pending.ts'
import { type Key, keyOf, mapsByNoun, type Noun, nouns, references, type ServedRow } from './rows.ts'
import { keyed, type Shown, type Sources, shownRow } from './shown-row.ts'

/** For more changes than this, sorting all rows again is quicker. */
const maxIncremental = 1_000

export type View = ReturnType<typeof viewOf>

/** The rows with their pending changes applied, kept in order while they change. */
export function viewOf(sources: Sources) {
  const { rows, pending } = sources
  const shownRows: { [N in Noun]: Map<Key, Shown[N]> } = mapsByNoun()
  const listing = listingOf(shownRows.account)
  let changed = new Map<string, [Noun, Key]>()
  let isStale = false

  function put<N extends Noun>(noun: N, key: Key, served?: ServedRow<N>): Shown[N] | undefined {
    const row = shownRow(noun, key, sources, served)
    const all: Map<Key, Shown[N]> = shownRows[noun]
    if (row) all.set(key, row)
    else all.delete(key)
    return row
  }

  /** Shows one row as it is now. */
  function refresh(noun: Noun, key: Key): void {
    if (noun === 'transaction') {
      const before = shownRows[noun].get(key)
      const now = put(noun, key)
      if (!isStale) listing.replace(before, now)
    } else if (noun === 'account') {
      const before = shownRows[noun].get(key)
      const now = put(noun, key)
      // With an account, all its transactions come and go.
      if (!before !== !now) isStale = true
      else if (before && now) listing.restart(before, now)
    } else put(noun, key)
  }

  function order(): void {
    listing.order(shownRows.transaction.values())
    isStale = false
  }

  function get<N extends Noun>(noun: N, key: Key): Shown[N] | undefined {
    const row = shownRows[noun].get(key)
    const isHidden = noun === 'transaction' && !listing.isListed(row as Shown['transaction'] | undefined)
    return isHidden ? undefined : row
  }

  /** The fields of a row that a user can enter. */
  function fields(noun: Noun, key: Key): Fields | undefined {
    const row = get(noun, key)
    return row && pick(row as Fields, fieldsOf(noun))
  }

  for (const noun of nouns) for (const row of rows.byId[noun].values()) put(noun, keyOf(row), row)
  for (const { noun, key } of pending.values()) put(noun, key)
  order()

  return {
    /** Shows one row as it is now, but not yet others that have been changed. */
    show(noun: Noun, key: Key): void {
      refresh(noun, key)
      if (isStale) order()
    },

    markChanged: (noun: Noun, key: Key): void => {
      changed.set(`${noun} ${key}`, [noun, key])
    },

    hasChanged: () => changed.size > 0,

    /** Shows the changed rows as they are now. */
    update(): void {
      if (changed.size > maxIncremental) isStale = true
      const all = [...changed.values()].sort(([a], [b]) => nouns.indexOf(a) - nouns.indexOf(b))
      changed = new Map()
      for (const [noun, key] of all) refresh(noun, key)
      if (isStale) order()
    },

    balanceOf: listing.balanceOf,
    get listed() {
      return listing.listed
    },

    /** A row as the service has it, with keys in place of ids. */
    served(noun: Noun, key: Key): Fields | undefined {
      const row = rows.get(noun, key) as Fields | undefined
      return row && keyed(noun, row, rows)
    },

    all: <N extends Noun>(noun: N): ReadonlyMap<Key, Shown[N]> => shownRows[noun],

    get,
    fields,

    /**
     * The transactions that the deletion of a row affects, newest first: those of an account with their fields, those of a
     * category without. Hidden transactions are included, since the account that hides them may be restored.
     */
    affectedBy(noun: Noun, key: Key): AffectedTransaction[] {
      const own = references.filter(([, of]) => of === noun).map(([field]) => field)
      if (own.length === 0) return []
      const all = [...shownRows.transaction.values()].filter((row) => own.some((field) => row[field] === key))
      // Rows that went with another account are not changed, so a hidden row may be gone.
      const left = all.filter(
        (row) => get('transaction', row.key) ?? shownRow('transaction', row.key, sources),
      )
      return left.sort(newestFirst).map((row) => ({
        key: row.key,
        ...(noun === 'account' && { set: pick({ ...row }, fieldsOf('transaction')) }),
      }))
    },
  }
}
