import type { Creatable, Entered } from './entered.ts'
import { centsOf, compare, readAmount } from './money.ts'
import { type Key, keyOf, type Noun, nouns, type Rows, references, type ServedRow } from './rows.ts'
import type { Change, Fields, Value, Waiting } from './waiting.ts'

/** What all rows have on the device. */
type Local = {
  key: Key
  /** Null until the service has the row. */
  id: number | null
  /** Orders rows of a day as the service does; those that it does not have yet count as the newest. */
  rank: number
  /** Whether something waits to be sent, or for a person to decide. */
  waits: 'waiting' | 'conflict' | 'rejected' | null
  created_at: string | null
  updated_at: string | null
}
type Replaced = 'id' | 'created_at' | 'updated_at'
type Refs = { account_id: Key; to_account_id: Key | null; category_id: Key | null }

/** Rows as a person sees them: those of the service, with what waits. */
export type Shown = {
  profile: ServedRow<'profile'> & Local
  account: Omit<ServedRow<'account'>, Replaced> & Local
  category: Omit<ServedRow<'category'>, Replaced> & Local
  transaction: Omit<ServedRow<'transaction'>, Replaced | keyof Refs> & Local & Refs
}

/** Rows that wait to be created rank above this, and so above all ids. */
const unlanded = 2 ** 52
/** For more changes than this, it is quicker to put everything in order again. */
const many = 1_000

type Required<T> = { [F in keyof T]-?: object extends Pick<T, F> ? never : F }[keyof T]
/** The fields of a row that need not be entered, other than those that `compose` sets. */
type Blank<N extends Creatable> = Omit<ServedRow<N>, Required<Entered[N]> | 'user_id' | 'client_id'>

/** New rows, before the fields that are entered. Literals, so that apps without a ledger need not bundle them. */
const blank: { [N in Creatable]: Record<keyof Blank<N>, Value> } = {
  account: { id: null, version: 0, created_at: null, updated_at: null, notes: null },
  category: { id: null, version: 0 },
  transaction: {
    id: null,
    version: 0,
    created_at: null,
    updated_at: null,
    to_account_id: null,
    category_id: null,
    description: null,
    reference: null,
    is_synced: false,
  },
}

export type View = ReturnType<typeof viewOf>

