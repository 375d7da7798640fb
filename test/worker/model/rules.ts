import {
  asFiled,
  type Fields,
  type Filed,
  type Item,
  isOfFile,
  type Outcome,
  type Row,
  type State,
} from './state.ts'

/** The rules for transactions, as in docs/contract.md. */

/** True if a transaction keeps the rules that apply however it is written. */
export function isValid(state: State, userId: number, fields: Fields): boolean {
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

/** True unless both have a reference and the two differ. */
export const mayAgree = ({ reference: one }: Fields, { reference: other }: Fields) =>
  one === null || other === null || one === other

/** The duplicate rule: equal rows, unless both carry a reference and the two differ. Newest first. */
export function duplicates(state: State, userId: number, fields: Fields): Row[] {
  return state
    .of(state.rows, userId)
    .filter((row) => isEqual(row, fields) && mayAgree(row, fields))
    .sort((a, b) => b.id - a.id)
}

/** The row as an update leaves it: leaving the type transfer drops the destination. */
export function changed(row: Row, patch: Partial<Fields>): Row {
  const leavesTransfer = patch.type !== undefined && patch.type !== 'transfer'
  const next = { ...row, ...(leavesTransfer && { to_account_id: null }), ...patch }
  const isOther = !isEqual(row, next) || !mayAgree(row, next)
  const filed = isOther ? asFiled(row) : row.filed
  return { ...next, version: row.version + 1, isEdited: true, filed }
}

export type Landed = {
  outcomes: Outcome[]
  /** The state with the new rows; undefined if a figure would be past its bounds with all of them. */
  next: State | undefined
}

/**
 * The outcome of items that land together; `idFor` returns the id that the service gave a new row. Those of files are
 * also compared with what the user deleted.
 */
export function land(
  state: State,
  userId: number,
  items: Item[],
  origin: Pick<Row, 'is_synced' | 'import_id'>,
  idFor: (position: number) => number | null | undefined,
): Landed {
  const outcomes: Found[] = items.map((item) => judged(state, userId, item))
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

/** Typed rows that are found in a file stand for its rows. */
function book(next: State, outcomes: Found[], importId: number): void {
  const booked = <T extends Pick<Row, 'import_id' | 'booked_by'>>(row: T): T =>
    isOfFile(row) ? row : { ...row, booked_by: importId }
  for (const { transaction_id, stood } of outcomes) {
    const joined = next.joined.get(stood ?? 0)
    const row = next.rows.get(stood ?? transaction_id ?? 0)
    if (joined) next.joined.set(joined.id, { ...joined, row: booked(joined.row) })
    else if (row)
      next.rows.set(row.id, stood ? { ...row, filed: row.filed && booked(row.filed) } : booked(row))
  }
}

/** What landed before is recognised, even if it was joined with another or its account has been deleted since. */
function judged(state: State, userId: number, item: Item): Found {
  const first = state.rowWithClientId(userId, item.client_id)
  const stood = state.joinedWithClientId(userId, item.client_id)?.id ?? null
  if (first) return { outcome: 'duplicate', transaction_id: first.id, stood }
  const isGood = isValid(state, userId, item) && !state.isSpent(userId, item.client_id)
  return { outcome: isGood ? 'pending' : 'failed', transaction_id: null }
}

/**
 * What may absorb an item: a row as it is or, if `isFiled`, as its file has it, after it was joined with another, edited
 * or deleted.
 */
type Known = Fields & {
  id: number
  row: number | null
  isFree: boolean
  isFiled: boolean
  client_id: string | null
}
/** The outcome of an item, with the id of the remembered row that it equals or whose client id it has, if there is one. */
type Found = Outcome & { stood?: number | null }

/**
 * Against a file, an edited row counts as its file has it; it counts as it is only on another account or as a transfer.
 * The same goes for a typed row that was joined with a row of a file.
 */
function knownRows(state: State, userId: number, isFile: boolean): Known[] {
  const rows = state.of(state.rows, userId)
  const asItIs = (row: Row): Known => ({
    ...row,
    row: row.id,
    isFree: isFile && !isOfFile(row),
    isFiled: false,
  })
  if (!isFile) return rows.map(asItIs).sort((a, b) => a.id - b.id)
  const known = rows.flatMap((row): Known[] => {
    const others = state.standsFor(row)
    const filed = others.filter(isOfFile)
    const isReplaced = filed.some(
      (other) =>
        other.account_id === row.account_id && isAlike(other, row) && (other.id === row.id || !isOfFile(row)),
    )
    const recalled = others.filter((other) => isOfFile(other) || isStillTyped(other, row, filed))
    return [
      ...(isReplaced ? [] : [asItIs(row)]),
      ...recalled.map((other) => ({
        ...other,
        row: row.id,
        isFree: !isOfFile(other),
        isFiled: true,
        client_id: state.joined.get(other.id)?.row.client_id ?? null,
      })),
    ]
  })
  const deleted = state
    .of(state.remembered, userId)
    .map((row): Known => ({ ...row, row: null, isFree: false, isFiled: true, client_id: null }))
  return [...known, ...deleted].sort(
    (a, b) => Number(a.isFree) - Number(b.isFree) || Number(a.isFiled) - Number(b.isFiled) || a.id - b.id,
  )
}

/** True if both are transfers, or neither is. */
const isAlike = (one: Fields, other: Fields) => (one.type === 'transfer') === (other.type === 'transfer')

/**
 * True for a row that was typed and joined, and still counts as it was typed: not if the row that stands for it counts
 * as the same, or stands for a row of a file there.
 */
function isStillTyped(typed: Filed, row: Row, filed: Filed[]): boolean {
  const isItself = isEqual({ ...typed, to_account_id: row.to_account_id }, row) && mayAgree(typed, row)
  const isSettled = filed.some(
    ({ account_id, type }) => account_id === typed.account_id && type === typed.type,
  )
  return !isItself && !isSettled && !(isOfFile(row) && isAlike(row, typed))
}

/**
 * Rows that were there before absorb equal items, one each. An item with a reference takes a row with that one, then
 * one without; once all of those have chosen, items without a reference take what is left, rows without one first.
 */
function absorb(state: State, userId: number, items: Item[], outcomes: Found[], isFile: boolean): void {
  const known = knownRows(state, userId, isFile)
  const named = new Set(
    items.filter((_, nth) => outcomes[nth]?.outcome === 'duplicate').map(({ client_id }) => client_id),
  )
  const taken = new Set(known.filter(({ client_id }) => client_id !== null && named.has(client_id)))
  const choose = (chooses: (item: Item) => boolean, fits: (row: Fields, item: Item) => boolean) => {
    for (const [position, item] of items.entries()) {
      if (outcomes[position]?.outcome !== 'pending' || item.client_id !== null || item.force) continue
      if (!chooses(item)) continue
      const free = known.filter((row) => isEqual(row, item) && !taken.has(row) && fits(row, item))
      const row = free.find(({ reference }) => reference === null) ?? free[0]
      if (!row) continue
      taken.add(row)
      outcomes[position] =
        row.row === null
          ? { outcome: 'deleted_before', transaction_id: null }
          : { outcome: 'duplicate', transaction_id: row.row, stood: row.isFiled ? row.id : null }
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

/** Only the fields of a row, from an item that may have more. */
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
