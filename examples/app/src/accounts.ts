import type { Ledger, LedgerAccount } from 'purse-client'
import { accountsOf } from './order.ts'

/** The accounts in the order of lists: those that are closed last. */
export const openFirst = (ledger: Ledger): LedgerAccount[] =>
  accountsOf(ledger).toSorted((a, b) => Number(a.closed_on !== null) - Number(b.closed_on !== null))

type Label = Pick<LedgerAccount, 'type' | 'kind'>
const types = { bank: 'Bank', mobile: 'Mobile money', cash: 'Cash' }
const kinds = {
  current: 'Current',
  savings: 'Savings',
  card: 'Card',
  loan: 'Loan',
  investment: 'Investment',
}

/** What a person calls such an account. */
export function nameOfKind({ type, kind }: Label): string {
  if (!kind) return types[type]
  return type === 'bank' ? kinds[kind] : `${kinds[kind]}, ${types[type].toLowerCase()}`
}

/** The choices of a form, with what the account is now. */
export function kindOptions(row: Label | undefined): [value: string, name: string][] {
  const usual = Object.keys(kinds).map((kind) => ({ type: 'bank', kind }) as Label)
  const labels: Label[] = [...usual, { type: 'mobile', kind: null }, { type: 'cash', kind: null }]
  const options = new Map(
    [...labels, ...(row ? [row] : [])].map((one) => [valueOfKind(one), nameOfKind(one)]),
  )
  return [...options]
}

/** A choice, as a form sends it. */
export const valueOfKind = ({ type, kind }: Label) => `${type}/${kind ?? ''}`

/** The fields of a choice. */
export function kindOf(value: string): Label {
  const [type, kind] = value.split('/')
  return { type, kind: kind || null } as Label
}

/** What the deletion of an account would take with it. */
export type Loss = { rows: number; others: { account: string; change: number }[] }

const largestPage = 500

/** The transactions that go with an account, and by how much the balances of others change. */
export function lossWith(ledger: Ledger, { key }: LedgerAccount): Loss {
  const { total: rows } = ledger.transactions({ account_id: key, per_page: 1 })
  const query = { account_id: key, type: 'transfer' as const, per_page: largestPage }
  const pages = Array.from({ length: ledger.transactions(query).last_page }, (_, at) => at + 1)
  const cents = new Map<string, number>()
  for (const { account, to_account, amount } of pages.flatMap(
    (page) => ledger.transactions({ ...query, page }).data,
  )) {
    const isOut = account.key === key
    const other = isOut ? to_account : account
    const moved = Number(amount.replace('.', ''))
    if (other) cents.set(other.name, (cents.get(other.name) ?? 0) + (isOut ? -moved : moved))
  }
  const others = [...cents].filter(([, change]) => change !== 0)
  return { rows, others: others.map(([account, change]) => ({ account, change: change / 100 })) }
}
