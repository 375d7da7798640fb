import type { Ledger, LedgerFilter, LedgerTransaction } from 'purse-client'
import { typedAmount } from './amounts.ts'
import { keptRead } from './store.ts'

const pageSize = 30
const largestPage = 500

/** `rule` is the key of a recurring transaction whose occurrences are looked for. */
export type RowFilter = LedgerFilter & { rule?: string | undefined }
type Found = { rows: LedgerTransaction[]; total: number }

const findKept = keptRead(
  (ledger: Ledger, [filter, pages]: [RowFilter, number]): Found => findNow(ledger, filter, pages),
)

/** The first pages of what a filter finds, and how much there is in all. Throws LedgerError. */
export const find = (ledger: Ledger, filter: RowFilter, pages: number): Found =>
  findKept(ledger, [filter, pages])

/** All that a filter finds. Throws LedgerError. */
export function findAll(ledger: Ledger, filter: RowFilter): LedgerTransaction[] {
  const { total } = find(ledger, filter, 1)
  return find(ledger, filter, Math.ceil(total / pageSize)).rows
}

type Amounts = Pick<LedgerFilter, 'amount_from' | 'amount_to'>
const figure = String.raw`(\d(?:[\d.,']*\d)?)`
const comparison = new RegExp(String.raw`(?:^|\s)([<>]=?)\s*${figure}(?=\s|$)`)
const range = new RegExp(String.raw`(?:^|\s)${figure}(?:\.{2,3}|\s?[-–…]\s?)${figure}(?=\s|$)`)

/** Takes `> 100`, `<= 20` and `10-20` out of what was typed; the rest is a text. */
function readSearch(typed: string): Amounts & { text: string } {
  const between = range.exec(typed)
  const [from = 0, to = 0] = between?.slice(1).map(centsOf) ?? []
  // 2026-11 is no range.
  if (between && from <= to)
    return {
      ...{ amount_from: textOf(from), amount_to: textOf(to) },
      text: typed.replace(between[0], ' ').trim(),
    }
  const compared = comparison.exec(typed)
  if (!compared) return { text: typed }
  const [found, sign = '', amount = ''] = compared
  const { text, ...others } = readSearch(typed.replace(found, ' ').trim())
  const strict = sign.endsWith('=') ? 0 : 1
  const bound: Amounts = sign.startsWith('>')
    ? { amount_from: textOf(centsOf(amount) + strict) }
    : { amount_to: textOf(centsOf(amount) - strict) }
  return { ...others, ...bound, text }
}

const centsOf = (typed: string): number => Math.round(100 * Number(typedAmount(typed).amount))
const textOf = (cents: number): string => (cents / 100).toFixed(2)

function findNow(ledger: Ledger, { q = '', rule, ...filter }: RowFilter, pages: number): Found {
  const { text, ...amounts } = readSearch(q.replace(/^[+−-]/, '').trim())
  // The API's own search knows neither categories nor amounts.
  const words = text ? [...new Set([text, typedAmount(text).amount])] : undefined
  // A transfer needs no category, so it is not uncategorized.
  const typesFiled = filter.category_id === 'none' ? (['income', 'expense'] as const) : undefined
  const query: LedgerFilter = { ...filter, ...amounts, words, type: filter.type ?? typesFiled }
  if (rule !== undefined) return occurrencesAmong(ledger, query, { rule, most: pages * pageSize })
  const per_page = Math.min(pages * pageSize, largestPage)
  const found = Array.from({ length: Math.ceil((pages * pageSize) / per_page) }, (_, at) =>
    ledger.transactions({ ...query, per_page, page: at + 1 }),
  )
  return {
    rows: found.flatMap(({ data }) => data).slice(0, pages * pageSize),
    total: found[0]?.total ?? 0,
  }
}

/** The occurrences of a rule, for which the ledger has no filter. */
function occurrencesAmong(
  ledger: Ledger,
  query: LedgerFilter,
  { rule, most }: { rule: string; most: number },
): Found {
  const { last_page } = ledger.transactions({ ...query, per_page: largestPage })
  const pages = Array.from({ length: last_page }, (_, at) => at + 1)
  const all = pages
    .flatMap((page) => ledger.transactions({ ...query, per_page: largestPage, page }).data)
    .filter(({ recurring_key }) => recurring_key === rule)
  return { rows: all.slice(0, most), total: all.length }
}
