import { balancedColumns, type Led, mayBeOwed, pairsOf } from '../csv/balanced-columns.ts'
import { type Contents, contentsOf, hasDecimals, hundredths } from '../csv/contents.ts'
import { columnsOfCurrencies, differAbroad, filledCurrencies } from '../csv/foreign-amounts.ts'
import type { CsvField } from '../csv/header-names.ts'
import {
  type Columns,
  columnNamed,
  columnsNamed,
  columnsOf,
  type Header,
  isKnown,
  isOfDebt,
  isOtherDate,
  listed,
  maxOptions,
  maxTwins,
  mayBeBalance,
  nameOf,
} from '../csv/headers.ts'
import { type Layout, layoutOf } from '../csv/published-layouts.ts'
import type { CsvRecord } from '../csv/records.ts'
import { areStates } from '../csv/state-words.ts'
import type { Problems } from '../problems.ts'
import { quoted } from '../text.ts'
import { isBlankAmount } from '../written/amount.ts'
import { readWrittenDate } from '../written/date.ts'
import type { Aspects } from './aspect.ts'
import { isMarkHeader } from './marks.ts'

/** The meanings of a table's columns, and what these hold. */
export type FoundColumns = {
  columns: Columns
  dateColumns: number[]
  layout: Layout | null
  contents: Contents
}

/** The most unknown fields of a mapping that errors name. */
const unknownListed = 3

const money = ['amount', 'debit', 'credit'] as const

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
  const table: Table = { headers, body, columns, proofs: new Map(), contents }
  applyLayout(table, layout)
  applyMapping(table, fields, aspects, problems)
  const isDated = (column: number) => contents.rows.some((cells) => readWrittenDate(cells[column] ?? ''))
  if (contents.dates.length > 0 && !columns.date?.some(isDated)) delete columns.date
  if (columns.date?.length === 1 && !table.proofs.has('date')) columns.date.push(...otherDates(table))
  if (columns.date?.length !== 1) {
    const possible = (columns.date ?? contents.dates).map((column) => [column])
    settle('date', possible, 'the only column with dates', table, aspects, problems)
  }
  if (columns.amount?.length === 1 && !layout && !table.proofs.has('amount'))
    columns.amount.push(...otherAmounts(table))
  settleMoney(table, aspects, problems)
  findBalance(table)
  askAboutBoth(table, aspects)
  if (fields.includes('status')) chooseStates(table)
  chooseDescription(table, layout)
  // Of several columns, one would be kept for the next file.
  for (const [field, found = []] of Object.entries(columns) as [CsvField, number[]][])
    if (found[0] !== undefined && found.length === 1 && !aspects.isAsked(`mapping.${field}`))
      aspects.record(
        `mapping.${field}`,
        nameOf(headers, found[0]),
        table.proofs.get(field) ?? 'a known header',
      )
  const dates = new Set([...(columns.date ?? []), ...columnsNamed(headers, 'date')])
  return { columns, dateColumns: [...dates].slice(0, maxTwins), layout, contents }
}

/** Beside the date of a purchase or of a value, unknown columns of dates that differ from it: one may be the booking's. */
function otherDates({ headers, columns, contents }: Table): number[] {
  const [date = -1] = columns.date ?? []
  if (!isOtherDate(headers[date])) return []
  return contents.dates.filter(
    (column) =>
      !isKnown(headers[column]) &&
      contents.rows.some((cells) => cells[column]?.trim() !== cells[date]?.trim()),
  )
}

type Table = {
  headers: Header[]
  body: CsvRecord[]
  columns: Columns
  /** For each field that no header names, why its column is meant, or why it has none. */
  proofs: Map<CsvField, string>
  contents: Contents
}

function applyLayout({ headers, columns, proofs }: Table, layout: Layout | null): void {
  for (const [field, name] of Object.entries(layout?.columns ?? {}) as [CsvField, string][]) {
    const column = columnNamed(headers, name)
    if (name === '') delete columns[field]
    else if (column !== null) columns[field] = [column]
    proofs.set(field, `the layout of ${layout?.name}`)
  }
}

/** Applies the mapping, which gives a field the header or the number of its column; an empty one means no column. */
function applyMapping(
  { headers, columns, proofs }: Table,
  fields: readonly CsvField[],
  aspects: Aspects,
  problems: Problems,
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
    const [debit = 0, credit = 0] = /^\d{1,3},\d{1,3}$/.test(header) ? header.split(',').map(Number) : []
    if (header.trim() === '') delete columns[field]
    else if (field === 'amount' && credit > 0) setColumns(columns, field, [debit - 1, credit - 1])
    else if (column !== null) columns[field] = [column]
    else if (mappings.includes(`mapping.${field}`))
      problems.add('mapping', `The file has no column ${quoted(header)}; it has ${listed(headers)}.`)
    proofs.set(field, answer.proof)
  }
}

