/** What the service should know, kept in the simplest way: every figure is summed from the rows each time. */

export type Kind = 'income' | 'expense' | 'transfer'

/** The fields of a transaction; amounts are minor units, as bigints so that sums are exact. */
export type Fields = {
  type: Kind
  account_id: number
  to_account_id: number | null
  category_id: number | null
  amount: bigint
  description: string | null
  reference: string | null
  transaction_date: string
}
export type Item = Fields & { client_id: string | null; force: boolean }

export type User = {
  id: number
  email: string
  name: string
  password: string
  timezone: string
  isVerified: boolean
  /** How many reset emails were requested, which is limited. */
  resetsAsked: number
}
export type Account = {
  id: number
  user_id: number
  name: string
  type: string
  starting_balance: bigint
  notes: string | null
  version: number
}
export type Category = {
  id: number
  user_id: number
  name: string
  type: 'income' | 'expense'
  version: number
}
export type Row = Fields & {
  id: number
  user_id: number
  client_id: string | null
  version: number
  is_synced: boolean
  import_id: number | null
  /** By an update since it was created: undoing its import leaves it. */
  isEdited: boolean
  /** For a typed row, the import with an equal row. */
  booked_by: number | null
  /** What the file has, if an edit has changed the row beyond recognition. */
  filed: Filed | null
}
/** `kind` is that of the outflow of a joined transfer: it is remembered even if no file has it. */
export type Filed = Fields & Pick<Row, 'import_id' | 'booked_by'> & { kind?: MatchKind }
export type MatchKind = 'duplicate' | 'transfer'
/** A row that was joined with another. */
export type Joined = {
  id: number
  user_id: number
  kind: MatchKind
  /** As it was, except for `booked_by`, which may have been set since. */
  row: Row
  /** What it was joined with, and the row that stands for it now. */
  into: number
  survivor: number
  /** Which fields the other gained. */
  gave: ('category_id' | 'description' | 'reference')[]
  /** Joins are undone in the order in which they were made, the last first. */
  nth: number
}
export type Outcome = { outcome: string; transaction_id: number | null }
export type Batch = {
  id: string
  user_id: number
  status: 'pending' | 'completed' | 'failed'
  key: string | null
  /** What was sent: the same key with the same text is the same batch. */
  sent: string
  items: (Item & Outcome)[]
}
export type Import = {
  id: number
  user_id: number
  kind: string
  format: string
  counts: { rows: number; created: number; duplicate: number; deleted_before: number }
  key: string | null
  /** What was read: the same key with different rows is refused. */
  rows: string
}

/** No balance and no total may pass this, in either direction. */
export const maxTotal = 9_000_000_000_000_000n

/** Everything at one moment. States are immutable: `after` makes the next one. */
export class State {
  users = new Map<number, User>()
  /** Users, by their live tokens. */
  tokens = new Map<string, number>()
  /** Users, by their valid reset tokens. */
  resets = new Map<string, number>()
  accounts = new Map<number, Account>()
  categories = new Map<number, Category>()
  rows = new Map<number, Row>()
  batches = new Map<string, Batch>()
  imports = new Map<number, Import>()
  /** Rows of files that the user deleted, as the file has them: no file brings them back. */
  remembered = new Map<number, Filed & Pick<Row, 'id' | 'user_id'>>()
  joined = new Map<number, Joined>()
  /** `kind lower-id higher-id` of pairs that are no match. */
  rejected = new Set<string>()
  /** `user client_id` of rows that were deleted. */
  spent = new Set<string>()
  /** The ids of accounts and categories by the Idempotency-Key that made them. Once they are deleted, it stays spent. */
  keys = new Map<string, number>()

  /** The state after one more change. */
  after(change: (next: State) => void): State {
    const next = new State()
    next.users = new Map(this.users)
    next.tokens = new Map(this.tokens)
    next.resets = new Map(this.resets)
    next.accounts = new Map(this.accounts)
    next.categories = new Map(this.categories)
    next.rows = new Map(this.rows)
    next.batches = new Map(this.batches)
    next.imports = new Map(this.imports)
    next.remembered = new Map(this.remembered)
    next.joined = new Map(this.joined)
    next.rejected = new Set(this.rejected)
    next.spent = new Set(this.spent)
    next.keys = new Map(this.keys)
    change(next)
    return next
  }

  /** Everything of a kind that belongs to a user, oldest first. */
  of<T extends { user_id: number }>(things: Map<unknown, T>, userId: number): T[] {
    return [...things.values()].filter((thing) => thing.user_id === userId)
  }

  /** The row with a client id, or the one with which that has been joined. */
  rowWithClientId(userId: number, clientId: string | null): Row | undefined {
    if (clientId === null) return undefined
    return (
      this.of(this.rows, userId).find((row) => row.client_id === clientId) ??
      this.rows.get(this.joinedWithClientId(userId, clientId)?.survivor ?? 0)
    )
  }

  joinedWithClientId(userId: number, clientId: string | null): Joined | undefined {
    if (clientId === null) return undefined
    return this.of(this.joined, userId).find(({ row }) => row.client_id === clientId)
  }

