import * as fc from 'fast-check'
import { hourMs } from '../../../src/shared/dates.ts'
import {
  anyOf,
  type Caller,
  claimed,
  type Draw,
  invalid,
  keyHeader,
  operation,
  type Stage,
  seldom,
  upTo,
  withinBounds,
} from './calls.ts'
import { zones } from './people.ts'
import { duplicates, isValid } from './rules.ts'
import {
  decimal,
  type Filter,
  type Range,
  shownPage,
  shownRow,
  shownRowWithNames,
  shownSummary,
} from './shown.ts'
import type { Item, Kind, Row } from './state.ts'

/** Few of the many categories, so that totals add up. */
export const someCategory = upTo(3)
export const kind = fc.constantFrom<Kind>('expense', 'income', 'transfer')
/** Few amounts and days, so that rows often repeat each other. */
export const amount = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom(10n, 20n) },
  { weight: 12, arbitrary: fc.bigInt({ min: 1n, max: 9_999_999n }) },
  { weight: 1, arbitrary: fc.constant(0n) },
)
export const day = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom('2025-12-31', '2026-01-01', '2026-01-31', '2026-02-01') },
  { weight: 1, arbitrary: fc.constantFrom('1900-01-01', '2024-02-29', '2100-12-31') },
)
export const months = ['2025-12', '2026-01', '2026-02', '1900-01', '2100-12']
export const text = fc.constantFrom(null, 'Coffee', 'Rent for May')
export const reference = fc.constantFrom(null, null, 'F100', 'F200')

export type DrawnItem = {
  type: Kind
  account: Draw
  to: Draw | null
  category: Draw | null
  amount: bigint
  description: string | null
  reference: string | null
  transaction_date: string
  /** One of the client's own, new or sent before. */
  client: { nth: number; isNew: boolean } | null
  force: boolean
  /** Which row this one repeats, if any. */
  repeats: Draw | null
}

export const item: fc.Arbitrary<DrawnItem> = fc
  .record({
    type: kind,
    account: anyOf,
    to: anyOf,
    category: fc.option(someCategory, { freq: 15 }),
    amount,
    description: text,
    reference,
    transaction_date: day,
    client: fc.oneof(
      { weight: 3, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.noBias(fc.record({ nth: fc.nat(999), isNew: fc.boolean() })) },
    ),
    force: seldom(3),
    repeats: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: upTo(9) }),
    // A destination on something other than a transfer, or a transfer without one.
    isMixedUp: seldom(40),
  })
  .map(({ to, isMixedUp, ...rest }) => ({
    ...rest,
    to: (rest.type === 'transfer') !== isMixedUp ? to : null,
  }))

/** The transaction that a draw describes. */
export function itemOf(caller: Caller, { account, to, category, repeats, client, ...rest }: DrawnItem): Item {
  const twin = repeats && caller.stage.state.rows.get(caller.pick('rows', repeats))
  if (twin) {
    const { type, account_id, to_account_id, category_id, amount, description, transaction_date } = twin
    const { reference, force } = rest
    const same = { type, account_id, to_account_id, category_id, amount, description, transaction_date }
    return { ...same, reference, force, client_id: null }
  }
  return {
    ...enriched(caller.stage, rest),
    account_id: caller.pick('accounts', account),
    to_account_id: to && caller.pick('accounts', to),
    category_id: category && caller.pick('categories', category),
    client_id: client && caller.clientId(client),
  }
}

/** In rich histories the frequent amounts are the largest possible, and most rows fall into one month. */
export function enriched<T extends { amount: bigint; transaction_date: string }>(stage: Stage, row: T): T {
  if (!stage.isRich || (row.amount !== 10n && row.amount !== 20n)) return row
  return { ...row, amount: 999_999_999_999_999n, transaction_date: '2026-01-31' }
}

/** Amounts travel as decimal strings. */
export function asSent<T extends { amount?: bigint }>(fields: T) {
  return fields.amount === undefined ? fields : { ...fields, amount: decimal(fields.amount) }
}

