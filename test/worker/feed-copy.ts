import { expect } from 'vitest'
import type { Json, Person } from './world.ts'

/** A client's copy of everything, kept by the rules of docs/client.md and by nothing else. */
export class FeedCopy {
  cursor: string | undefined
  profile: Json
  accounts = new Map<number, Json>()
  categories = new Map<number, Json>()
  transactions = new Map<number, Json>()
  balances: Json[] = []
  readonly #person: Pick<Person, 'get'>

  constructor(person: Pick<Person, 'get'>) {
    this.#person = person
  }

  /** Pulls until there is no more, calling `between` after each page that is not the last. Returns the pages. */
  async pull(limit = 500, between: () => Promise<unknown> = async () => undefined): Promise<Json[]> {
    const isFresh = this.cursor === undefined
    const seen = new Set<string>()
    const pages: Json[] = []
    for (;;) {
      const page = await this.page(limit)
      pages.push(page)
      for (const { noun, id } of page.changes) seen.add(`${noun} ${id}`)
      if (!page.has_more) break
      await between()
    }
    if (isFresh) this.#forgetAllBut(seen)
    return pages
  }

  /** Pulls one page. */
  async page(limit = 500): Promise<Json> {
    const from = this.cursor === undefined ? '' : `&cursor=${this.cursor}`
    const { status, body } = await this.#person.get(`/api/changes?limit=${limit}${from}`)
    expect(status).toBe(200)
    expect(body.changes.length).toBeLessThanOrEqual(limit)
    const keys = body.changes.map(({ noun, id }: Json) => `${noun} ${id}`)
    expect(new Set(keys).size).toBe(keys.length)
    expect('balances' in body && 'total_balance' in body).toBe(!body.has_more)
    for (const change of body.changes) this.#apply(change)
    this.cursor = body.cursor
    if (body.balances) this.balances = body.balances
    return body
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

  /** What a pull from the beginning has not mentioned is not there any more. */
  #forgetAllBut(seen: Set<string>): void {
    for (const [noun, rows] of Object.entries({
      account: this.accounts,
      category: this.categories,
      transaction: this.transactions,
    }))
      for (const id of rows.keys()) if (!seen.has(`${noun} ${id}`)) rows.delete(id)
  }
}

/** Expects a copy to hold what the API answers, row by row, and to add up to its balances. */
export async function expectWhole(copy: FeedCopy, person: Pick<Person, 'get'>): Promise<void> {
  const [me, accounts, categories] = await Promise.all(
    ['/api/me', '/api/accounts', '/api/categories'].map(async (path) => (await person.get(path)).body),
  )
  expect(copy.profile).toEqual(me)
  expect(shownOf(copy.accounts)).toEqual(accounts.map(({ balance: _, ...row }: Json) => row))
  expect(shownOf(copy.categories)).toEqual(categories)
  expect(shownOf(copy.transactions)).toEqual(await transactionsOf(person))
  const balances = accounts.map(({ id, balance }: Json) => ({ account_id: id, balance }))
  expect(copy.balances).toEqual(balances)
  expect([...copy.accounts.keys()].sort(byNumber).map((id) => addedUp(copy, id))).toEqual(
    balances.map(({ balance }: Json) => balance),
  )
}

const byNumber = (a: number, b: number) => a - b

/** The rows of a copy by id, without what only the feed tells. */
function shownOf(rows: Map<number, Json>): Json[] {
  return [...rows.values()]
    .sort((a, b) => a.id - b.id)
    .map(({ client_id, ...row }) => {
      expect(client_id === null || typeof client_id === 'string').toBe(true)
      return row
    })
}

/** All transactions by id, as PUT answers them. */
async function transactionsOf(person: Pick<Person, 'get'>): Promise<Json[]> {
  const rows: Json[] = []
  for (let page = 1; ; page++) {
    const { body } = await person.get(`/api/transactions?per_page=500&page=${page}`)
    rows.push(...body.data)
    if (page >= body.last_page) break
  }
  return rows.map(({ account: _, to_account: __, category: ___, ...row }) => row).sort((a, b) => a.id - b.id)
}

/** The balance of an account as the copy has it, added up in cents. */
function addedUp({ accounts, transactions }: FeedCopy, id: number): number {
  const cents = (amount: string) => Math.round(Number(amount) * 100)
  let sum = cents(accounts.get(id).starting_balance)
  for (const { account_id, to_account_id, type, amount } of transactions.values()) {
    if (account_id === id) sum += type === 'income' ? cents(amount) : -cents(amount)
    if (to_account_id === id) sum += cents(amount)
  }
  return sum / 100
}
