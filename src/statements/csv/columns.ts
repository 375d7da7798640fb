import type { Problems } from '../problems.ts'
import { shown } from '../text.ts'
import { isBlankAmount } from '../written/amount.ts'
import { type CsvField, foldHeader, headerNames, namesCurrency } from './header-names.ts'

/** Where each field stands: the numbers of its columns, the best first; several for a description, else one. */
export type Columns = Partial<Record<CsvField, number[]>>

const several = new Set<CsvField>(['description', 'payee'])

/** So many columns of one meaning are looked at; no bank has as many, and each row is searched for each of them. */
export const maxTwins = 16
/** So many fields of a mapping that mean nothing are named. */
const unknownListed = 3

/** The place of each name among those of its field. */
const rank = new Map(
  (Object.entries(headerNames) as [CsvField, string[]][]).map(([field, names]) => [
    field,
    new Map(names.map((name, i) => [name, i] as const)),
  ]),
)

/** The columns that these headers name, of the fields asked for. */
export function columnsOf(headers: string[], fields: readonly CsvField[]): Columns {
  const folded = headers.map(foldHeader)
  const columns: Columns = {}
  for (const field of fields) {
    const ranks = rank.get(field)
    const found = folded
      .map((header, column) => ({ column, rank: ranks?.get(header) ?? -1 }))
      .filter((candidate) => candidate.rank >= 0)
    if (several.has(field)) columns[field] = found.map(({ column }) => column)
    else {
      const best = Math.min(...found.map((candidate) => candidate.rank))
      columns[field] = preferred(
        headers,
        found.filter((one) => one.rank === best).map(({ column }) => column),
      )
    }
    columns[field]?.splice(maxTwins)
    if (columns[field]?.length === 0) delete columns[field]
  }
  const byCurrency = headers.flatMap((header, i) => (currencyOfAmounts(header) ? [i] : []))
  const named = columns.amount ?? columns.debit ?? columns.credit
  if (fields.includes('amount') && !named && byCurrency.length > 0)
    columns.amount = byCurrency.slice(0, maxTwins)
  return columns
}

/** Of `bedrag` and `bedrag in EUR` the second is what moved on the account. */
function preferred(headers: string[], columns: number[]): number[] {
  const inCurrency = columns.filter((column) => namesCurrency(headers[column] ?? ''))
  return columns.length > 1 && inCurrency.length === 1 ? inCurrency : columns
}

/** The currency of a column of amounts that is named by nothing else: `CAD$` and `USD$`. */
export function currencyOfAmounts(header: string): string | null {
  return /^(CAD|USD) ?\$$/i.exec(header.trim())?.[1]?.toUpperCase() ?? null
}

/** Of the columns for one currency each, those that hold anything: one, or in the file of a bank one in each row. */
export function filledCurrencies(
  columns: Columns,
  headers: string[],
  rows: string[][],
  ofBank: boolean,
): { columns: Columns; settled: boolean } {
  const all = columns.amount ?? []
  if (all.length < 2 || !all.every((column) => currencyOfAmounts(headers[column] ?? '')))
    return { columns, settled: false }
  const has = (cells: string[], column: number) => !isBlankAmount(cells[column] ?? '')
  const used = all.filter((column) => rows.some((cells) => has(cells, column)))
  if (used.length < 2)
    return { columns: { ...columns, amount: [used[0] ?? (all[0] as number)] }, settled: true }
  const oneEach = rows.every((cells) => all.filter((column) => has(cells, column)).length < 2)
  return { columns, settled: ofBank && oneEach }
}

/** A table of transactions has a date and an amount, in one column or two. */
export function isTable(columns: Columns): boolean {
  return Boolean(columns.date && (columns.amount || columns.debit || columns.credit))
}

/**
 * Puts what the mapping says in the place of what the headers say. A field may be given a header, or the number of a
 * column, and an empty one says that no column has it.
 */
export function applyMapping(
  columns: Columns,
  headers: string[],
  mapping: Record<string, string>,
  fields: readonly CsvField[],
  problems: Problems,
): Columns {
  const mapped = withoutSettled(columns, mapping)
  const unknown = Object.keys(mapping).filter((field) => !isFieldOf(field, fields))
  for (const field of unknown.slice(0, unknownListed))
    problems.add('mapping', `The :field field ${shown(field)} is unknown; known are ${fields.join(', ')}.`)
  for (const [field, header] of Object.entries(mapping)) {
    if (!isFieldOf(field, fields)) continue
    if (header.trim() === '') {
      delete mapped[field]
      continue
    }
    const column = columnNamed(headers, header)
    if (column === null)
      problems.add('mapping', `The file has no column ${shown(header)}; it has ${listed(headers)}.`)
    else mapped[field] = [column]
  }
  return mapped
}

/** Who maps the amount wants no debits and credits that happen to be there, and the other way round. */
function withoutSettled(columns: Columns, mapping: Record<string, string>): Columns {
  const settled = { ...columns }
  const says = (field: string) => Boolean(mapping[field]?.trim())
  if (says('amount') && !says('debit') && !says('credit')) {
    delete settled.debit
    delete settled.credit
  }
  if (!says('amount') && (says('debit') || says('credit'))) delete settled.amount
  return settled
}

/** The column with this header, compared exactly and then as headers are; or with this number. */
export function columnNamed(headers: string[], header: string): number | null {
  const name = header.trim()
  const lower = name.toLowerCase()
  const exact = headers.findIndex((candidate) => candidate.trim().toLowerCase() === lower)
  if (exact >= 0) return exact
  const sought = foldHeader(name)
  const folded = sought === '' ? -1 : headers.findIndex((candidate) => foldHeader(candidate) === sought)
  if (folded >= 0) return folded
  const number = /^\d{1,3}$/.test(name) ? Number(name) : 0
  return number >= 1 && number <= headers.length ? number - 1 : null
}

/** Two columns of one name cannot both be meant; the mapping must say which. */
export function refuseTwins(columns: Columns, headers: string[], problems: Problems): void {
  for (const field of ['date', 'amount', 'debit', 'credit'] as const) {
    const found = columns[field] ?? []
    if (found.length > 1)
      problems.add(
        'mapping',
        `The ${field} could be any of the columns ${found.map((column) => `${column + 1} (${shown(headers[column] ?? '')})`).join(', ')}; say which by its number.`,
      )
  }
}

/** The headers of a file, as errors list them. */
export function listed(headers: string[]): string {
  const names = headers.map((header, i) => shown(header) || `column ${i + 1}`)
  return names.length <= 30 ? names.join(', ') : `${names.slice(0, 30).join(', ')} …`
}

function isFieldOf(field: string, fields: readonly CsvField[]): field is CsvField {
  return (fields as readonly string[]).includes(field)
}
