import { isBlankAmount } from '../../shared/amount.ts'
import { currencyBeside, currencyCodes, isUnit } from '../../shared/currencies.ts'
import { hundredths } from '../text/contents.ts'
import { moneyFields } from '../text/header-names.ts'
import type { Columns, Header } from '../text/headers.ts'
import { markOf } from '../text/mark-words.ts'
import type { CsvRecord } from '../text/records.ts'

/** Longer cells hold no amount. */
const maxAmountLength = 80

/** The currency that a header names: a code as in `CAD$`, a sign as in `Valor (R$)`, or a word. */
export function currencyOfAmounts(header: string): string | null {
  const code = header.match(/(?<![A-Z])[A-Z]{3}(?![A-Z])/g)?.find((one) => currencyCodes.has(one))
  return code ?? /[A-Z]{0,2}\p{Sc}[A-Z]?|\b(?:pesos|d[oó]lares|soles|reais)\b/iu.exec(header)?.[0] ?? null
}

/** The one word beside all amounts of a table that is no known currency, such as `Lsd`; null if there is none. */
export function unknownCurrency(columns: Columns, body: CsvRecord[]): string | null {
  const places = [...moneyFields, 'balance' as const].flatMap((field) => columns[field] ?? [])
  let found: string | null = null
  for (const { cells } of body)
    for (const column of places) {
      const text = cells[column] ?? ''
      if (!/\p{Nd}/u.test(text)) continue
      const words = text.slice(0, maxAmountLength).match(/\p{L}[\p{L}./]*/gu) ?? []
      const [word = null] = words
      if (word === null || words.length > 1 || (found !== null && word !== found)) return null
      if (found === null && (currencyBeside(word) || isUnit(word) || markOf(word))) return null
      found = word
    }
  return found
}

/** Columns of amounts in a currency each, of at least two. */
export function columnsOfCurrencies(headers: Header[], columns: number[]): number[] {
  const all = Map.groupBy(columns, (column) => currencyOfAmounts(headers[column]?.text ?? ''))
  all.delete(null)
  return all.size > 1 && [...all.values()].every(({ length }) => length === 1) ? [...all.values()].flat() : []
}

/** Where no row fills two of the columns, all that are filled; else null. */
export function filledCurrencies(all: number[], body: CsvRecord[]): number[] | null {
  const filledIn = ({ cells }: CsvRecord) => all.filter((column) => !isBlankAmount(cells[column] ?? ''))
  const used = [...new Set(body.flatMap(filledIn))]
  return used.length > 0 && body.every((record) => filledIn(record).length < 2) ? used : null
}

/** Headers of what was billed in the currency of the account. */
const billed =
  /\b(?:billed|billing|settled|settlement|converted|charged|posted|home|local|abgerechnet\w*|belastet\w*|debite\w*|facture\w*|cobrad[ao]|facturad[ao]|faturad[ao]|convertid[ao]|addebitat[ao]|convertit[ao]|afgeschreven|rozliczen\w*|konto(?:belopp|waluty)?)\b/

/** True if two columns hold the same amounts in one of the currencies, and others elsewhere: in all rows if one is billed. */
export function differAbroad(
  rows: string[][],
  one: number,
  other: number,
  currencies: (string | null)[],
  header: Header | undefined,
): boolean {
  const values = rows.map((cells) => [hundredths(cells[one] ?? ''), hundredths(cells[other] ?? '')])
  const abroad = new Set(currencies.filter((_, i) => values[i]?.[0] !== values[i]?.[1]))
  const home = new Set(currencies.filter((currency) => !abroad.has(currency)))
  const hasHome = home.size === 1 || (home.size === 0 && billed.test(header?.name ?? ''))
  return abroad.size > 0 && hasHome && values.every(([, value]) => value !== 0)
}
