/** What the API ought to know of one user, kept in the plainest way: every figure is summed anew from the rows. */

export type Kind = 'income' | 'expense' | 'transfer'

/** A transaction as a client sends it, with its amount in minor units. */
export type Fields = {
  type: Kind
  account_id: number
  to_account_id: number | null
  category_id: number | null
  amount: number
  transaction_date: string
  reference: string | null
  client_id: string | null
}

export type Item = Fields & { force: boolean }
export type Row = Fields & { id: number; is_synced: boolean }
export type Outcome = 'created' | 'duplicate' | 'failed'

export class Ledger {
  /** Starting balances in minor units, by account. */
  accounts = new Map<number, number>()
  /** Names, by category. */
  categories = new Map<number, string>()
  rows = new Map<number, Row>()
  /** Client ids of rows that were deleted. */
  spent = new Set<string>()
  /** The batch that was accepted and is not processed yet. */
  waiting: { id: string; items: Item[] } | null = null

  /** The rules that every transaction keeps, however it is written. */
  keepsRules({ type, account_id, to_account_id, category_id }: Fields): boolean {
    const goesTo = type === 'transfer' ? to_account_id !== null : to_account_id === null
    const toIsGood =
      to_account_id === null || (this.accounts.has(to_account_id) && to_account_id !== account_id)
    const categoryIsGood = category_id === null || this.categories.has(category_id)
    return this.accounts.has(account_id) && goesTo && toIsGood && categoryIsGood
  }

  isSpent({ client_id }: Fields): boolean {
    return client_id !== null && this.spent.has(client_id)
  }

  withClientId(client_id: string | null): Row | undefined {
    return client_id === null ? undefined : [...this.rows.values()].find((row) => row.client_id === client_id)
  }

  /** Rows that are equal in what moves money. */
  equals(fields: Fields): Row[] {
    return [...this.rows.values()].filter(
      (row) =>
        row.account_id === fields.account_id &&
        row.to_account_id === fields.to_account_id &&
        row.type === fields.type &&
        row.amount === fields.amount &&
        row.transaction_date === fields.transaction_date,
    )
  }

  /** The duplicate rule: equal, unless both carry a reference and the two differ. */
  isDuplicate(fields: Fields): boolean {
    return this.equals(fields).some(
      ({ reference }) => reference === null || fields.reference === null || reference === fields.reference,
    )
  }

  add(row: Row): void {
    this.rows.set(row.id, row)
  }

  remove(id: number): void {
    const client_id = this.rows.get(id)?.client_id
    if (client_id) this.spent.add(client_id)
    this.rows.delete(id)
  }

  closeAccount(id: number): void {
    this.accounts.delete(id)
    for (const row of [...this.rows.values()]) {
      if (row.account_id === id || row.to_account_id === id) this.remove(row.id)
    }
  }

  dropCategory(id: number): void {
    this.categories.delete(id)
    for (const row of [...this.rows.values(), ...(this.waiting?.items ?? [])]) {
      if (row.category_id === id) row.category_id = null
    }
  }

  /** What becomes of each item of the batch that waits. Rows that were there before absorb equal items, one each. */
  outcomes(): Outcome[] {
    const items = this.waiting?.items ?? []
    const good = items.filter((item) => this.keepsRules(item) && !this.isSpent(item))
    const claimed = new Set(good.map((item) => this.withClientId(item.client_id)?.id))
    const seen = new Set<string>()
    return items.map((item) => {
      if (!good.includes(item)) return 'failed'
      if (item.client_id !== null) {
        if (this.withClientId(item.client_id) || seen.has(item.client_id)) return 'duplicate'
        seen.add(item.client_id)
        return 'created'
      }
      const twin = item.force ? undefined : this.equals(item).find(({ id }) => !claimed.has(id))
      if (!twin) return 'created'
      claimed.add(twin.id)
      return 'duplicate'
    })
  }

  balance(id: number): number {
    let balance = this.accounts.get(id) ?? 0
    for (const row of this.rows.values()) {
      if (row.account_id === id) balance += row.type === 'income' ? row.amount : -row.amount
      if (row.to_account_id === id) balance += row.amount
    }
    return balance
  }

  /** The accounts as both GET /api/accounts and the summary show their figures. */
  shownAccounts() {
    return sorted(this.accounts.keys()).map((id) => ({
      id,
      starting_balance: ((this.accounts.get(id) ?? 0) / 100).toFixed(2),
      balance: this.balance(id) / 100,
    }))
  }

  /** The summary of a month, but for the names of the accounts. */
  shownSummary(month: string) {
    const rows = [...this.rows.values()].filter((row) => row.transaction_date.startsWith(month))
    const sum = (type: Kind) =>
      rows.filter((row) => row.type === type).reduce((total, { amount }) => total + amount, 0)
    const spent = new Map<string, number>()
    for (const { type, category_id, amount } of rows) {
      const name = this.categories.get(category_id ?? 0) ?? 'Uncategorized'
      if (type === 'expense') spent.set(name, (spent.get(name) ?? 0) + amount)
    }
    const total = sorted(this.accounts.keys()).reduce((sum, id) => sum + this.balance(id), 0)
    return {
      total_balance: total / 100,
      accounts: this.shownAccounts(),
      monthly_summary: {
        income: sum('income') / 100,
        expense: sum('expense') / 100,
        net: (sum('income') - sum('expense')) / 100,
      },
      category_breakdown: [...spent]
        .sort(([a, most], [b, more]) => more - most || (a < b ? -1 : 1))
        .map(([category_name, total]) => ({ category_name, total: total / 100 })),
    }
  }

  /** All pages of the list in one, newest first. */
  shownRows() {
    return [...this.rows.values()]
      .sort((a, b) => (a.transaction_date === b.transaction_date ? b.id - a.id : later(a, b)))
      .map(({ client_id: _, amount, ...row }) => ({ ...row, amount: (amount / 100).toFixed(2) }))
  }
}

function later(a: Row, b: Row): number {
  return a.transaction_date > b.transaction_date ? -1 : 1
}

function sorted(ids: Iterable<number>): number[] {
  return [...ids].sort((a, b) => a - b)
}
