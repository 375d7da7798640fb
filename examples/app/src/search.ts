import type { Ledger, LedgerFilter, LedgerTransaction } from 'purse-client'
import { typedAmount } from './amounts.ts'

const pageSize = 30
const largestPage = 500

/** The first pages of what a filter finds, and how much there is in all. Throws LedgerError. */
export function find(ledger: Ledger, filter: LedgerFilter, pages: number) {
  const { q = '', ...others } = filter
  // A transfer needs no category, so it is not uncategorized.
  const isUnfiled = filter.category_id === 'none' && !filter.type
  if (!q.trim() && !isUnfiled) {
    const all = Array.from({ length: pages }, (_, at) =>
      ledger.transactions({ ...others, per_page: pageSize, page: at + 1 }),
    )
    return { rows: all.flatMap(({ data }) => data), total: all[0]?.total ?? 0 }
  }
  const matches = matching(q)
  const found = textsOf(ledger, others).filter(
    ([row, text]) => matches(row, text) && !(isUnfiled && row.type === 'transfer'),
  )
  return { rows: found.slice(0, pages * pageSize).map(([row]) => row), total: found.length }
}

type Searched = [row: LedgerTransaction, text: string][]
/** The texts of the last search, until the ledger changes: people search as they type. */
const kept = new WeakMap<Ledger, { filter: string; texts: Searched }>()

/** The transactions that a filter finds, with the text that a search reads. */
export function textsOf(ledger: Ledger, filter: LedgerFilter): Searched {
  const known = kept.get(ledger)
  if (known?.filter === JSON.stringify(filter)) return known.texts
  const texts = allOf(ledger, filter).map((row): Searched[number] => {
    const { description, reference, category, account, to_account, amount } = row
    const shown = [description, reference, category?.name, account.name, to_account?.name, amount]
    return [row, shown.join('\n').toLowerCase()]
  })
  kept.set(ledger, { filter: JSON.stringify(filter), texts })
  const forget = ledger.subscribe(() => {
    kept.delete(ledger)
    forget()
  })
  return texts
}

function allOf(ledger: Ledger, filter: LedgerFilter): LedgerTransaction[] {
  const query = { ...filter, per_page: largestPage }
  const pages = Array.from({ length: ledger.transactions(query).last_page }, (_, at) => at + 1)
  return pages.flatMap((page) => ledger.transactions({ ...query, page }).data)
}

/** Looks for each word in the texts that a row shows. The API's own search knows neither categories nor amounts. */
function matching(q: string) {
  const unsigned = q
    .replace(/^[+−-]/, '')
    .toLowerCase()
    .normalize()
  const words = unsigned.split(/\s+/).filter(Boolean)
  const { amount } = typedAmount(unsigned)
  return (row: LedgerTransaction, text: string): boolean =>
    row.amount === amount || words.every((word) => text.includes(word))
}
