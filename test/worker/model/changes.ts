import * as fc from 'fast-check'
import {
  anyOf,
  type Caller,
  claimed,
  type Draw,
  invalid,
  operation,
  type Planned,
  seldom,
  withinBounds,
} from './calls.ts'
import { changed, isValid } from './rules.ts'
import { shownRow } from './shown.ts'
import type { Fields, Row } from './state.ts'
import { amount, asSent, day, kind, reference, someCategory, text } from './transactions.ts'

const patch = fc
  .record(
    {
      type: kind,
      account: anyOf,
      to: fc.option(anyOf, { freq: 6 }),
      category: fc.option(someCategory, { freq: 3 }),
      amount,
      description: text,
      reference,
      transaction_date: day,
      isWhole: seldom(2),
    },
    { requiredKeys: [] },
  )
  // Half of the patches that change the type come with the destination that it needs, as from a form.
  .map(({ isWhole, to, ...rest }) => {
    if (!isWhole || rest.type === undefined) return { ...rest, ...(to !== undefined && { to }) }
    return rest.type === 'transfer' ? { ...rest, to: to ?? { nth: 1, whose: 'own' as const } } : rest
  })

function patchOf(
  caller: Caller,
  { account, to, category, ...rest }: { account?: Draw; to?: Draw | null; category?: Draw | null },
): Partial<Fields> {
  return {
    ...rest,
    ...(account && { account_id: caller.pick('accounts', account) }),
    ...(to !== undefined && { to_account_id: to && caller.pick('accounts', to) }),
    ...(category !== undefined && { category_id: category && caller.pick('categories', category) }),
  }
}

/** The columns that the trigger on kept figures looks at. */
const columns = ['type', 'amount', 'account_id', 'to_account_id', 'category_id', 'transaction_date'] as const
type Column = (typeof columns)[number]

const nth = fc.noBias(fc.nat(59))

export const changeOperations = [
  operation('change a transaction', 14, { row: anyOf, patch }, (caller, { row, patch }) =>
    change(caller, caller.pick('rows', row), patchOf(caller, patch)),
  ),

  // One column at a time: if several changed, a trigger that overlooks one of them would still run for another.
  ...columns.map((column) =>
    operation(`change ${column} alone`, 2, { row: nth, other: nth, amount, day }, (caller, drawn) => {
      const row = rowWith(caller, column, drawn.row)
      const value = row && otherValue(caller, row, column, drawn)
      if (row && value !== undefined) return change(caller, row.id, { [column]: value })
    }),
  ),
]

function change(caller: Caller, id: number, said: Partial<Fields>): Planned {
  return caller.request('PUT', `/api/transactions/${id}`, { body: asSent(said) }, (state, user) =>
    claimed('rows', state.rows.get(id), user, (row) => {
      const next = changed(row, said)
      if (!isValid(state, user.id, next)) return invalid()
      const after = state.after((state) => state.rows.set(id, next))
      return withinBounds(after, user.id, 'amount', { status: 200, body: shownRow(next) })
    }),
  )
}

/** One of the user's own rows that has something in a column. */
function rowWith({ stage, userId }: Caller, column: Column, nth: number): Row | undefined {
  const rows = stage.state.of(stage.state.rows, userId).filter((row) => row[column] !== null)
  const ids = rows.map(({ id }) => id)
  return stage.state.rows.get(stage.choose('rows', ids, nth) ?? 0)
}

/** A different value with which the row is valid; undefined if there is none. */
function otherValue(
  { stage, userId }: Caller,
  row: Row,
  column: Column,
  { other, amount, day }: { other: number; amount: bigint; day: string },
): unknown {
  const otherThan = (kind: 'accounts' | 'categories', taken: (number | null)[]) => {
    const things: Map<number, { user_id: number }> = stage.state[kind]
    const isOther = ([id, thing]: [number, { user_id: number }]) =>
      thing.user_id === userId && !taken.includes(id)
    return stage.choose(
      kind,
      [...things].filter(isOther).map(([id]) => id),
      other,
    )
  }
  if (column === 'type') return row.type === 'expense' ? 'income' : 'expense'
  if (column === 'amount') return amount
  if (column === 'category_id') return otherThan('categories', [row.category_id])
  if (column === 'transaction_date') return day
  return otherThan('accounts', [row.account_id, row.to_account_id])
}
