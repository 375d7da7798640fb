import { expect } from 'vitest'
import type { ApiResponse, Json } from './answers.ts'

/** A client that reads for a user. */
export type Reader = { get(path: string): Promise<Pick<ApiResponse, 'status' | 'body'>> }

/** A client's copy of everything, kept only by the rules of docs/client.md. */
export class FeedCopy {
  cursor: string | undefined
  profile: Json
  accounts = new Map<number, Json>()
  categories = new Map<number, Json>()
  transactions = new Map<number, Json>()
  balances: Json[] = []
  /** False while rows may refer to others that come on a later page. */
  isWhole = false
  readonly #person: Reader
  /** What a pull that began without a cursor has mentioned so far; undefined once it has ended. */
  #mentioned: Set<string> | undefined = new Set()

  constructor(person: Reader) {
    this.#person = person
  }

  /** Pulls until there is no more, calling `between` after each page that is not the last. Returns the pages. */
  async pull(limit = 500, between: () => Promise<unknown> = async () => undefined): Promise<Json[]> {
    const pages: Json[] = []
    for (;;) {
      const page = await this.page(limit)
      pages.push(page)
      if (!page.has_more) return pages
      await between()
    }
  }

  /** Pulls one page. */
  async page(limit = 500): Promise<Json> {
    const { status, body } = await this.#person.get(this.pathOfNext(limit))
    expect(status).toBe(200)
    expect(body.changes.length).toBeLessThanOrEqual(limit)
    this.take(body)
    return body
  }

  /** The request for the next page. */
  pathOfNext(limit: number): string {
    const from = this.cursor === undefined ? '' : `&cursor=${this.cursor}`
    return `/api/changes?limit=${limit}${from}`
  }

  /** Applies a page of a response. */
  take(page: Json): void {
    const keys = page.changes.map(({ noun, id }: Json) => `${noun} ${id}`)
    expect(new Set(keys).size).toBe(keys.length)
    expect('balances' in page && 'total_balance' in page).toBe(!page.has_more)
    for (const change of page.changes) this.#apply(change)
    for (const key of keys) this.#mentioned?.add(key)
    this.cursor = page.cursor
    this.isWhole = !page.has_more
    if (!this.isWhole) return
    if (this.#mentioned) this.#forgetAllBut(this.#mentioned)
    this.#mentioned = undefined
    this.balances = page.balances
    expect(addedUp(this)).toEqual(this.balances)
  }

  /** Starts over without a cursor, as after a 410. */
  beginAnew(): void {
    this.cursor = undefined
    this.isWhole = false
    this.#mentioned = new Set()
  }

  #apply({ noun, id, data }: Json): void {
    if (noun === 'profile') {
      this.profile = data
      return
    }
    const rows = { account: this.accounts, category: this.categories, transaction: this.transactions }[
      noun as 'account'
    ]
    if (data) {
      rows.set(id, data)
      return
    }
    rows.delete(id)
    for (const row of this.transactions.values()) {
      if (noun === 'account' && [row.account_id, row.to_account_id].includes(id))
        this.transactions.delete(row.id)
      if (noun === 'category' && row.category_id === id) row.category_id = null
    }
  }

  /** Rows that a pull from the beginning has not mentioned no longer exist. */
  #forgetAllBut(seen: Set<string>): void {
    for (const [noun, rows] of Object.entries({
      account: this.accounts,
      category: this.categories,
      transaction: this.transactions,
    }))
      for (const id of rows.keys()) if (!seen.has(`${noun} ${id}`)) rows.delete(id)
  }
}

/** Expects a copy to hold what the API shows, row by row, and to add up to its balances. */
export async function expectWhole(copy: FeedCopy, person: Reader): Promise<void> {
  expectEqual(copy, await readEverything(person))
}

/** Everything that a copy holds, as the API shows it. */
export async function readEverything(person: Reader) {
  const [profile, accounts, categories] = await Promise.all(
    ['/api/me', '/api/accounts', '/api/categories'].map(async (path) => (await person.get(path)).body),
  )
  return { profile, accounts, categories, transactions: await transactionsOf(person) }
}
export type Everything = Awaited<ReturnType<typeof readEverything>>

/** Expects a copy to hold exactly that. */
export function expectEqual(copy: FeedCopy, { profile, accounts, categories, transactions }: Everything) {
  expect(copy.profile).toEqual(profile)
  expect(shownOf(copy.accounts)).toEqual(accounts.map(({ balance: _, ...row }: Json) => row))
  expect(shownOf(copy.categories)).toEqual(categories)
  expect(shownOf(copy.transactions)).toEqual(transactions)
  expect(copy.balances).toEqual(accounts.map(({ id, balance }: Json) => ({ account_id: id, balance })))
}

/** The rows of a copy by id, without what only the feed shows. */
function shownOf(rows: Map<number, Json>): Json[] {
  return [...rows.values()]
    .sort((a, b) => a.id - b.id)
    .map(({ client_id, ...row }) => {
      expect(client_id === null || typeof client_id === 'string').toBe(true)
      return row
    })
}

/** All transactions by id, as the responses of PUT show them. */
async function transactionsOf(person: Reader): Promise<Json[]> {
  const rows: Json[] = []
  for (let page = 1; ; page++) {
    const { body } = await person.get(`/api/transactions?per_page=500&page=${page}`)
    rows.push(...body.data)
    if (page >= body.last_page) break
  }
  return rows.map(({ account: _, to_account: __, category: ___, ...row }) => row).sort((a, b) => a.id - b.id)
}

/** The balances of the accounts by id, as the rows of the copy add up in cents. */
function addedUp({ accounts, transactions }: FeedCopy): Json[] {
  const cents = (amount: string) => Math.round(Number(amount) * 100)
  const sums = new Map([...accounts.values()].map((one) => [one.id, cents(one.starting_balance)]))
  const move = (id: number, by: number) => sums.set(id, (sums.get(id) ?? 0) + by)
  for (const { account_id, to_account_id, type, amount } of transactions.values()) {
    move(account_id, type === 'income' ? cents(amount) : -cents(amount))
    if (to_account_id !== null) move(to_account_id, cents(amount))
  }
  return [...sums].sort(([a], [b]) => a - b).map(([account_id, sum]) => ({ account_id, balance: sum / 100 }))
}
