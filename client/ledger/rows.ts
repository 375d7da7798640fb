import { changedNouns, transactionTypes } from '../../src/shared/types.ts'
import type { Feed } from '../api.ts'
import { readJson } from '../errors.ts'
import { move, startingBalances } from './balances.ts'
import { totalOf } from './money.ts'

type FeedChange = Feed['changes'][number]
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

const clientOf = ({ client_id }: Identified) => client_id

export const nouns: readonly Noun[] = changedNouns

/** An empty map for each noun. */
export const mapsByNoun = () => ({
  profile: new Map(),
  account: new Map(),
  category: new Map(),
  transaction: new Map(),
})

/** The fields of a transaction that name other rows, and the nouns of these. */
export const references = [
  ['account_id', 'account'],
  ['to_account_id', 'account'],
  ['category_id', 'category'],
] as const

/** The noun that a field refers to; undefined if it refers to none. */
export const nounOf = (field: string) => references.find(([name]) => name === field)?.[1]

const isId = (one: unknown): boolean => Number.isSafeInteger(one)
const isIdOrNone = (one: unknown): boolean => one === null || isId(one)
const types: readonly unknown[] = transactionTypes
const isDate = (one: unknown): boolean => typeof one === 'string' && /^\d{4}-\d\d-\d\d$/.test(one)
export const isAmount = (one: unknown): boolean => typeof one === 'string' && /^-?\d+\.\d\d$/.test(one)

/** False for a row that cannot be read: it is damaged, or not the service's. */
function isRow(noun: string, row: Record<string, unknown> | null | undefined): boolean {
  if (!isId(row?.id)) return false
  if (noun === 'account') return isAmount(row?.starting_balance)
  if (noun !== 'transaction') return nouns.includes(noun as Noun)
  const { type, amount, transaction_date, account_id, to_account_id, category_id } = row ?? {}
  return (
    types.includes(type) &&
    isAmount(amount) &&
    isDate(transaction_date) &&
    isId(account_id) &&
    isIdOrNone(to_account_id) &&
    isIdOrNone(category_id)
  )
}

/** True for a change of the feed that can be read. Unknown nouns are fine: there will be others. */
export const isFeedChange = (one: FeedChange | null): boolean =>
  one !== null &&
  (!nouns.includes(one.noun) || one.data === null || (isRow(one.noun, one.data) && one.data.id === one.id))

/** Rows are stored in blocks of neighbouring ids: one block is quick to write, and few blocks are quick to read. */
const blockSize = 256

export type Rows = ReturnType<typeof servedRows>