export const transactionOperations = [
  operation('record a transaction', 30, { item, isKeyed: seldom(2) }, (caller, { isKeyed, ...drawn }) => {
    const { force, ...fields } = itemOf(caller, drawn.item)
    const { client_id, ...rest } = asSent(fields)
    // An Idempotency-Key counts as the client id.
    const options = isKeyed
      ? { body: { ...rest, force }, headers: keyHeader(client_id) }
      : { body: { ...rest, force, client_id } }
    const call = caller.request('POST', '/api/transactions', options, (state, user, outcome) => {
      const earlier = fields.amount > 0n && state.rowWithClientId(user.id, fields.client_id)
      if (earlier) return { status: 200, body: shownRow(earlier) }
      if (state.of(state.accounts, user.id).length === 0) return { status: 403 }
      const isComplete = fields.type === 'transfer' || fields.category_id !== null
      if (!isComplete || !isValid(state, user.id, fields) || state.isSpent(user.id, fields.client_id))
        return invalid()
      const similar = force ? [] : duplicates(state, user.id, fields)
      if (similar.length > 0) {
        const listed = similar.slice(0, 5).map(({ id }) => ({ id }))
        return { status: 409, body: { is_duplicate: true, duplicates: listed } }
      }
      const fromNoFile = { import_id: null, booked_by: null, filed: null }
      const origin = { is_synced: false, ...fromNoFile, version: 1, isEdited: false }
      const row: Row = { id: state.newId(outcome.body?.id), user_id: user.id, ...fields, ...origin }
      const next = state.after((next) => next.rows.set(row.id, row))
      return withinBounds(next, user.id, 'amount', { status: 201, body: shownRow(row) })
    })
    return { ...call, made: ({ status, body }) => (status === 201 ? [['rows', body?.id]] : []) }
  }),

  operation('delete a transaction', 6, { row: anyOf }, (caller, { row }) => {
    const id = caller.pick('rows', row)
    return caller.request('DELETE', `/api/transactions/${id}`, {}, (state, user) =>
      claimed('rows', state.rows.get(id), user, (row) => {
        const next = state.after((next) => next.deleteRow(row))
        return withinBounds(next, user.id, 'amount', { status: 204 })
      }),
    )
  }),

  operation('show a transaction', 2, { row: anyOf }, (caller, { row }) => {
    const id = caller.pick('rows', row)
    return caller.request('GET', `/api/transactions/${id}`, {}, (state, user) =>
      claimed('rows', state.rows.get(id), user, (row) => ({
        status: 200,
        body: shownRowWithNames(state, row),
      })),
    )
  }),
]

const drawnFilter = fc.record(
  {
    account_id: anyOf,
    category_id: fc.oneof(fc.constant('none' as const), someCategory),
    type: kind,
    from: day,
    to: day,
    q: fc.constantFrom('coffee', 'rent', 'F1', '%'),
  },
  { requiredKeys: [] },
)
const page = fc.noBias(fc.nat(7)).map((n) => [2, 3, 9][n] ?? 1)
const perPage = fc.constantFrom(undefined, undefined, 1, 7, 500)

/** Half of the pages are without a filter: their total is a kept figure. */
export const listTransactions = operation(
  'list transactions',
  4,
  { filter: fc.option(drawnFilter, { freq: 2 }), page, perPage },
  (caller, { filter: drawn, page, perPage }) => {
    const filter: Filter = {
      ...drawn,
      account_id: drawn?.account_id && caller.pick('accounts', drawn.account_id),
      category_id:
        typeof drawn?.category_id === 'object'
          ? caller.pick('categories', drawn.category_id)
          : drawn?.category_id,
    }
    const query = new URLSearchParams({ page: String(page) })
    for (const [name, value] of Object.entries({ ...filter, per_page: perPage }))
      if (value !== undefined) query.set(name, String(value))
    return caller.request('GET', `/api/transactions?${query}`, {}, (state, user) => ({
      status: 200,
      body: shownPage(state, user.id, filter, page, perPage),
    }))
  },
)

/** The instant at which all histories happen: the month differs between time zones. */
export const now = Date.parse('2026-01-31T20:00:00Z')

type Asked = Range & { month?: string }

/** The summary of a given month or range, or of the current month. */
export const readSummary = operation(
  'read the summary',
  3,
  {
    asked: fc.oneof(
      fc.constant({}),
      fc.record({ month: fc.constantFrom(...months) }),
      fc.record({ from: day, to: day }, { requiredKeys: [] }),
    ) as fc.Arbitrary<Asked>,
  },
  (caller, { asked }) =>
    caller.request('GET', `/api/summary?${new URLSearchParams(asked)}`, {}, (state, user) => {
      const { from, to } = asked
      if (from && to && from > to)
        return invalid({ to: ['The to field must be a date after or equal to from.'] })
      const current = new Date(now + (zones[user.timezone] ?? 0) * hourMs).toISOString().slice(0, 7)
      const month = asked.month ?? current
      const range = from || to ? asked : { from: `${month}-01`, to: `${month}-31` }
      return { status: 200, body: shownSummary(state, user.id, range) }
    }),
)
