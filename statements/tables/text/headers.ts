import { quoted } from '../../shared/text.ts'
import { isOwed } from './debt-words.ts'
import { foldHeader } from './fold-header.ts'
import { type CsvField, headerNames, markNames, otherDates, pairsOfMarks } from './header-names.ts'
import { type Mark, markOf } from './mark-words.ts'

/** A header as it is written, and as it is compared. */
export type Header = { text: string; name: string }

/** The columns of each field, the best first. */
export type Columns = Partial<Record<CsvField, number[]>>

/** The most options of a question about columns, and of columns that are compared with balances. */
export const maxOptions = 8
/** How many columns of one meaning are considered: no bank has more, and each costs a pass over all rows. */
export const maxTwins = 16
/** How many columns of a table are looked at. */
export const maxColumns = 64
/** The most columns that an error lists. */
const columnsListed = 30

/** The fields that may have several columns. */
const several = new Set<CsvField>(['description', 'payee', 'counter_account', 'foreign_currency'])

/** The fields that each name can stand for, and its rank among the names of that field. */
const meanings = new Map<string, { field: CsvField; rank: number }[]>()
for (const [field, names] of Object.entries(headerNames) as [CsvField, string[]][])
  for (const [rank, name] of names.entries())
    meanings.set(name, [...(meanings.get(name) ?? []), { field, rank }])

/** The cells of a header row, each folded once; those in camel case are taken apart. */
export function headersOf(cells: string[]): Header[] {
  const headers = cells.map((cell) => {
    const name = foldHeader(cell)
    const apart = cell.slice(0, 200).replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    const found = meanings.has(name) || apart === cell ? name : foldHeader(apart)
    return { text: cell.trim(), name: withoutNumber(found) }
  })
  const year = yearBefore(headers)
  return headers.map((header, column) => (column === year ? { ...header, name: 'date' } : header))
}

/** The headers of a date in three columns. */
const partsOfDates = [/(?:\byear|年)\W?$/i, /(?:\bmonth|月)\W?$/i, /(?:\bday|日)\W?$/i]

/** Where no other column has dates, that of years with those of months and days beside it; -1 if there is none. */
export function yearBefore(headers: Header[]): number {
  const year = headers.findIndex((_, column) =>
    partsOfDates.every((part, i) => part.test(headers[column + i]?.text ?? '')),
  )
  return columnsNamed(headers, 'date').every((column) => column === year) ? year : -1
}

/** `Empfänger 2` is a further column of payees. */
function withoutNumber(name: string): string {
  const [, first = ''] = /^(.*[^\d ]) ?\d$/.exec(name) ?? []
  const isOfSeveral = meanings.get(first)?.some(({ field }) => field === 'description' || field === 'payee')
  return !meanings.has(name) && isOfSeveral ? first : name
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
  const isTable =
    columns.date && (columns.amount || columns.debit || columns.credit || columns.net || columns.balance)
  return isTable || named.length > 0 ? Object.keys(columns).length + named.length : 0
}

/** The columns that these headers name. Of several names of one field, the one listed first is meant. */
export function columnsOf(headers: Header[], fields: readonly CsvField[]): Columns {
  const found = new Map<CsvField, { column: number; rank: number }[]>()
  for (const [column, { name }] of headers.entries())
    for (const { field, rank } of meanings.get(name) ?? [])
      found.set(field, [...(found.get(field) ?? []), { column, rank }].slice(0, maxColumns))
  const columns: Columns = {}
  for (const field of fields) {
    const all = found.get(field) ?? []
    const best = Math.min(...all.map(({ rank }) => rank))
    const chosen = all.filter(({ rank }) => several.has(field) || rank === best)
    if (chosen.length > 0) columns[field] = chosen.slice(0, maxTwins).map(({ column }) => column)
  }
  return columns
}

/** All columns whose headers can mean a field. */
export function columnsNamed(headers: Header[], field: CsvField): number[] {
  return headers
    .flatMap(({ name }, column) => (meanings.get(name)?.some((one) => one.field === field) ? [column] : []))
    .slice(0, maxTwins)
}

/** True if the header is known, whatever it means. */
export const isKnown = (header: Header | undefined) => meanings.has(header?.name ?? '')

/** True if the header says that its dates are those of transactions, or value dates. */
export const isOtherDate = (header: Header | undefined) => otherDates.includes(header?.name ?? '')

/** True if a word of the header names a balance, and none a debt. */
export function mayBeBalance(header: Header | undefined): boolean {
  const words = header?.name.split(' ') ?? []
  const isBalance = (word: string) => meanings.get(word)?.some(({ field }) => field === 'balance')
  return words.some(isBalance) && !isOfDebt(header)
}

/** True if the header names a debt, which a debit raises. */
export const isOfDebt = (header: Header | undefined) => isOwed(header?.name ?? '')

/** True if the header says that its column holds marks of debits and credits. */
export const isMarkHeader = (header: Header | undefined) => markNames.includes(header?.name ?? '')

/**
 * The sides that a header such as `Dr/Cr` or `Cargo/Abono` names, by its words and their first letters; null if it does not
 * name both.
 */
export function sidesOf(header: Header): Map<string, Mark> | null {
  const words = header.name.split(' ').flatMap((word) => {
    const mark = markOf(word)
    return mark ? [{ word, mark }] : []
  })
  const areBoth = new Set(words.map(({ mark }) => mark)).size > 1 && !isOfCards(header)
  if (!areBoth) return pairsOfMarks.includes(header.name) ? new Map() : null
  const isOfOne = ({ word, mark }: (typeof words)[0]) =>
    words.every((other) => other.mark === mark || other.word[0] !== word[0])
  const letters = words.filter(isOfOne).map(({ word, mark }) => [word[0] ?? '', mark] as const)
  return new Map([...letters, ...words.map(({ word, mark }) => [word, mark] as const)])
}

/** True if the header names cards or other means of payment. */
export const isOfCards = ({ name }: Header) =>
  /\b(?:card|karte|kartennummer|carte|tarjeta|carta|cartao|method|zahlungsart)\b/.test(name)

/** The column with this header, compared exactly and then folded; or the one with this number. */
export function columnNamed(headers: Header[], header: string): number | null {
  const text = header.trim()
  const exact = headers.findIndex((one) => one.text.toLowerCase() === text.toLowerCase())
  if (exact >= 0) return exact
  const name = foldHeader(text)
  const folded = name === '' ? -1 : headers.findIndex((one) => one.name === name)
  if (folded >= 0) return folded
  const number = /^\d{1,3}$/.test(text) ? Number(text) : 0
  return number >= 1 && number <= headers.length ? number - 1 : null
}

/** A column as it is shown and can be sent: its header if no other column has it, else its number. */
export function nameOf(headers: Header[], column: number): string {
  const text = headers[column]?.text ?? ''
  return text !== '' && columnNamed(headers, text) === column && !/^\d+$/.test(text) && text.length <= 255
    ? text
    : String(column + 1)
}

/** The headers of a file, as listed in errors. */
export function listed(headers: Header[]): string {
  const names = headers.map(({ text }, column) => quoted(text) || `column ${column + 1}`)
  return names.length <= columnsListed ? names.join(', ') : `${names.slice(0, columnsListed).join(', ')} …`
}