/** The rows as the service has sent them, and which blocks of them have changed since they were stored. */
export function servedRows() {
  const byId: { [N in Noun]: Map<number, ServedRow<N>> } = mapsByNoun()
  const idsByClientId: { [N in Noun]: Map<string, number> } = mapsByNoun()
  const changed = new Set<string>()

  function put(noun: Noun, row: ServedRow): void {
    const rows: Map<number, ServedRow> = byId[noun]
    rows.set(row.id, row)
    const client = clientOf(row)
    if (client != null) idsByClientId[noun].set(client, row.id)
  }

  function remove(noun: Noun, id: number): Key | undefined {
    const row = byId[noun].get(id)
    if (!row) return undefined
    byId[noun].delete(id)
    idsByClientId[noun].delete(clientOf(row) ?? '')
    return keyOf(row)
  }

  function rowsIn(block: string): ServedRow[] {
    const ids = Array.from({ length: blockSize }, (_, at) => numberOfBlock(block) * blockSize + at)
    return ids.map((id) => byId[nounOfBlock(block)].get(id)).filter((row) => row !== undefined)
  }

  /** Takes a page of the feed, and reports each row that may have changed. */
  function fold(changes: FeedChange[], onChange: (noun: Noun, key: Key) => void): void {
    for (const { noun, id, data } of changes) {
      if (!nouns.includes(noun)) continue
      if (data) {
        put(noun, data)
        changed.add(blockOf(noun, id))
        onChange(noun, keyOf(data))
        continue
      }
      const key = remove(noun, id)
      if (key !== undefined) {
        changed.add(blockOf(noun, id))
        onChange(noun, key)
      }
      if (noun === 'account') removeTransactionsOf(id)
      if (noun === 'category') forgetCategory(id)
    }
  }

  /** Nothing is reported: without its account a transaction is not shown. */
  function removeTransactionsOf(account: number): void {
    for (const { id, account_id, to_account_id } of byId.transaction.values())
      if (account_id === account || to_account_id === account) {
        remove('transaction', id)
        changed.add(blockOf('transaction', id))
      }
  }

  /** Nothing is reported: a category that is gone is not shown. */
  function forgetCategory(category: number): void {
    for (const row of byId.transaction.values()) {
      if (row.category_id !== category) continue
      put('transaction', { ...row, category_id: null })
      changed.add(blockOf('transaction', row.id))
    }
  }

  return {
    byId,
    put,
    fold,

    get<N extends Noun>(noun: N, key: Key): ServedRow<N> | undefined {
      return byId[noun].get(key.startsWith('#') ? (idsByClientId[noun].get(key.slice(1)) ?? 0) : Number(key))
    },

    /** The key of an account or a category, even of one that has not arrived yet. */
    keyOf(noun: 'account' | 'category', id: number): Key {
      const row = byId[noun].get(id)
      return row ? keyOf(row) : String(id)
    },

    /** Takes the changed blocks to be stored, null for those without rows. */
    takeChanged(): [block: string, value: string | null][] {
      const blocks = [...changed]
      changed.clear()
      return blocks.map((block) => {
        const rows = rowsIn(block)
        return [block, rows.length > 0 ? JSON.stringify(rows) : null]
      })
    },

    /** Reads a stored block. False if it is damaged. */
    readBlock(block: string, value: string): boolean {
      const rows = readRows(block, value)
      for (const row of rows ?? []) put(nounOfBlock(block), row)
      return rows !== undefined
    },

    /** Reads a stored block again, null if it is gone, and reports each row that has changed. False if it is damaged. */
    readBlockAgain(block: string, value: string | null, onChange: (noun: Noun, key: Key) => void): boolean {
      const noun = nounOfBlock(block)
      const rows = value === null ? [] : readRows(block, value)
      if (!rows) return false
      const left = new Set(rows.map(({ id }) => id))
      for (const row of rowsIn(block)) {
        if (left.has(row.id)) continue
        remove(noun, row.id)
        onChange(noun, keyOf(row))
      }
      for (const row of rows) {
        if (JSON.stringify(byId[noun].get(row.id)) === JSON.stringify(row)) continue
        put(noun, row)
        onChange(noun, keyOf(row))
      }
      return true
    },

    /** True if the rows add up to these balances: none is missing, and none is there that should not be. */
    addUpTo(balances: NonNullable<Feed['balances']>): boolean {
      const sums = startingBalances(byId.account)
      for (const row of byId.transaction.values()) move(sums, row)
      const isRight = (one: (typeof balances)[number]) =>
        totalOf(sums.get(one.account_id) ?? 0n) === one.balance
      return sums.size === balances.length && balances.every(isRight)
    },
  }
}

/** The rows of a stored block; undefined if it is damaged. */
function readRows(block: string, value: string): ServedRow[] | undefined {
  const rows = readJson(value)
  const isOwn = (row: ServedRow) =>
    isRow(nounOfBlock(block), row) && Math.floor(row.id / blockSize) === numberOfBlock(block)
  return Array.isArray(rows) && rows.length > 0 && rows.every(isOwn) ? rows : undefined
}

const nounOfBlock = (block: string) => block.split('/')[0] as Noun
const numberOfBlock = (block: string) => Number(block.split('/')[1])

function blockOf(noun: Noun, id: number): string {
  return `${noun}/${Math.floor(id / blockSize)}`
}
