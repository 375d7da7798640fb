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

/** True for rows that are equal in what moves money. */
const isEqual = (one: Fields, other: Fields) =>
  one.account_id === other.account_id &&
  one.to_account_id === other.to_account_id &&
  one.type === other.type &&
  one.amount === other.amount &&
  one.transaction_date === other.transaction_date

/** The duplicate rule: equal rows, unless both carry a reference and the two differ. Newest first. */
export function duplicates(state: State, userId: number, fields: Fields): Row[] {
  return state
    .of(state.rows, userId)
    .filter((row) => isEqual(row, fields))
    .filter(
      ({ reference }) => reference === null || fields.reference === null || reference === fields.reference,
    )
    .sort((a, b) => b.id - a.id)
}

/** The row as an update leaves it: leaving the type transfer drops the destination. */
export function changed(row: Row, patch: Partial<Fields>): Row {
  const leavesTransfer = patch.type !== undefined && patch.type !== 'transfer'
  const next = { ...row, ...(leavesTransfer && { to_account_id: null }), ...patch }
  const isOther =
    !isEqual(row, next) ||
    (row.reference !== null && next.reference !== null && row.reference !== next.reference)
  const isOfFile = row.import_id !== null || row.booked_by !== null
  const filed = row.filed ?? (isOfFile && isOther ? row : null)
  return { ...next, version: row.version + 1, isEdited: true, filed }
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
  if (origin.import_id !== null) book(next, outcomes, origin.import_id)
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
      booked_by: null,
      filed: null,
    })
  }
  return { outcomes, next: next.isInBounds(userId) ? next : undefined }
}

/** Typed rows that are found in a file stand for what it has. */
function book(next: State, outcomes: (Outcome & { isFiled?: boolean })[], importId: number): void {
  for (const { transaction_id, isFiled } of outcomes) {
    const row = next.rows.get(transaction_id ?? 0)
    if (row && !isFiled && row.import_id === null && row.booked_by === null)
      next.rows.set(row.id, { ...row, booked_by: importId })
  }
}

/** What landed before is recognised, even if its account has gone since. */
function judged(state: State, userId: number, item: Item): Outcome {
  const first = state.rowWithClientId(userId, item.client_id)
  if (first) return { outcome: 'duplicate', transaction_id: first.id }
  const isGood = isSound(state, userId, item) && !state.isSpent(userId, item.client_id)
  return { outcome: isGood ? 'pending' : 'failed', transaction_id: null }
}

/** What may absorb an item: a row as it is, or as its file has it, there or deleted. */
type Known = Fields & { id: number; isFree: boolean; isFiled: boolean; isDeleted: boolean }

/** For a file, a row that was edited stands for what its file has; as it is, only on another account or as a transfer. */
function knownRows(state: State, userId: number, isFile: boolean): Known[] {
  const rows = state.of(state.rows, userId)
  const isOfFile = (row: Row) => row.import_id !== null || row.booked_by !== null
  const isOther = (row: Row, filed: Fields) =>
    row.account_id !== filed.account_id || (row.type === 'transfer') !== (filed.type === 'transfer')
  const asTheyAre = rows
    .filter((row) => !isFile || !row.filed || isOther(row, row.filed))
    .map((row) => ({ ...row, isFree: isFile && !isOfFile(row), isFiled: false, isDeleted: false }))
  if (!isFile) return asTheyAre.sort((a, b) => a.id - b.id)
  const asFiled = [
    ...rows.flatMap((row) => (row.filed ? [{ ...row, ...row.filed, isDeleted: false }] : [])),
    ...state.of(state.remembered, userId).map((row) => ({ ...row, isDeleted: true })),
  ].map((row) => ({ ...row, isFree: false, isFiled: true }))
  return [...asTheyAre, ...asFiled].sort(
    (a, b) => Number(a.isFree) - Number(b.isFree) || Number(a.isFiled) - Number(b.isFiled) || a.id - b.id,
  )
}

/**
 * Rows that were there before absorb equal items, one each. An item with a reference takes a row with that one, then
 * one without; when all of those have chosen, items without a reference take what is left, rows without one first.
 */
function absorb(
  state: State,
  userId: number,
  items: Item[],
  outcomes: (Outcome & { isFiled?: boolean })[],
  isFile: boolean,
): void {
  const known = knownRows(state, userId, isFile)
  const found = new Set(outcomes.map(({ transaction_id }) => transaction_id))
  const taken = new Set(known.filter(({ id, isFiled }) => !isFiled && found.has(id)))
  const choose = (chooses: (item: Item) => boolean, fits: (row: Fields, item: Item) => boolean) => {
    for (const [position, item] of items.entries()) {
      if (outcomes[position]?.outcome !== 'pending' || item.client_id !== null || item.force) continue
      if (!chooses(item)) continue
      const free = known.filter((row) => isEqual(row, item) && !taken.has(row) && fits(row, item))
      const row = free.find(({ reference }) => reference === null) ?? free[0]
      if (!row) continue
      taken.add(row)
      outcomes[position] = row.isDeleted
        ? { outcome: 'deleted_before', transaction_id: null }
        : { outcome: 'duplicate', transaction_id: row.id, isFiled: row.isFiled }
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
