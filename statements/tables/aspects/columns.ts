import { type Aspects, asTold } from '../../shared/aspect.ts'
import { readWrittenDate } from '../../shared/date.ts'
import type { Problems } from '../../shared/problems.ts'
import { quoted } from '../../shared/text.ts'
import { type Contents, contentsOf } from '../text/contents.ts'
import type { CsvField } from '../text/header-names.ts'
import {
  type Columns,
  columnNamed,
  columnsNamed,
  columnsOf,
  type Header,
  isKnown,
  isOtherDate,
  listed,
  maxColumns,
  maxTwins,
  nameOf,
} from '../text/headers.ts'
import { markOf } from '../text/mark-words.ts'
import { type Layout, layoutOf } from '../text/published-layouts.ts'
import type { CsvRecord } from '../text/records.ts'
import { areStates, isFlagName } from '../text/state-words.ts'
import { isAccountNumber } from './accounts.ts'
import { isUsed, setColumns, settleColumn, type Table } from './column-choice.ts'
import { settleMoney, sideByBalances } from './money-columns.ts'

/** The meanings of a table's columns, and what these hold. */
type FoundColumns = {
  columns: Columns
  dateColumns: number[]
  /** Whether only balances tell the column of debits from that of credits. */
  areLed: boolean
  /** A column of texts under an unknown header, for rows that nothing else describes. */
  otherText: number | null
  layout: Layout | null
  contents: Contents
}

/** The most unknown fields of a mapping that errors name. */
const unknownListed = 3

/**
 * Settles what each column means: by the request or an earlier import, a published layout, known headers, the only column
 * that can be meant, or balances that lead from row to row.
 */
export function settleColumns(
  headers: Header[],
  body: CsvRecord[],
  fields: readonly CsvField[],
  aspects: Aspects,
  problems: Problems,
): FoundColumns {
  const contents = contentsOf(body.map(({ cells }) => cells))
  const layout = layoutOf(headers)
  const columns = columnsOf(headers, fields)
  const proofs: Table['proofs'] = new Map()
  const table: Table = { headers, body, columns, layout, proofs, contents, aspects, problems }
  applyLayout(table)
  applyMapping(table, fields)
  const isDated = (column: number) => contents.rows.some((cells) => readWrittenDate(cells[column] ?? ''))
  if (contents.dates.length > 0 && !columns.date?.some(isDated)) delete columns.date
  if (columns.date?.length === 1 && !proofs.has('date')) columns.date.push(...otherDateColumns(table))
  if (columns.date?.length !== 1) {
    const possible = (columns.date ?? contents.dates).map((column) => [column])
    settleColumn(table, 'date', possible, 'the only column with dates')
  }
  settleMoney(table)
  if (fields.includes('status')) chooseStates(table)
  addNames(table)
  addUnnamedTexts(table)
  const otherText = chooseDescription(table)
  recordTold(table, fields)
  // A mapping names one column: recorded for several, it would leave out the others in the next file.
  for (const [field, [column, ...others]] of Object.entries(columns) as [CsvField, number[]][]) {
    const isOne = column !== undefined && others.length === 0
    const name = `mapping.${field}`
    if (isOne && fields.includes(field) && !aspects.settled[name] && !aspects.isAsked(name))
      aspects.record(name, nameOf(headers, column), proofs.get(field) ?? 'a known header')
  }
  const dates = new Set([...(columns.date ?? []), ...columnsNamed(headers, 'date')])
  const areLed = proofs.get('debit') === sideByBalances || wereLed(table)
  return { columns, dateColumns: [...dates].slice(0, maxTwins), areLed, otherText, layout, contents }
}

/** True if an earlier import was asked which way columns go whose headers do not say it. */
function wereLed({ headers, columns: { debit, credit }, aspects: { told, kept } }: Table): boolean {
  const isNamed = (field: 'debit' | 'credit', [column = -1]: number[]) =>
    columnsNamed(headers, field).includes(column)
  if (!debit || !credit || told['mapping.debit'] !== undefined) return false
  const areNamed = isNamed('debit', debit) && isNamed('credit', credit)
  return !areNamed && ['as_written', 'inverted'].includes(kept?.values.signs ?? '')
}

