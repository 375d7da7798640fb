import { parseRecurrenceRule } from '../../src/domain/recurrence/rule.ts'
import { changedNouns, transactionTypes } from '../../src/domain/types.ts'
import type { Feed } from '../api.ts'
import { type Balances, move } from './balances.ts'
import { indexOf, newestFirst } from './order.ts'

export type FeedChange = Feed['changes'][number]
/** The nouns that the ledger knows; it ignores changes of others. */
export type Noun = FeedChange['noun']
type RowsByNoun = { [N in Noun]: NonNullable<Extract<FeedChange, { noun: N }>['data']> }
export type ServedRow<N extends Noun = Noun> = RowsByNoun[N]

/**
 * The device's own name for a row: `#` and the client id with which it was made, otherwise its id as text. Only a
 * deleted row that is brought back gets a new one. Wherever an upload takes the id of an account or a category, it takes
 * a key as well.
 */
export type Key = string

/** The fields that identify a row. */
type Identified = { id: number; client_id?: string | null }

export function keyOf(row: Identified): Key {
  return row.client_id == null ? String(row.id) : `#${row.client_id}`
}

/** Called for a row that may have changed, with what it was. */
export type OnChange = (noun: Noun, key: Key, before: ServedRow | undefined) => void

const clientOf = ({ client_id }: Identified) => client_id

export const nouns: readonly Noun[] = changedNouns

/** An empty map for each noun. */
export const mapsByNoun = () => ({
  profile: new Map(),
  account: new Map(),
  category: new Map(),
  recurring: new Map(),
  transaction: new Map(),
  balance_check: new Map(),
})

/** The fields of transactions, rules and balance checks that name other rows, and the nouns of these. */
export const references = [
  ['account_id', 'account'],
  ['to_account_id', 'account'],
  ['category_id', 'category'],
  ['recurring_id', 'recurring'],
] as const

/** The noun that a field refers to; undefined if it refers to none. */
export const nounOf = (field: string) => references.find(([name]) => name === field)?.[1]

const isId = (one: unknown): boolean => Number.isSafeInteger(one)
const isIdOrNone = (one: unknown): boolean => one === null || isId(one)
const types: readonly unknown[] = transactionTypes
const isDate = (one: unknown): boolean => typeof one === 'string' && /^\d{4}-\d\d-\d\d$/.test(one)
export const isAmount = (one: unknown): boolean => typeof one === 'string' && /^-?\d+\.\d\d$/.test(one)

/** False for a rule whose dates cannot be computed. */
export function isSchedule({ starts_on, rrule, exceptions }: Record<string, unknown>): boolean {
  try {
    parseRecurrenceRule(String(rrule))
    return isDate(starts_on) && Object.keys(exceptions ?? {}).every(isDate)
  } catch {
    return false
  }
}

/** False for a row that cannot be read: it is damaged, or not the service's. */
export function isRow(noun: string, row: Record<string, unknown> | null | undefined): boolean {
  if (!isId(row?.id)) return false
  if (noun === 'account') return isAmount(row?.starting_balance)
  if (noun === 'balance_check') return isAmount(row?.balance) && isDate(row?.date) && isId(row?.account_id)
  if (noun !== 'transaction' && noun !== 'recurring') return nouns.includes(noun as Noun)
  const { type, amount, account_id, to_account_id, category_id } = row ?? {}
  const isDated = noun === 'transaction' ? isDate(row?.transaction_date) : isSchedule(row ?? {})
  return (
    types.includes(type) &&
    isAmount(amount) &&
    isDated &&
    isId(account_id) &&
    isIdOrNone(to_account_id) &&
    isIdOrNone(category_id)
  )
}

/** True for a change of a noun that the ledger knows. */
export const isKnown = (change: FeedChange): change is Extract<FeedChange, { noun: Noun }> =>
  nouns.some((noun) => noun === change.noun)

/** True for a change of the feed that can be read. Unknown nouns are fine: there will be others. */
export const isFeedChange = (one: FeedChange | null): boolean =>
  one !== null &&
  (!isKnown(one) || one.data === null || (isRow(one.noun, one.data) && one.data.id === one.id))

export type Rows = ReturnType<typeof servedRows>

/** Keeps transactions sorted, and the sums of their movements by account, with work for changed rows only. */
function sortedTransactions() {
  type Row = ServedRow<'transaction'>
  const moved: Balances<number> = new Map()
  let inOrder: Row[] = []
  let added: Row[] = []
  let removed = new Set<Row>()
  const accountOf = (id: number) => id

  return {
    moved,

    replace(before: Row | undefined, now: Row | undefined): void {
      if (before) {
        move(moved, before, accountOf, -1n)
        removed.add(before)
      }
      if (now) {
        move(moved, now, accountOf)
        added.push(now)
      }
    },

    /** All of them, newest first. After many have been added, this takes a while: it is called for each page of them. */
    inOrder(): readonly Row[] {
      if (added.length + removed.size === 0) return inOrder
      const isLeft = (row: Row) => !removed.has(row)
      if (removed.size > 0) inOrder = inOrder.filter(isLeft)
      const others = added.filter(isLeft).sort(newestFirst)
      // Those of a snapshot's next page follow all others; sorting merges where they do not.
      const after = others[0] ? inOrder.splice(indexOf(inOrder, others[0])) : []
      for (const row of [...after, ...others].sort(newestFirst)) inOrder.push(row)
      added = []
      removed = new Set()
      return inOrder
    },
  }
}

/** The rows as the service has sent them. */
export function servedRows() {
  const byId: { [N in Noun]: Map<number, ServedRow<N>> } = mapsByNoun()
  const { moved, inOrder, replace } = sortedTransactions()
  const idsByClientId: { [N in Noun]: Map<string, number> } = mapsByNoun()
  /** The keys of rows that others name, even of deleted ones: those may still be shown. */
  const keys = {
    account: new Map<number, Key>(),
    category: new Map<number, Key>(),
    recurring: new Map<number, Key>(),
  }

  return {
    byId,
    /** The blocks in which rows have changed since they were stored (blocks.ts). */
    changedBlocks: new Set<string>(),

    /** What the transactions move, in cents, by the ids of accounts. */
    moved,
    inOrder,

    put(noun: Noun, row: ServedRow): void {
      const rows: Map<number, ServedRow> = byId[noun]
      if (noun === 'transaction') replace(byId.transaction.get(row.id), row as ServedRow<'transaction'>)
      rows.set(row.id, row)
      const client = clientOf(row)
      if (client != null) idsByClientId[noun].set(client, row.id)
      if (noun === 'account' || noun === 'category' || noun === 'recurring')
        keys[noun].set(row.id, keyOf(row))
    },

    /** Removes a row, and returns it. */
    remove(noun: Noun, id: number): ServedRow | undefined {
      const row = byId[noun].get(id)
      if (noun === 'transaction') replace(byId.transaction.get(id), undefined)
      byId[noun].delete(id)
      if (row) idsByClientId[noun].delete(clientOf(row) ?? '')
      return row
    },

    get<N extends Noun>(noun: N, key: Key): ServedRow<N> | undefined {
      return byId[noun].get(key.startsWith('#') ? (idsByClientId[noun].get(key.slice(1)) ?? 0) : Number(key))
    },

    /** The key of a row that others name, even of one that has not arrived yet. */
    keyOf: (noun: 'account' | 'category' | 'recurring', id: number): Key => keys[noun].get(id) ?? String(id),
  }
}
