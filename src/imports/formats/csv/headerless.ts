import { Problems } from '../problems.ts'
import type { FileOptions } from '../statement.ts'
import { quoted } from '../text.ts'
import { amountCell, amountReader, isBlankAmount, readWrittenAmount } from '../written/amount.ts'
import { readWrittenDate } from '../written/date.ts'
import { dateCell, dateReader } from '../written/date-order.ts'
import { type Columns, columnsListed, type Header, maxTwins } from './columns.ts'
import type { CsvRecord } from './records.ts'

/** What the columns of a table hold, judging by their cells alone. Rows that lack more than one cell do not count. */
export type Contents = {
  width: number
  /** The first of the rows that count, if it looks like a header row. */
  header: string[] | null
  /** The columns with a date in every row. Two with the same dates throughout count as one. */
  dates: number[]
  /** The columns with an amount in every row, some of them with decimals. */
  amounts: number[]
  /** The columns that may hold amounts: no dates, all amounts or blank, and some with decimals. */
  numbers: number[]
  /** The columns with a whole number in every row, which may be amounts or serial numbers. */
  whole: number[]
  /** Columns of whole numbers and blanks: of cheques as a rule, but balances may show that they are debits or credits. */
  sparse: number[]
  /** The column with the most letters in words. */
  wordiest: number | null
}

/** How many columns of numbers, or of dates, are looked at more closely: the first ones. */
const maxNumbers = 6
/** How many rows are read to compare columns, and to ask further questions about a file that is refused anyway. */
const maxCompared = 1_000

/** Finds out what the columns of a table hold. */
export function contentsOf(rows: string[][]): Contents {
  const filled = rows.filter((cells) => cells.some((cell) => cell.trim() !== ''))
  const width = Math.max(0, ...filled.map((cells) => cells.length))
  const full = filled.filter((cells) => cells.length >= width - 1)
  const first = rows.find((cells) => cells.length >= width - 1) ?? []
  const header = looksLikeHeader(first) ? first : null
  const contents: Contents = {
    width,
    header,
    dates: [],
    amounts: [],
    numbers: [],
    whole: [],
    sparse: [],
    wordiest: null,
  }
  const dateKeys: string[] = []
  let mostLetters = 0
  for (let column = 0; column < width; column += 1) {
    const cells = full.map((all) => all[column]?.trim() ?? '')
    const letters = cells.reduce((sum, cell) => sum + (/\p{L}{2}/u.test(cell) ? cell.length : 0), 0)
    if (letters > mostLetters) [mostLetters, contents.wordiest] = [letters, column]
    const dates = dateKeys.length < maxTwins ? datesIn(cells) : undefined
    if (dates !== undefined) {
      if (!dateKeys.includes(dates)) contents.dates.push(column)
      dateKeys.push(dates)
    }
    if (dates !== undefined || cells.every(isBlankAmount) || cells.every(isId)) continue
    if (!cells.every((cell) => isBlankAmount(cell) || readWrittenAmount(cell))) continue
    const hasDecimals = cells.some((cell) => /[.,]\d{1,3}(?!\d)/.test(cell))
    const isFilled = !cells.some(isBlankAmount)
    contents[hasDecimals ? 'numbers' : isFilled ? 'whole' : 'sparse'].push(column)
    if (hasDecimals && isFilled) contents.amounts.push(column)
  }
  return contents
}

/**
 * The columns of a table without headers, where their contents leave no choice: a single column of dates, and a single one
 * of amounts, or the one or two that lead from each running balance to the next. Otherwise the mapping must say which
 * columns are meant.
 */
export function inferColumns(
  records: CsvRecord[],
  mapping: Record<string, string>,
  problems: Problems,
): Columns {
  const contents = contentsOf(records.map(({ cells }) => cells))
  const { dates, wordiest } = contents
  const columns: Columns = {}
  if (mapping.date === undefined) columns.date = onlyColumn(dates, 'date', problems)
  if (['amount', 'debit', 'credit'].every((field) => mapping[field] === undefined))
    Object.assign(columns, amountColumns(records, contents, problems))
  if (wordiest !== null) columns.description = [wordiest]
  return columns
}

/**
 * Along with whatever is unclear about the columns, asks what is unclear about their dates and amounts, and shows the
 * headers and the first row.
 */
export function askAboutContents(
  headers: Header[],
  records: CsvRecord[],
  options: FileOptions,
  problems: Problems,
): void {
  const some = records.slice(0, maxCompared)
  const { dates, numbers } = contentsOf(some.map(({ cells }) => cells))
  const textsOf = (columns: number[]) =>
    some.flatMap(({ line, cells }) => columns.map((column) => ({ line, text: cells[column] ?? '' })))
  const dateCells = textsOf(dates.slice(0, maxNumbers)).map(({ line, text }) => dateCell(line, text))
  dateReader(dateCells, options.date_format, problems)
  const amountCells = textsOf(numbers.slice(0, maxNumbers)).map(({ line, text }) => amountCell(line, text))
  amountReader(amountCells, options.decimal_separator, problems)
  const first =
    records.find(({ cells }) => cells.filter((cell) => cell.trim() !== '').length > 1)?.cells ?? []
  const shownFirst = first
    .slice(0, columnsListed)
    .map((cell, i) => `${i + 1}${headers[i]?.text ? ` (${quoted(headers[i].text)})` : ''}: ${quoted(cell)}`)
  problems.add(
    'mapping',
    `The first row has ${shownFirst.join(', ')}. Send mapping={"date":"…","amount":"…"} with the numbers or headers of the columns; debit and credit may take the place of amount.`,
  )
}

