import type { Ledger, LedgerFilter, LedgerTransaction } from 'purse-client'
import { typedAmount } from './amounts.ts'

const pageSize = 30
const largestPage = 500

type Found = { rows: LedgerTransaction[]; total: number }
/** What was found last, until the ledger changes: pages are drawn for other reasons as well. */
const last = new WeakMap<Ledger, { query: string; found: Found }>()

/** The first pages of what a filter finds, and how much there is in all. Throws LedgerError. */
export function find(ledger: Ledger, filter: LedgerFilter, pages: number): Found {
  const query = JSON.stringify([filter, pages])
  const known = last.get(ledger)
  if (known?.query === query) return known.found
  const found = findNow(ledger, filter, pages)
  last.set(ledger, { query, found })
  const forget = ledger.subscribe(() => {
    last.delete(ledger)
    forget()
  })
  return found
}

/** All that a filter finds. Throws LedgerError. */
export function findAll(ledger: Ledger, filter: LedgerFilter): LedgerTransaction[] {
  const { total } = find(ledger, filter, 1)
  return find(ledger, filter, Math.ceil(total / pageSize)).rows
}

function findNow(ledger: Ledger, { q = '', ...filter }: LedgerFilter, pages: number): Found {
  const text = q.replace(/^[+−-]/, '').trim()
  // The API's own search knows neither categories nor amounts.
  const words = text ? [...new Set([text, typedAmount(text).amount])] : undefined
  // A transfer needs no category, so it is not uncategorized.
  const typesFiled = filter.category_id === 'none' ? (['income', 'expense'] as const) : undefined
  const per_page = Math.min(pages * pageSize, largestPage)
  const found = Array.from({ length: Math.ceil((pages * pageSize) / per_page) }, (_, at) =>
    ledger.transactions({ ...filter, type: filter.type ?? typesFiled, words, per_page, page: at + 1 }),
  )
  return {
    rows: found.flatMap(({ data }) => data).slice(0, pages * pageSize),
    total: found[0]?.total ?? 0,
  }
}
