import type { Fields, Item, Outcome, Row, State } from './state.ts'

/** The rules of transactions, as docs/contract.md has them. */

/** True if a transaction keeps the rules that apply however it is written. */
export function isSound(state: State, userId: number, fields: Fields): boolean {
  const { type, account_id, to_account_id, category_id, amount } = fields
  const isOwn = (things: Map<number, { user_id: number }>, id: number) => things.get(id)?.user_id === userId
  if (amount <= 0n || !isOwn(state.accounts, account_id)) return false
  if (category_id !== null && !isOwn(state.categories, category_id)) return false
  if (type !== 'transfer') return to_account_id === null
  return to_account_id !== null && to_account_id !== account_id && isOwn(state.accounts, to_account_id)
}

/** Rows that are equal in what moves money. */
function equals(state: State, userId: number, fields: Fields, among = state.rows): Row[] {
  return state
    .of(among, userId)
    .filter(
      (row) =>
        row.account_id === fields.account_id &&
        row.to_account_id === fields.to_account_id &&
        row.type === fields.type &&
        row.amount === fields.amount &&
        row.transaction_date === fields.transaction_date,
    )
    .sort((a, b) => a.id - b.id)
}

/** The duplicate rule: equal rows, unless both carry a reference and the two differ. Newest first. */
export function duplicates(state: State, userId: number, fields: Fields): Row[] {
  return equals(state, userId, fields)
    .filter(
      ({ reference }) => reference === null || fields.reference === null || reference === fields.reference,
    )
    .reverse()
}

/** The row as an update leaves it: leaving the type transfer drops the destination. */
export function changed(row: Row, patch: Partial<Fields>): Row {
  const leavesTransfer = patch.type !== undefined && patch.type !== 'transfer'
  return {
    ...row,
    ...(leavesTransfer && { to_account_id: null }),
    ...patch,
    version: row.version + 1,
    isEdited: true,
  }
}

export type Landed = {
  outcomes: Outcome[]
  /** The state with the new rows; undefined if a figure would be past its bounds with all of them. */
  next: State | undefined
}

/**
 * The outcome of items that land together; `idFor` returns the id that the service gave a new row. Those of files are
 * compared with what their user deleted as well.
 */
export function land(
  state: State,
  userId: number,
  items: Item[],
  origin: Pick<Row, 'is_synced' | 'import_id'>,
  idFor: (position: number) => number | null | undefined,
): Landed {
  const outcomes: Outcome[] = items.map((item) => judged(state, userId, item))
  absorb(state, userId, items, outcomes, origin.import_id !== null)
  const mates = new Map<string, number>()
  const next = state.after(() => {})
  for (const [position, { force: _, ...item }] of items.entries()) {
    if (outcomes[position]?.outcome !== 'pending') continue
    const mate = item.client_id === null ? undefined : mates.get(item.client_id)
    const id = mate ?? next.newId(idFor(position))
    outcomes[position] = { outcome: mate === undefined ? 'created' : 'duplicate', transaction_id: id }
    if (mate !== undefined) continue
    if (item.client_id !== null) mates.set(item.client_id, id)
    next.rows.set(id, {
      ...withoutOutcome(item),
      ...origin,
      id,
      user_id: userId,
      version: 1,
      isEdited: false,
    })
  }
  return { outcomes, next: next.isInBounds(userId) ? next : undefined }
}

/** What landed before is recognised, even if its account has gone since. */
function judged(state: State, userId: number, item: Item): Outcome {
  const first = state.rowWithClientId(userId, item.client_id)
  if (first) return { outcome: 'duplicate', transaction_id: first.id }
  const isGood = isSound(state, userId, item) && !state.isSpent(userId, item.client_id)
  return { outcome: isGood ? 'pending' : 'failed', transaction_id: null }
}

/**
 * Rows that were there before absorb equal items, one each. An item with a reference takes a row with that one, then
 * one without; when all of those have chosen, items without a reference take what is left, rows without one first.
 */
function absorb(state: State, userId: number, items: Item[], outcomes: Outcome[], isFile: boolean): void {
  const taken = new Set(outcomes.map(({ transaction_id }) => transaction_id))
  const choose = (chooses: (item: Item) => boolean, fits: (row: Row, item: Item) => boolean) => {
    for (const [position, item] of items.entries()) {
      if (outcomes[position]?.outcome !== 'pending' || item.client_id !== null || item.force) continue
      if (!chooses(item)) continue
      const known = [
        ...equals(state, userId, item),
        ...(isFile ? equals(state, userId, item, state.remembered) : []),
      ]
      const free = known.filter((row) => !taken.has(row.id) && fits(row, item))
      const row = free.find(({ reference }) => reference === null) ?? free[0]
      if (!row) continue
      taken.add(row.id)
      outcomes[position] = state.remembered.has(row.id)
        ? { outcome: 'deleted_before', transaction_id: null }
        : { outcome: 'duplicate', transaction_id: row.id }
    }
  }
  choose(
    (item) => item.reference !== null,
    (row, item) => row.reference === item.reference,
  )
  choose(
    (item) => item.reference !== null,
    (row) => row.reference === null,
  )
  choose(
    (item) => item.reference === null,
    () => true,
  )
}

/** The fields of a row alone, of an item that may carry more. */
function withoutOutcome(item: Omit<Item, 'force'>): Fields & { client_id: string | null } {
  const { type, account_id, to_account_id, category_id, amount, client_id } = item
  const { description, reference, transaction_date } = item
  return {
    type,
    account_id,
    to_account_id,
    category_id,
    amount,
    client_id,
    description,
    reference,
    transaction_date,
  }
}