/** True for cells with a date or an amount among them, which no header row has. */
export function holdsValues(cells: string[]): boolean {
  // The letters of a header such as `Ref 1` could be those of a currency.
  const holdsAmount = (cell: string) => !/^\s*\p{L}/u.test(cell) && readWrittenAmount(cell) !== null
  return cells.some((cell) => readWrittenDate(cell) !== null || holdsAmount(cell))
}

/** The column with the most letters in words, apart from those that have another meaning. */
export function wordiestColumn(records: CsvRecord[], used: number[]): number | null {
  const letters = new Map<number, number>()
  for (const { cells } of records)
    for (const [column, cell] of cells.entries())
      if (!used.includes(column) && /\p{L}{2}/u.test(cell))
        letters.set(column, (letters.get(column) ?? 0) + cell.length)
  const [most] = [...letters].sort(([a, some], [b, others]) => others - some || a - b)
  return most?.[0] ?? null
}

function amountColumns(
  records: CsvRecord[],
  { width, amounts, numbers: decimal, whole, sparse }: Contents,
  problems: Problems,
): Columns {
  const full = records.filter(({ cells }) => cells.length >= width - 1 && cells.some((cell) => cell.trim()))
  const numbers = [...decimal, ...whole].sort((a, b) => a - b)
  const compared = [...numbers, ...sparse].slice(0, maxNumbers)
  const [found, ...others] = balancedColumns(full.slice(0, maxCompared), compared)
  if (found && others.length === 0) return found
  if (amounts.length === 1 && numbers.length === 1) return { amount: amounts }
  const candidates = numbers.map((column) => column + 1).join(', ')
  problems.add(
    'mapping',
    candidates === ''
      ? 'The file has no recognised header row, and no column with an amount in every row; name the columns by number.'
      : `The file has no header row, and the amount could be any of the columns ${candidates}; choose one by its number as amount, or two as debit and credit, and a running balance as balance.`,
  )
  return {}
}

/** Every choice of columns in which one or two columns account for each step of a column of running balances. */
function balancedColumns(records: CsvRecord[], numbers: number[]): Columns[] {
  const cells = records.map(({ line, cells }) =>
    numbers.map((column) => amountCell(line, cells[column] ?? '')),
  )
  const amountOf = amountReader(cells.flat(), undefined, new Problems())
  if (!amountOf || records.length < 2) return []
  const values = cells.map((row) =>
    row.map((cell) => {
      const amount = amountOf(cell)
      return typeof amount === 'number' ? amount : 0
    }),
  )
  const found: Columns[] = []
  for (const [balance, balanceColumn] of numbers.entries())
    for (const [credit, creditColumn] of numbers.entries())
      for (const [debit, debitColumn] of numbers.entries()) {
        if (balance === credit || balance === debit || !leads(values, { balance, credit, debit })) continue
        const one =
          credit === debit ? { amount: [creditColumn] } : { debit: [debitColumn], credit: [creditColumn] }
        found.push({ ...one, balance: [balanceColumn] })
      }
  return found
}

/** True if a column of amounts, or two of debits and credits, lead from each balance to the next, in either order. */
function leads(rows: number[][], at: { balance: number; credit: number; debit: number }): boolean {
  const value = (row: number[] | undefined, column: number) => row?.[column] ?? 0
  const isOne = at.credit === at.debit
  return [1, -1].some((step) =>
    rows.every((row, i) => {
      const [credit, debit] = [Math.abs(value(row, at.credit)), Math.abs(value(row, at.debit))]
      if (isOne ? credit === 0 : (credit === 0) === (debit === 0)) return false
      const before = rows[i - step]
      if (!before) return true
      const change = value(row, at.balance) - value(before, at.balance)
      return isOne ? Math.abs(change) === credit : change === credit - debit
    }),
  )
}

/** True for the number of an account or the like, which is longer than amounts are or begins with a zero. */
function isId(cell: string): boolean {
  return /^(?:0\d+|\d{9,})$/.test(cell)
}

/** True for cells that are nearly all words, perhaps ending in a number, with no date or amount among them. */
function looksLikeHeader(cells: string[]): boolean {
  const words = cells.filter((cell) => /\p{L}/u.test(cell) && !/\d./s.test(cell.trim()))
  return !holdsValues(cells) && words.length >= cells.length * 0.8
}

/** The dates of a column as a text that equals that of another with the same dates; undefined if a cell has none. */
function datesIn(cells: string[]): string | undefined {
  const keys: string[] = []
  for (const cell of cells) {
    const key = dateKey(cell)
    if (key === null) return undefined
    keys.push(key)
  }
  return keys.join()
}

/** The same text for dates that read the same; null for a cell without a date. */
function dateKey(cell: string): string | null {
  const written = readWrittenDate(cell)
  return written && (written.settled ?? Object.values(written.readings).join('/'))
}

function onlyColumn(columns: number[], field: string, problems: Problems): number[] {
  if (columns.length === 1) return columns
  const numbers = columns.map((column) => column + 1).join(', ')
  problems.add(
    'mapping',
    columns.length === 0
      ? `The file has no recognised header row, and no column with a ${field} in every row; name the columns by number.`
      : `The file has no header row, and the ${field} could be any of the columns ${numbers}; choose one by its number.`,
  )
  return columns
}