/** Settles the column of amounts, or those of debits and credits. */
function settleMoney(table: Table, aspects: Aspects, problems: Problems): void {
  const { headers, body, columns, proofs, contents } = table
  const twice = money.find((field) => (columns[field]?.length ?? 0) > 1)
  const half = twice ? undefined : halfOf(table)
  if (!twice && half === undefined && money.some((field) => columns[field])) return
  const candidates = twice ? (columns[twice] ?? []) : freeNumbers(table)
  const currencies = columnsOfCurrencies(headers, candidates)
  const found = (!twice && columns.net) || filledCurrencies(currencies, body)
  if (found) {
    columns.amount = found
    if (found === columns.net) delete columns.net
    return
  }
  if (half !== undefined) candidates.unshift(half)
  const isPossible = (pair: (number | undefined)[]) =>
    half === undefined || (!pair.includes(undefined) && pair.length === 2 && pair.includes(half))
  const balances = columns.balance ?? candidates.filter((column) => !isOfDebt(headers[column]))
  const all = balancedColumns(contents.rows, candidates, balances)
  const leading = all.filter(({ debit, credit }) => isPossible([debit, credit]))
  // Of a balance before and one after the amount, both lead to it.
  const led = leading.at(-1)
  const areOne = leading.every((one) => columnsIn(one) === columnsIn(led))
  if (led && areOne && (!twice || led.amount !== undefined)) {
    for (const [field, column] of Object.entries(led) as [CsvField, number][]) {
      columns[field] = [column]
      proofs.set(field, 'it leads from balance to balance')
    }
    if (mayBeOwed(led, contents.rows)) ask('amount', pairsOf(led), table, aspects)
    return
  }
  const areSingle = twice || currencies.length > 0
  const possible = areSingle
    ? candidates.map((column) => [column])
    : possibleAmounts(contents.rows, candidates)
  const some = possible.filter(isPossible)
  if (half === undefined || some.length > 0)
    settle(twice ?? 'amount', some, 'the only column with amounts', table, aspects, problems)
}

const columnsIn = (led: Led | undefined) => [led?.amount, led?.debit, led?.credit].join()

/** The only column of debits or credits, where others may hold the other side. */
function halfOf({ columns, proofs }: Table): number | undefined {
  const [field, ...others] = money.filter((one) => columns[one])
  return others.length > 0 || field === 'amount' || !field || proofs.has(field)
    ? undefined
    : columns[field]?.[0]
}

/** Asks about amounts beside debits and credits that they do not equal, such as those in the currency of the purchase. */
function askAboutBoth(table: Table, aspects: Aspects): void {
  const { amount, debit, credit } = table.columns
  if (!amount || !debit || !credit) return
  const valueIn = (cells: string[], [column = -1]: number[]) => Math.abs(hundredths(cells[column] ?? ''))
  const differs = (cells: string[]) =>
    ![0, valueIn(cells, debit) + valueIn(cells, credit)].includes(valueIn(cells, amount))
  if (table.contents.rows.some(differs)) ask('amount', [[...debit, ...credit], amount], table, aspects)
}

/** Without a known header of balances, a column whose steps the amounts account for. */
function findBalance(table: Table): void {
  const { columns, proofs, contents } = table
  const amounts = money.flatMap((field) => columns[field] ?? [])
  if (columns.balance || proofs.has('balance') || contents.rows.length < 3) return
  const balances = freeNumbers(table).filter((column) => mayBeBalance(table.headers[column]))
  const [led, ...others] = balancedColumns(contents.rows, amounts, balances)
  if (!led || others.length > 0 || led.credit !== columns.credit?.[0]) return
  columns.balance = [led.balance]
  proofs.set('balance', 'the amounts lead from balance to balance')
}

/** Other columns of amounts, such as those in the currency of the purchase: their values differ in some row. */
function otherAmounts(table: Table): number[] {
  const {
    headers,
    columns,
    contents: { rows, numbers },
  } = table
  const [amount = -1] = columns.amount ?? []
  const [currency] = columns.currency ?? []
  const known = columnsNamed(headers, 'amount')
  const codes = rows.map((cells) => cells[currency ?? -1]?.trim() ?? null)
  const differs = (cells: string[], column: number) => {
    const [one = '', other = ''] = [cells[amount], cells[column]]
    return !isBlankAmount(one) && !isBlankAmount(other) && hundredths(one) !== hundredths(other)
  }
  return numbers.filter((column) =>
    known.includes(column)
      ? rows.some((cells) => differs(cells, column))
      : currency !== undefined && !isUsed(table, column) && differAbroad(rows, amount, column, codes),
  )
}

