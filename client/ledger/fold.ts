import type { Feed } from '../api.ts'
import { add, startingBalances } from './balances.ts'
import { blockOf } from './blocks.ts'
import { totalOf } from './money.ts'
import {
  type FeedChange,
  isKnown,
  keyOf,
  type Noun,
  type OnChange,
  type Rows,
  type ServedRow,
} from './rows.ts'

/** Applies a page of the feed to rows, and reports each row that may have changed. */
export function fold(rows: Rows, changes: FeedChange[], onChange: OnChange): void {
  for (const change of changes) {
    if (!isKnown(change)) continue
    const { noun, id, data } = change
    if (data) {
      const before = rows.byId[noun].get(id)
      rows.put(noun, data)
      rows.changedBlocks.add(blockOf(noun, id))
      onChange(noun, keyOf(data), before)
      continue
    }
    remove(rows, noun, id, onChange)
    if (noun === 'account') removeRowsOf(rows, id, onChange)
    if (noun === 'category') forgetCategory(rows, id)
    if (noun === 'recurring') forgetRule(rows, id)
  }
}

function remove(rows: Rows, noun: Noun, id: number, onChange: OnChange): void {
  const row = rows.remove(noun, id)
  if (!row) return
  rows.changedBlocks.add(blockOf(noun, id))
  onChange(noun, keyOf(row), row)
}

function removeRowsOf(rows: Rows, account: number, onChange: OnChange): void {
  for (const { id, account_id } of rows.byId.balance_check.values())
    if (account_id === account) remove(rows, 'balance_check', id, onChange)
  for (const noun of ['transaction', 'recurring'] as const)
    for (const { id, account_id, to_account_id } of rows.byId[noun].values())
      if (account_id === account || to_account_id === account) {
        remove(rows, noun, id, onChange)
        if (noun === 'recurring') forgetRule(rows, id)
      }
}

/** Nothing is reported: a category that is gone is not shown. */
function forgetCategory(rows: Rows, category: number): void {
  for (const noun of ['transaction', 'recurring'] as const)
    for (const row of rows.byId[noun].values()) {
      if (row.category_id !== category) continue
      rows.put(noun, { ...row, category_id: null } as ServedRow)
      rows.changedBlocks.add(blockOf(noun, row.id))
    }
}

/** Nothing is reported: a rule that is gone is not shown. */
function forgetRule(rows: Rows, rule: number): void {
  for (const row of rows.byId.recurring.values()) {
    if (row.successor_id !== rule) continue
    rows.put('recurring', { ...row, successor_id: null })
    rows.changedBlocks.add(blockOf('recurring', row.id))
  }
  for (const row of rows.byId.transaction.values()) {
    if (row.recurring_id !== rule) continue
    rows.put('transaction', { ...row, recurring_id: null, occurrence_date: null })
    rows.changedBlocks.add(blockOf('transaction', row.id))
  }
}

/** True if the rows add up to these balances: none is missing, and none is there that should not be. */
export function addUpTo({ byId, moved }: Rows, balances: NonNullable<Feed['balances']>): boolean {
  const sums = startingBalances(byId.account)
  for (const [account, cents] of moved) if (cents !== 0n) add(sums, account, cents)
  const isRight = (one: (typeof balances)[number]) => totalOf(sums.get(one.account_id) ?? 0n) === one.balance
  return sums.size === balances.length && balances.every(isRight)
}