/** Beside the date of a purchase or of a value, unknown columns of dates that differ from it: one may be the booking's. */
function otherDateColumns({ headers, columns, contents }: Table): number[] {
  const [date = -1] = columns.date ?? []
  const daysIn = (column: number) => new Set(textsIn(contents, column)).size
  // The day of a bill is the same in all its rows.
  const isOfBill = contents.rows.length > 2 && daysIn(date) === 1
  if (!isOfBill && !isOtherDate(headers[date])) return []
  return contents.dates.filter(
    (column) =>
      (isOfBill ? daysIn(column) > 1 : !isKnown(headers[column])) &&
      contents.rows.some((cells) => cells[column]?.trim() !== cells[date]?.trim()),
  )
}

function applyLayout({ headers, columns, proofs, layout }: Table): void {
  for (const [field, name] of Object.entries(layout?.columns ?? {}) as [CsvField, string][]) {
    const column = columnNamed(headers, name)
    if (name === '') delete columns[field]
    else if (column !== null) columns[field] = [column]
    proofs.set(field, `the layout of ${layout?.name}`)
  }
}

/** Applies the mapping, which gives a field the header or the number of its column; an empty one means no column. */
function applyMapping(
  { headers, columns, proofs, aspects, problems }: Table,
  fields: readonly CsvField[],
): void {
  const mappings = Object.keys(aspects.told).filter((name) => name.startsWith('mapping.'))
  const unknown = mappings.map((name) => name.slice(8)).filter((name) => !fields.some((one) => one === name))
  for (const field of unknown.slice(0, unknownListed))
    problems.add('mapping', `The :field field ${quoted(field)} is unknown; use one of ${fields.join(', ')}.`)
  // A mapping of the amount excludes debits and credits that happen to be in the file, and vice versa.
  const mapped = (field: CsvField) => Boolean(aspects.answer(`mapping.${field}`)?.value.trim())
  if (mapped('amount') && !mapped('debit') && !mapped('credit'))
    for (const one of ['debit', 'credit', 'net'] as const) delete columns[one]
  if (!mapped('amount') && (mapped('debit') || mapped('credit'))) delete columns.amount
  for (const field of fields) {
    const answer = aspects.answer(`mapping.${field}`)
    if (!answer) continue
    const header = answer.value
    const column = columnNamed(headers, header)
    const pair = field === 'amount' ? pairNamed(headers, header) : null
    if (header.trim() === '') delete columns[field]
    else if (pair) setColumns(columns, field, pair)
    else if (column !== null) columns[field] = [column]
    else if (mappings.includes(`mapping.${field}`))
      problems.add('mapping', `The file has no column ${quoted(header)}; it has ${listed(headers)}.`)
    proofs.set(field, answer.proof)
  }
}

/** The columns of debits and credits in an answer such as `3,4`. */
function pairNamed(headers: Header[], answer: string): number[] | null {
  const [debit, credit] = /^\d{1,3},\d{1,3}$/.test(answer)
    ? answer.split(',').map((number) => columnNamed(headers, number))
    : []
  return typeof debit === 'number' && typeof credit === 'number' && debit !== credit ? [debit, credit] : null
}

/** Records the answers that give a field its column, its pair of columns, or none. */
function recordTold({ headers, columns, aspects }: Table, fields: readonly CsvField[]): void {
  for (const field of fields) {
    const told = aspects.told[`mapping.${field}`]
    if (told === undefined) continue
    const named = columnNamed(headers, told)
    const [column] = columns[field] ?? []
    const isPair = field === 'amount' && named === null && columns.debit && columns.credit
    if (isPair || (told.trim() === '' && column === undefined))
      aspects.record(`mapping.${field}`, told, asTold)
    else if (named !== null && column === named)
      aspects.record(`mapping.${field}`, nameOf(headers, named), asTold)
  }
}