/** Settles which column, or pair of debits and credits, has a field: the only possible one, or else by a question. */
function settle(
  field: CsvField,
  possible: number[][],
  proof: string,
  table: Table,
  aspects: Aspects,
  problems: Problems,
): void {
  const { headers, columns, proofs, contents } = table
  const [first, ...others] = possible
  if (!first) {
    if (!problems.any)
      problems.add(
        'mapping',
        `The file needs a date column and an amount column (or debit and credit), but none is recognised among ${listed(headers)}; name them by header or by number: mapping={"date":"1","amount":"2"}.`,
      )
    return
  }
  // Without headers, whole numbers may count something else.
  const isSure =
    field === 'date' ||
    headers.some(({ text }) => text) ||
    first.some((column) => hasDecimals(contents.rows, column))
  setColumns(columns, field, first)
  if (others.length === 0 && isSure) proofs.set(field, proof)
  else ask(field, possible, table, aspects)
}

/**
 * The columns that may hold the amounts: a column that is filled in every row, or two of which each row fills one, in either order; or
 * else any column of numbers.
 */
function possibleAmounts(rows: string[][], candidates: number[]): number[][] {
  const isFilled = (cells: string[], column: number) => !isBlankAmount(cells[column] ?? '')
  const areHalves = (a: number, b: number) => rows.every((cells) => isFilled(cells, a) !== isFilled(cells, b))
  const single = candidates.filter((column) => rows.every((cells) => isFilled(cells, column)))
  const sparse = candidates.filter((column) => !single.includes(column)).slice(0, maxOptions)
  const pairs = sparse.flatMap((a) => sparse.flatMap((b) => (areHalves(a, b) ? [[a, b]] : [])))
  const found = [...single.map((column) => [column]), ...pairs]
  return found.length > 0 ? found : candidates.map((column) => [column])
}

/** Sets the column of a field or, instead of amounts, those of debits and credits. */
function setColumns(columns: Columns, field: CsvField, [first = 0, credit]: number[]): void {
  if (credit === undefined) columns[field] = [first]
  else {
    delete columns.amount
    Object.assign(columns, { debit: [first], credit: [credit] })
  }
}

const isUsed = ({ columns }: Table, column: number) =>
  Object.values(columns).some((used) => used.includes(column))

/** The columns of numbers that no header explains: numbers are no marks. */
function freeNumbers(table: Table): number[] {
  const { contents, headers } = table
  const isFree = (column: number) => !isUsed(table, column) && !isKnown(headers[column])
  return contents.numbers.filter((column) => isFree(column) || isMarkHeader(headers[column]))
}

/** Asks which of several columns, or pairs of debits and credits, is meant. */
function ask(field: CsvField, possible: number[][], { headers, body }: Table, aspects: Aspects): void {
  const shown = possible.slice(0, maxOptions)
  const nameAt = (column: number) =>
    `${column + 1}${headers[column]?.text ? ` (${quoted(headers[column].text)})` : ''}`
  const first = body.find(({ cells }) => cells.filter((cell) => cell.trim() !== '').length > 1)?.cells ?? []
  const row = first.slice(0, 12).map((cell, i) => `${i + 1}: ${quoted(cell)}`)
  const names = [...new Set(shown.flat())].map(nameAt)
  aspects.ask(
    `mapping.${field}`,
    `The ${field} could be any of the columns ${names.join(', ')}; choose one by its number. The first row has ${row.join(', ')}.`,
    shown.map(([column = 0, credit]) =>
      credit === undefined
        ? { value: String(column + 1), label: `column ${nameAt(column)}` }
        : {
            value: `${column + 1},${credit + 1}`,
            label: `debits in column ${nameAt(column)}, credits in column ${nameAt(credit)}`,
          },
    ),
  )
}

/** Without a known header of states, the first column of them under an unknown one. */
function chooseStates(table: Table): void {
  const { columns, proofs, contents, headers } = table
  if (columns.status || columns.impact || proofs.has('status')) return
  const found = headers.slice(0, 64).findIndex((header, column) => {
    return (
      !isKnown(header) &&
      !isUsed(table, column) &&
      ![...contents.dates, ...contents.numbers].includes(column) &&
      areStates(
        contents.rows.map((cells) => cells[column] ?? ''),
        header.name,
      )
    )
  })
  if (found < 0) return
  columns.status = [found]
  proofs.set('status', 'its words are states')
}

/** Without a known description that has any text, the column with the longest texts; any other can be mapped. */
function chooseDescription(table: Table, layout: Layout | null): void {
  const { columns, proofs, contents, headers } = table
  const { description = [], payee = [], posting_text = [] } = columns
  const textsIn = (column: number) => contents.rows.map((cells) => cells[column]?.trim() ?? '')
  const isTelling = (column: number) => layout !== null || textsIn(column).some(Boolean)
  if (proofs.has('description') || [...description, ...payee].some(isTelling)) return
  const lengths = headers.slice(0, 64).map((_, column) => {
    const isOther = isUsed(table, column) && !posting_text.includes(column)
    if (isOther || contents.dates.includes(column)) return 0
    return [...new Set(textsIn(column))].filter((text) => /\p{L}{2}/u.test(text)).join('').length
  })
  const most = Math.max(0, ...lengths)
  if (most === 0) return
  columns.description = [lengths.indexOf(most)]
  proofs.set('description', 'the column with the longest texts')
}
