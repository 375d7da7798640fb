import type { Ledger, LedgerFields, LedgerRecurring, LedgerTransaction, Named } from 'purse-client'
import { money } from './amounts.ts'
import { shortDay } from './format.ts'
import { repeatsText } from './repeats.ts'

export function titleOf(row: LedgerTransaction): string {
  return row.description ?? row.category?.name ?? (row.type === 'transfer' ? 'Transfer' : 'Uncategorized')
}

/** Isolates the direction of a name's script from its neighbours (Unicode's first strong isolate). */
const isolated = (name: string): string => `\u2068${name}\u2069`

/** Where the money of a row was, and where it went. A category that is the title already is left out. */
export function wayOf(row: LedgerTransaction): string {
  const { account, to_account, category, description } = row
  if (to_account) return `${isolated(account.name)} → ${isolated(to_account.name)}`
  const names = description === null ? [account.name] : [category?.name ?? 'Uncategorized', account.name]
  return names.map(isolated).join(' · ')
}

/** The title of a recurring transaction. */
export const titleOfRule = ({ description, category, type }: LedgerRecurring): string =>
  description ?? category?.name ?? (type === 'transfer' ? 'Transfer' : 'Uncategorized')

export const inWords = (row: LedgerTransaction): string =>
  `“${titleOf(row)}”, ${money(row.amount)}, ${shortDay(row.transaction_date)}`

export function nameOf(ledger: Ledger, { noun, key }: Named): string {
  const row = noun === 'transaction' ? ledger.transaction(key) : undefined
  if (row) return inWords(row)
  const check = noun === 'balance_check' ? ledger.check(key) : undefined
  if (check) return `Balance of ${isolated(check.account.name)} on ${shortDay(check.date)}`
  const rule = noun === 'recurring' ? ledger.recurring().find((one) => one.key === key) : undefined
  if (rule) return `Recurring “${titleOfRule(rule)}”`
  // A deleted one is recognised by what is waiting for it.
  const known = ledger.waiting().find((one) => one.noun === noun && one.key === key)?.row
  return String(known?.name ?? known?.description ?? `Your ${noun.replace('_', ' ')}`)
}

export const nameOfField = (field: string): string =>
  field
    .replace(/^exceptions\.(.*)/, (_, date) => `the one of ${shortDay(date)}`)
    .replace(/_id$|^transaction_/g, '')
    .replaceAll('_', ' ')

export function shownValue(ledger: Ledger, field: string, value: LedgerFields[string] = null): string {
  if (value === null) return 'none'
  if (field.startsWith('exceptions.')) return shownException(JSON.parse(String(value)))
  if (field === 'rrule') return repeatsText(String(value))
  if (['amount', 'starting_balance', 'balance'].includes(field)) return money(String(value))
  if (field === 'transaction_date' || field === 'date') return shortDay(String(value))
  const named = field.endsWith('_id') ? [...ledger.accounts(), ...ledger.categories()] : []
  return named.find((one) => one.key === value)?.name ?? String(value)
}

/** Fields and their values, such as those that a change sets; those that are empty are left out. */
export const shownFields = (ledger: Ledger, fields: LedgerFields): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== null && value !== '')
    .map(([field, value]) => `${nameOfField(field)} ${shownValue(ledger, field, value)}`)
    .join(', ')

function shownException({ skip, ...others }: Record<string, unknown>): string {
  const texts = Object.entries(others).map(([field, one]) => `${nameOfField(field)} ${one}`)
  return skip ? 'skipped' : texts.join(', ')
}