/** What is shown: the rows with what waits for them, kept in order while they change. */
export function viewOf(rows: Rows, waiting: ReadonlyMap<string, Waiting>, userId: number) {
  const shown: { [N in Noun]: Map<Key, Shown[N]> } = {
    profile: new Map(),
    account: new Map(),
    category: new Map(),
    transaction: new Map(),
  }
  /** Transactions whose accounts are there, newest first. */
  let listed: Shown['transaction'][] = []
  const balances = new Map<Key, bigint>()
  let touched = new Map<string, [Noun, Key]>()
  let isStale = false

  /** Shows one row as it is now. */
  function refresh(noun: Noun, key: Key): void {
    const before = shown[noun].get(key)
    const now = compose(noun, key)
    if (noun === 'account') {
      // With an account, all its transactions come and go.
      if (!before !== !now) isStale = true
      else balances.set(key, balanceOf(key) + startOf(now) - startOf(before))
    }
    if (noun === 'transaction') unlist(before as Shown['transaction'] | undefined)
    show(noun, key, now)
    if (noun === 'transaction') list(now as Shown['transaction'] | undefined)
  }

  function show(noun: Noun, key: Key, row: Shown[Noun] | undefined): void {
    if (row) (shown[noun] as Map<Key, unknown>).set(key, row)
    else shown[noun].delete(key)
  }

  function compose(noun: Noun, key: Key, served = rows.get(noun, key)): Shown[Noun] | undefined {
    const one = waiting.get(`${noun} ${key}`)
    let row = served as Fields | undefined
    for (const change of [one?.sent, one?.next]) if (change) row = changed(noun, row, change)
    if (!row) return undefined
    const own = keyed(noun, row)
    own.key = key
    own.rank = served?.id ?? unlanded + (one?.at ?? 0)
    own.user_id = userId
    own.waits = waitsOf(one)
    // An offline queue keeps values in the form in which they were given, and what is stored may be damaged.
    if (one && noun === 'account') own.starting_balance = readAmount(row.starting_balance) ?? '0.00'
    if (one && noun === 'transaction') {
      own.amount = readAmount(row.amount) ?? '0.00'
      own.transaction_date = String(row.transaction_date)
    }
    return own as unknown as Shown[Noun]
  }

  /** A copy of a row, with keys in place of ids. */
  function keyed(noun: Noun, row: Fields): Fields {
    const own = { ...row }
    if (noun === 'transaction')
      for (const [field, of] of references) {
        const name = own[field]
        if (name == null) own[field] = null
        else if (!String(name).startsWith('#')) own[field] = rows.keyOf(of, Number(name))
      }
    return own
  }

  const balanceOf = (key: Key) => balances.get(key) ?? 0n
  const isListed = (row: Shown['transaction'] | undefined): row is Shown['transaction'] =>
    row !== undefined &&
    shown.account.has(row.account_id) &&
    (row.to_account_id === null || shown.account.has(row.to_account_id))

  function list(row: Shown['transaction'] | undefined): void {
    if (isStale || !isListed(row)) return
    listed.splice(placeOf(listed, row), 0, row)
    move(row, 1n)
  }

  function unlist(row: Shown['transaction'] | undefined): void {
    if (isStale || !isListed(row)) return
    listed.splice(placeOf(listed, row), 1)
    move(row, -1n)
  }

  function move({ type, amount, account_id, to_account_id }: Shown['transaction'], times: bigint): void {
    const cents = centsOf(amount) * times
    balances.set(account_id, balanceOf(account_id) + (type === 'income' ? cents : -cents))
    if (to_account_id !== null) balances.set(to_account_id, balanceOf(to_account_id) + cents)
  }

  /** Puts everything in order. */
  function order(): void {
    listed = [...shown.transaction.values()].filter(isListed).sort(newestFirst)
    balances.clear()
    for (const row of shown.account.values()) balances.set(row.key, startOf(row))
    for (const row of listed) move(row, 1n)
    isStale = false
  }

  /** Shows the rows that have been touched as they are now. */
  function update(): void {
    if (touched.size > many) isStale = true
    const all = [...touched.values()].sort(([a], [b]) => nouns.indexOf(a) - nouns.indexOf(b))
    touched = new Map()
    for (const [noun, key] of all) refresh(noun, key)
    if (isStale) order()
  }

  for (const noun of nouns)
    for (const row of rows.byId[noun].values()) show(noun, keyOf(row), compose(noun, keyOf(row), row))
  for (const { noun, key } of waiting.values()) show(noun, key, compose(noun, key))
  order()

  return {
    /** Shows one row as it is now, but not yet others that have been touched. */
    show(noun: Noun, key: Key): void {
      refresh(noun, key)
      if (isStale) order()
    },
    touch: (noun: Noun, key: Key): void => {
      touched.set(`${noun} ${key}`, [noun, key])
    },
    update,
    balanceOf,
    get listed(): readonly Shown['transaction'][] {
      return listed
    },
    /** A row as the service has it. */
    served(noun: Noun, key: Key): Fields | undefined {
      const row = rows.get(noun, key) as Fields | undefined
      return row && keyed(noun, row)
    },
    all: <N extends Noun>(noun: N): ReadonlyMap<Key, Shown[N]> => shown[noun],
    get<N extends Noun>(noun: N, key: Key): Shown[N] | undefined {
      const row = shown[noun].get(key)
      return noun === 'transaction' && !isListed(row as Shown['transaction'] | undefined) ? undefined : row
    },
  }
}

function startOf(row: object | undefined): bigint {
  return centsOf((row as Shown['account'] | undefined)?.starting_balance ?? '0.00')
}

function changed(noun: Noun, row: Fields | undefined, { op, set }: Change): Fields | undefined {
  if (op === 'delete') return undefined
  if (op === 'create') return { ...blank[noun as Creatable], ...row, ...set }
  return row && { ...row, ...set }
}

function waitsOf(waiting: Waiting | undefined): Local['waits'] {
  if (!waiting) return null
  if (waiting.errors) return 'rejected'
  return waiting.conflict ? 'conflict' : 'waiting'
}

type Placed = Pick<Shown['transaction'], 'transaction_date' | 'rank'> & { key?: Key }

function newestFirst(a: Placed, b: Placed): number {
  if (a.transaction_date !== b.transaction_date) return a.transaction_date < b.transaction_date ? 1 : -1
  // Two tabs may have made rows of the same rank.
  return b.rank - a.rank || compare(b.key ?? '', a.key ?? '')
}

/** Where a row stands, or would stand, in a list of the newest first. */
export function placeOf(list: readonly Placed[], row: Placed): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (newestFirst(list[middle] as Placed, row) < 0) low = middle + 1
    else high = middle
  }
  return low
}