  /** The rows that a row stands for, as their files have them: those that were joined with it, and what it was itself. */
  standsFor(row: Row): (Filed & { id: number })[] {
    const joined = this.of(this.joined, row.user_id).filter(({ survivor }) => survivor === row.id)
    return [
      ...(row.filed ? [{ ...row.filed, id: row.id }] : []),
      ...joined.map(({ row }) => ({ ...row, ...row.filed })),
    ]
  }

  /** What an earlier request with the same key created, if it still exists. */
  madeWith<T>(things: Map<number, T>, keyed: string | undefined): T | undefined {
    return keyed === undefined ? undefined : things.get(this.keys.get(keyed) ?? 0)
  }

  /** True if an earlier request with the same key created something, whether or not it still exists. */
  hasMade(keyed: string | undefined): boolean {
    return keyed !== undefined && this.keys.has(keyed)
  }

  isSpent(userId: number, clientId: string | null): boolean {
    return this.spent.has(`${userId} ${clientId}`) && !this.rowWithClientId(userId, clientId)
  }

  /** The id that the service gave to a new row, or a meaningless one if it gave no new id. */
  newId(given: unknown): number {
    return typeof given === 'number' && !this.rows.has(given) ? given : -1 - this.rows.size
  }

  /** Removes a row, and what was joined with it; unless an import is undone, its client id cannot be used again. */
  removeRow({ id, user_id, client_id }: Row, spends = true): void {
    this.rows.delete(id)
    for (const joined of this.joined.values()) if (joined.survivor === id) this.joined.delete(joined.id)
    if (client_id !== null && spends) this.spent.add(`${user_id} ${client_id}`)
  }

  /** Deletes a row, and remembers it if it came from a file. */
  deleteRow(row: Row): void {
    const own = row.filed && isOfFile(row.filed) ? [] : [row]
    const filed = [...own, ...this.standsFor(row)].filter(isOfFile)
    this.removeRow(row)
    for (const one of filed) this.remembered.set(one.id, { ...one, user_id: row.user_id })
  }

  closeAccount(id: number): void {
    this.accounts.delete(id)
    for (const row of this.rows.values()) {
      if (row.account_id === id || row.to_account_id === id) this.removeRow(row)
    }
  }

  dropCategory(id: number): void {
    this.categories.delete(id)
    const without = <T extends Fields>(fields: T): T =>
      fields.category_id === id ? { ...fields, category_id: null } : fields
    for (const row of this.rows.values()) this.rows.set(row.id, without(row))
    for (const batch of this.batches.values())
      this.batches.set(batch.id, { ...batch, items: batch.items.map(without) })
  }

  removeUser(userId: number): void {
    this.users.delete(userId)
    for (const owned of [
      this.accounts,
      this.categories,
      this.rows,
      this.batches,
      this.imports,
      this.joined,
    ]) {
      for (const [id, { user_id }] of owned)
        if (user_id === userId) (owned as Map<unknown, unknown>).delete(id)
    }
    for (const owned of [this.tokens, this.resets]) {
      for (const [token, owner] of owned) if (owner === userId) owned.delete(token)
    }
    for (const key of this.spent) if (key.startsWith(`${userId} `)) this.spent.delete(key)
  }

  /** The balances of a user's accounts, up to the end of a day. */
  balances(userId: number, day = '9999-12-31'): Map<number, bigint> {
    const balances = new Map(this.of(this.accounts, userId).map((one) => [one.id, one.starting_balance]))
    const move = (id: number, amount: bigint) => balances.set(id, (balances.get(id) ?? 0n) + amount)
    for (const row of this.rows.values()) {
      if (row.user_id !== userId || row.transaction_date > day) continue
      move(row.account_id, row.type === 'income' ? row.amount : -row.amount)
      if (row.to_account_id !== null) move(row.to_account_id, row.amount)
    }
    return balances
  }

  /** The income or the expenses of each month. */
  monthTotals(userId: number, type: Kind): Map<string, bigint> {
    const totals = new Map<string, bigint>()
    for (const row of this.rows.values()) {
      if (row.user_id !== userId || row.type !== type) continue
      const month = row.transaction_date.slice(0, 7)
      totals.set(month, (totals.get(month) ?? 0n) + row.amount)
    }
    return totals
  }

  /** True if each balance of the user, their sum and the totals of each month are within bounds. */
  isInBounds(userId: number): boolean {
    const balances = [...this.balances(userId).values()]
    const totals = (['income', 'expense'] as const).flatMap((type) => [
      ...this.monthTotals(userId, type).values(),
    ])
    return [...balances, sum(balances), ...totals].every(
      (figure) => figure <= maxTotal && figure >= -maxTotal,
    )
  }
}

export function sum(amounts: Iterable<bigint>): bigint {
  let total = 0n
  for (const amount of amounts) total += amount
  return total
}

/** True for a row that a file brought, or that is typed and stands for one of a file. */
export function isOfFile({ import_id, booked_by }: Pick<Row, 'import_id' | 'booked_by'>): boolean {
  return import_id !== null || booked_by !== null
}

/** What is remembered of a row once it is no longer as its file has it; it keeps what was remembered of a file before. */
export function asFiled(row: Row): Filed | null {
  return isOfFile(row) && !(row.filed && isOfFile(row.filed)) ? row : row.filed
}
