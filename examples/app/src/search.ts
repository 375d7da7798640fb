import type { Ledger, LedgerFilter, LedgerTransaction } from 'purse-client'
import { typedAmount } from './amounts.ts'

export const pageSize = 50
const largestPage = 500

/** The first pages of what a filter finds, and how much there is in all. Throws LedgerError. */
export function find(ledger: Ledger, filter: LedgerFilter, pages: number) {
  const { q = '', ...others } = filter
  // A transfer needs no category, so it is not uncategorized.
  const isUnfiled = filter.category_id === 'none' && !filter.type
  if (!q.trim() && !isUnfiled) {
    const all = Array.from({ length: pages }, (_, at) => ledger.transactions({ ...others, page: at + 1 }))
    return { rows: all.flatMap(({ data }) => data), total: all[0]?.total ?? 0 }
  }
  const contains = containing(q)
  const found = allOf(ledger, others).filter(
    (row) => contains(row) && !(isUnfiled && row.type === 'transfer'),
  )
  return { rows: found.slice(0, pages * pageSize), total: found.length }
}

function allOf(ledger: Ledger, filter: LedgerFilter): LedgerTransaction[] {
  const query = { ...filter, per_page: largestPage }
  const first = ledger.transactions(query)
  const rest = Array.from({ length: first.last_page - 1 }, (_, at) =>
    ledger.transactions({ ...query, page: at + 2 }),
  )
  return [first, ...rest].flatMap(({ data }) => data)
}

/** Looks for each word in whatever a row shows. The API's own search knows neither categories nor amounts. */
function containing(q: string) {
  const words = q.toLowerCase().normalize().split(/\s+/).filter(Boolean)
  const { amount } = typedAmount(q)
  return (row: LedgerTransaction): boolean => {
    const { description, reference, category, account, to_account } = row
    const texts = [description, reference, category?.name, account.name, to_account?.name, row.amount]
    const text = texts.join('\n').toLowerCase()
    return row.amount === amount || words.every((word) => text.includes(word))
  }
}