const textsIn = ({ rows }: Contents, column: number) => rows.map((cells) => cells[column]?.trim() ?? '')

/** Without a known header of states, the first column of them under an unknown one. */
function chooseStates(table: Table): void {
  const { columns, proofs, contents, headers } = table
  if (columns.status || columns.impact || proofs.has('status')) return
  const valued = [...contents.dates, ...contents.numbers]
  const found = headers.slice(0, maxColumns).findIndex((header, column) => {
    if (isUsed(table, column) || valued.includes(column)) return false
    if (isKnown(header) && !isFlagName(header.name)) return false
    return areStates(textsIn(contents, column), header.name)
  })
  if (found < 0) return
  columns.status = [found]
  proofs.set('status', 'its words are states')
}

/** Headers of senders and recipients, under which banks write their accounts or their names. */
const partyNames = /^(?:avsandare|mottagare|afsender|modtager|avsender|mottaker)$/

/** Adds the columns with names of the other party, under headers that may also mean its account. */
function addNames({ headers, columns, contents }: Table): void {
  const areNames = (column: number) => {
    const cells = textsIn(contents, column).filter(Boolean)
    return cells.some((cell) => /\p{L}{2}/u.test(cell)) && !cells.some(isAccountNumber)
  }
  const isOfParty = (column: number) => partyNames.test(headers[column]?.name ?? '')
  const found = columns.counter_account?.filter((column) => isOfParty(column) && areNames(column)) ?? []
  if (found.length > 0) columns.payee = [...(columns.payee ?? []), ...found]
}

/** Adds the columns without a header right behind those of descriptions, which continue them. */
function addUnnamedTexts({ headers, columns, contents, proofs }: Table): void {
  if (proofs.has('description')) return
  for (const first of columns.description ?? [])
    for (let column = first + 1; headers[column]?.text === '' && column < maxColumns; column += 1) {
      const areValues = contents.dates.includes(column) || contents.numbers.includes(column)
      const texts = new Set(textsIn(contents, column).filter((text) => /\p{L}/u.test(text)))
      if (areValues || [...texts].every(markOf)) return
      columns.description?.push(column)
    }
}

/**
 * Without a known description that has any text, the column with the longest texts; any other can be mapped. Without any
 * header, all columns of texts that differ. Beside a known one, returns the column with the longest texts, for the rows that
 * nothing else describes.
 */
function chooseDescription(table: Table): number | null {
  const { columns, proofs, contents, headers, layout } = table
  const { description = [], payee = [] } = columns
  if (proofs.has('description') || (layout && (columns.description || columns.payee))) return null
  const lengths = headers.slice(0, maxColumns).map((header, column) => {
    const isValued = contents.dates.includes(column) || contents.numbers.includes(column)
    if (isValued || isUsed(table, column) || isKnown(header)) return 0
    const texts = [...new Set(textsIn(contents, column))]
    // Marks say which way a row went, and not what it was for.
    const areWords = (text: string) => /\p{L}{2}/u.test(text) && !isAccountNumber(text) && !markOf(text)
    return texts.filter(areWords).join('').length
  })
  const most = Math.max(0, ...lengths)
  if (most === 0) return null
  const longest = lengths.indexOf(most)
  const isTelling = (column: number) => textsIn(contents, column).some(Boolean)
  if ([...description, ...payee].some(isTelling)) return longest
  const areNamed = headers.some(({ text }) => text !== '')
  const areTexts = (column: number) => {
    const texts = new Set(textsIn(contents, column))
    return (lengths[column] ?? 0) > 0 && texts.size > 1 && ![...texts].some(isAccountNumber)
  }
  columns.description = [...headers.keys()].filter(
    (column) => column === longest || (!areNamed && areTexts(column)),
  )
  proofs.set('description', 'the column with the longest texts')
  return null
}
