import { isBlankAmount } from '../written/amount.ts'
import { hundredths } from './contents.ts'
import type { Header } from './headers.ts'
import type { CsvRecord } from './records.ts'

/** The currency of a column of amounts that has no other name: `CAD$` and `USD$`. */
export function currencyOfAmounts(header: string): string | null {
  return /^(CAD|USD) ?\$$/i.exec(header)?.[1]?.toUpperCase() ?? null
}

/** Where each currency has its own column of amounts and no row fills two, all that are filled; else null. */
export function filledCurrencies(headers: Header[], body: CsvRecord[]): number[] | null {
  const all = headers.flatMap(({ text }, column) => (currencyOfAmounts(text) ? [column] : []))
  if (all.length < 2) return null
  const filledIn = ({ cells }: CsvRecord) => all.filter((column) => !isBlankAmount(cells[column] ?? ''))
  const used = [...new Set(body.flatMap(filledIn))]
  return used.length > 0 && body.every((record) => filledIn(record).length < 2) ? used : null
}

/** True if two columns hold the same amounts in one of the currencies, and others elsewhere. */
export function differAbroad(
  rows: string[][],
  one: number,
  other: number,
  currencies: (string | null)[],
): boolean {
  const values = rows.map((cells) => [hundredths(cells[one] ?? ''), hundredths(cells[other] ?? '')])
  const abroad = new Set(currencies.filter((_, i) => values[i]?.[0] !== values[i]?.[1]))
  const home = new Set(currencies.filter((currency) => !abroad.has(currency)))
  return abroad.size > 0 && home.size === 1 && values.every(([, value]) => value !== 0)
}
