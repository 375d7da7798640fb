import type { Problems } from '../problems.ts'
import { quoted } from '../text.ts'
import { isBlankAmount } from '../written/amount.ts'
import { type CsvField, foldHeader, headerNames, namesCurrency } from './header-names.ts'
import type { CsvRecord } from './records.ts'

/** A header as it is written, and as it is compared. */
export type Header = { text: string; name: string }

/**
 * The columns of each field, the best first. Once they are settled, date, debit and credit have one each, and so has the
 * amount, unless each currency has its own.
 */
export type Columns = Partial<Record<CsvField, number[]>>

/** How many columns of one meaning are considered: no bank has more, and each costs a pass over all rows. */
export const maxTwins = 16
/** The most columns that an error lists. */
export const columnsListed = 30
/** The most unknown fields of a mapping that errors name. */
const unknownListed = 3

/** The fields that may have several columns. */
const several = new Set<CsvField>(['description', 'payee'])

/** The fields that each name can stand for, and its rank among the names of that field. */
const meanings = new Map<string, { field: CsvField; rank: number }[]>()
for (const [field, names] of Object.entries(headerNames) as [CsvField, string[]][])
  for (const [rank, name] of names.entries())
    meanings.set(name, [...(meanings.get(name) ?? []), { field, rank }])

/** The cells of a header row, each folded once. */
export function headersOf(cells: string[]): Header[] {
  return cells.map((cell) => ({ text: cell.trim(), name: foldHeader(cell) }))
}

/**
 * A score for a row as the header row: the fields that it names, and the columns of the mapping that it has; 0 if it is
 * none. A single name from the mapping makes it one.
 */
export function headerScore(cells: string[], mapped: string[], fields: readonly CsvField[]): number {
  if (cells.length < 2) return 0
  const headers = headersOf(cells)
  const columns = columnsOf(headers, fields)
  const named = mapped.filter((name) => columnNamed(headers, name) !== null)
  return isTable(columns) || named.length > 0 ? Object.keys(columns).length + named.length : 0
}

/** The columns that these headers name. */
export function columnsOf(headers: Header[], fields: readonly CsvField[]): Columns {
  const found = new Map<CsvField, { column: number; rank: number }[]>()
  for (const field of fields) found.set(field, [])
  for (const [column, { name }] of headers.entries())
    for (const { field, rank } of meanings.get(name) ?? []) found.get(field)?.push({ column, rank })
  const columns: Columns = {}
  for (const [field, all] of found) {
    const best = Math.min(...all.map(({ rank }) => rank))
    const chosen = several.has(field) ? all : all.filter(({ rank }) => rank === best)
    const numbers = chosen.map(({ column }) => column)
    const kept = several.has(field) ? numbers : preferred(headers, numbers)
    if (kept.length > 0) columns[field] = kept.slice(0, maxTwins)
  }
  const byCurrency = columnsWhere(headers, ({ text }) => currencyOfAmounts(text) !== null)
  const isNamed = columns.amount ?? columns.debit ?? columns.credit
  if (fields.includes('amount') && !isNamed && byCurrency.length > 0) columns.amount = byCurrency
  return columns
}

/** True for the fields of a bank's file: only these have a currency. */
export function isBankFile(fields: readonly CsvField[]): boolean {
  return fields.includes('currency')
}

/** The currency of a column of amounts that has no other name: `CAD$` and `USD$`. */
export function currencyOfAmounts(header: string): string | null {
  return /^(CAD|USD) ?\$$/i.exec(header)?.[1]?.toUpperCase() ?? null
}

/**
 * The columns of a table as they are to be read: what was detected, unless the mapping says otherwise. `dateColumns`
 * hold dates of any meaning. Adds an error if the mapping does not fit, if two columns could be meant, or if
 * dates or amounts are missing.
 */
export function settleColumns(
  detected: Columns,
  headers: Header[],
  body: CsvRecord[],
  mapping: Record<string, string>,
  fields: readonly CsvField[],
  problems: Problems,
): { columns: Columns; dateColumns: number[] } {
  const mapped = applyMapping(detected, headers, mapping, fields, problems)
  const byCurrency = filledCurrencies(mapped, headers, body, isBankFile(fields))
  const columns = byCurrency ? { ...mapped, amount: byCurrency } : mapped
  if (!byCurrency) checkTwins(columns, headers, problems)
  if (!problems.any && !isTable(columns))
    problems.add(
      'mapping',
      `The file needs a date column and an amount column (or debit and credit), but none is recognised among ${listed(headers)}; name them by header or by number.`,
    )
  const named = columnsWhere(headers, ({ name }) =>
    Boolean(meanings.get(name)?.some(({ field }) => field === 'date')),
  )
  return { columns, dateColumns: [...new Set([...(columns.date ?? []), ...named])].slice(0, maxTwins) }
}

