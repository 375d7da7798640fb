import { noMatchingCheckText } from '../../src/domain/field-errors.ts'
import { lockedThrough, netMovements } from '../../src/domain/movements.ts'
import { dayInWords, reconciledText } from '../../src/domain/reconciled-text.ts'
import { checkedBalances, movementsOf } from './checks.ts'
import type { Copy } from './copy.ts'
import { invalid } from './entered.ts'
import type { PendingUpdate } from './memory.ts'
import { centsOf, totalOf } from './money.ts'
import { type Fields, isUnresolved, type Named, overriding, type Pending } from './pending.ts'
import type { Key } from './rows.ts'
import type { Listed } from './shown-row.ts'
import { idOf } from './store.ts'
import type { View } from './view.ts'

/*
 * The refusals of reconciled periods on the device. The service has the same rule in SQL, as part of each write
 * (src/database/reconciled.ts); a test compares the two.
 */

/** A row before a write and after it. */
type Written = Named & { before: Fields | undefined; after: Fields | undefined }

/** The last day of a reconciled period that a write would change, and the field that says so. */
type Lock = { field: string; through: string }

/** The last day of the reconciled period of an account; empty if it has none. */
type ThroughOf = (account: Key) => string

/**
 * The writes as they are to be made: with the override if they change a reconciled period, or would without what is pending
 * on this device. Throws LedgerError for such a write without `isOverride`, and for a period without a check that is ok.
 */
export function withinPeriods(copy: Copy, works: PendingUpdate[], isOverride = false): PendingUpdate[] {
  const view = copy.view()
  // The deletion of an account is not bound by the periods of others.
  const isOfAccount = works.some(({ noun }) => noun === 'account')
  return works.map((work) => {
    const isFree = isOverride || (isOfAccount && work.noun !== 'account')
    const written = writtenBy(copy, work)
    requireCheck(view, written)
    const lock = lockOf(view, written, (account) => throughOf(copy, account))
    // A new starting balance is not bound by a period that the same write opens.
    const isOpened = work.noun === 'account' && written.after?.reconciled_through === null
    if (lock && !isOpened && !isFree)
      throw invalid({ [lock.field]: [reconciledText(dayInWords(lock.through))] }, lock.through)
    // A period that was opened here may be reconciled again before the service learns of it.
    if (!lock && !lockOf(view, written, servedThrough(view))) return work
    return { ...work, change: (one) => overridden(work.change(one)) }
  })
}

const overridden = (one: Pending | undefined) => one && overriding(one)

/** The last day of the reconciled period that a pending change is in, for the service; null if it is in none. */
export function reconciledThroughOf({ view }: Copy, one: Pending): string | null {
  const { noun, key } = one
  const rows = { before: view().served(noun, key), after: view().withPending(noun, key, one) }
  return lockOf(view(), { noun, key, ...rows }, servedThrough(view()))?.through ?? null
}

function writtenBy({ view, pending }: Copy, { noun, key, change }: PendingUpdate): Written {
  const one = pending.get(idOf({ noun, key }))
  // A change that was refused has not been made.
  const before = one && isUnresolved(one) ? view().served(noun, key) : (view().get(noun, key) as Fields)
  return { noun, key, before, after: view().withPending(noun, key, change(one)) }
}

/** Refuses to reconcile a period that does not end with a check that is ok. */
function requireCheck(view: View, { noun, key, before, after }: Written): void {
  const through = after?.reconciled_through
  if (noun !== 'account' || !before || !through || through === before.reconciled_through) return
  const moved = centsOf(String(after.starting_balance)) - centsOf(String(before.starting_balance))
  const check = checkedBalances(view, key).find(({ date }) => date === through)
  if (!check || check.difference !== totalOf(-moved))
    throw invalid({ reconciled_through: [noMatchingCheckText] })
}

/** The end of a period as this device shows it, unless the service has refused it. */
function throughOf({ view, pending }: Copy, account: Key): string {
  const one = pending.get(`account ${account}`)
  if (one && isUnresolved(one)) return servedThrough(view())(account)
  return view().get('account', account)?.reconciled_through ?? ''
}

const servedThrough =
  (view: View): ThroughOf =>
  (account) =>
    String(view.served('account', account)?.reconciled_through ?? '')

function lockOf(view: View, written: Written, throughOf: ThroughOf): Lock | undefined {
  const { field, days } = balancesIn(view, written)
  const through = lockedThrough(
    days.map(([account, day]) => ({ account, day })),
    throughOf,
  )
  return through ? { field, through } : undefined
}

type Day = [account: Key, day: string]

/** The accounts whose balances a write changes, or whose checks, each with the day from which on. */
function balancesIn(view: View, { noun, key, before, after }: Written): { field: string; days: Day[] } {
  if (noun === 'transaction') return { field: 'transaction_date', days: daysMoved(view, before, after) }
  const changes = (...fields: string[]) => before && fields.some((field) => before[field] !== after?.[field])
  if (noun === 'account' && after && changes('starting_balance'))
    return { field: 'starting_balance', days: [[key, '']] }
  if (noun === 'balance_check' && before && changes('date', 'balance'))
    return { field: 'date', days: [[String(before.account_id), String(before.date)]] }
  return { field: '', days: [] }
}

function daysMoved({ accountOf }: View, before: Fields | undefined, after: Fields | undefined): Day[] {
  const [taken, made] = [before, after].map((row) => (row ? movementsOf(row as Listed, accountOf) : []))
  return netMovements(taken ?? [], made ?? []).map(({ account, day }) => [account, day])
}