/** A table of transactions has dates, and amounts in one column or two. */
function isTable(columns: Columns): boolean {
  return Boolean(columns.date && (columns.amount || columns.debit || columns.credit))
}

/**
 * Of columns with one name, the one that states a currency, if only one does: of `bedrag` and `bedrag in EUR`, the second
 * is what moved on the account.
 */
function preferred(headers: Header[], columns: number[]): number[] {
  const inCurrency = columns.filter((column) => namesCurrency(headers[column]?.text ?? ''))
  return columns.length > 1 && inCurrency.length === 1 ? inCurrency : columns
}

function columnsWhere(headers: Header[], test: (header: Header) => boolean): number[] {
  return headers.flatMap((header, column) => (test(header) ? [column] : [])).slice(0, maxTwins)
}

/**
 * Where each currency has its own column of amounts: the only one that is filled or, in a bank's file no row of which
 * fills two, all of them. Null if the columns are not of that kind, or if more of them are filled.
 */
function filledCurrencies(columns: Columns, headers: Header[], body: CsvRecord[], ofBank: boolean) {
  const all = columns.amount ?? []
  const [first] = all
  const areCurrencies = all.every((column) => currencyOfAmounts(headers[column]?.text ?? ''))
  if (first === undefined || all.length < 2 || !areCurrencies) return null
  const filledIn = ({ cells }: CsvRecord) => all.filter((column) => !isBlankAmount(cells[column] ?? ''))
  const used = new Set(body.flatMap(filledIn))
  if (used.size < 2) return [[...used][0] ?? first]
  return ofBank && body.every((record) => filledIn(record).length < 2) ? all : null
}

/** Applies the mapping, which gives a field the header or the number of its column; an empty one means no column. */
function applyMapping(
  columns: Columns,
  headers: Header[],
  mapping: Record<string, string>,
  fields: readonly CsvField[],
  problems: Problems,
): Columns {
  const mapped = withoutAlternatives(columns, mapping)
  const unknown = Object.keys(mapping).filter((field) => !isOneOf(field, fields))
  for (const field of unknown.slice(0, unknownListed))
    problems.add('mapping', `The :field field ${quoted(field)} is unknown; use one of ${fields.join(', ')}.`)
  for (const [field, header] of Object.entries(mapping)) {
    if (!isOneOf(field, fields)) continue
    const column = columnNamed(headers, header)
    if (header.trim() === '') delete mapped[field]
    else if (column !== null) mapped[field] = [column]
    else problems.add('mapping', `The file has no column ${quoted(header)}; it has ${listed(headers)}.`)
  }
  return mapped
}

/** A mapping of the amount excludes debits and credits that happen to be in the file, and vice versa. */
function withoutAlternatives(columns: Columns, mapping: Record<string, string>): Columns {
  const kept = { ...columns }
  const says = (field: string) => Boolean(mapping[field]?.trim())
  if (says('amount') && !says('debit') && !says('credit')) {
    delete kept.debit
    delete kept.credit
  }
  if (!says('amount') && (says('debit') || says('credit'))) delete kept.amount
  return kept
}

/** The column with this header, compared exactly and then folded; or the one with this number. */
function columnNamed(headers: Header[], header: string): number | null {
  const text = header.trim()
  const exact = headers.findIndex((one) => one.text.toLowerCase() === text.toLowerCase())
  if (exact >= 0) return exact
  const name = foldHeader(text)
  const folded = name === '' ? -1 : headers.findIndex((one) => one.name === name)
  if (folded >= 0) return folded
  const number = /^\d{1,3}$/.test(text) ? Number(text) : 0
  return number >= 1 && number <= headers.length ? number - 1 : null
}

/** Of two columns with the same name only one can be meant; the mapping has to say which. */
function checkTwins(columns: Columns, headers: Header[], problems: Problems): void {
  for (const field of ['date', 'amount', 'debit', 'credit'] as const) {
    const found = columns[field] ?? []
    if (found.length < 2) continue
    const candidates = found.map((column) => `${column + 1} (${quoted(headers[column]?.text ?? '')})`)
    problems.add(
      'mapping',
      `The ${field} could be any of the columns ${candidates.join(', ')}; choose one by its number.`,
    )
  }
}

/** The headers of a file, as listed in errors. */
function listed(headers: Header[]): string {
  const names = headers.map(({ text }, column) => quoted(text) || `column ${column + 1}`)
  return names.length <= columnsListed ? names.join(', ') : `${names.slice(0, columnsListed).join(', ')} …`
}

function isOneOf(field: string, fields: readonly CsvField[]): field is CsvField {
  return (fields as readonly string[]).includes(field)
}
