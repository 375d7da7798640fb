import { type AmountCell, amountCell, isBlankAmount, readWrittenAmount } from '../../shared/amount.ts'
import { readWrittenDate } from '../../shared/date.ts'
import { maxColumns } from './headers.ts'

/** What the columns of a table hold, judging by the cells of its rows alone: the records with a date and an amount. */
export type Contents = {
  width: number
  /** The first record, if it looks like a header row. */
  header: string[] | null
  rows: string[][]
  /** The columns with a date in every row, apart from blanks in fewer than half of them. */
  dates: number[]
  /** The columns with numbers in every row or blanks, but no dates or ids. */
  numbers: number[]
}

/** How many rows are looked at. */
const maxCompared = 1_000

/** Finds out what the columns of a table hold. */
export function contentsOf(records: string[][]): Contents {
  const rows = withoutLinesAbove(records.slice(0, maxCompared).filter(holdsDateAndAmount))
  const width = Math.min(
    maxColumns,
    Math.max(0, ...records.slice(0, maxCompared).map(({ length }) => length)),
  )
  const isFilled = (cells: string[]) => cells.filter((cell) => cell.trim() !== '').length * 2 > width
  const first = records.find((cells) => cells.length >= width - 1 && isFilled(cells)) ?? []
  const header = looksLikeHeader(first) ? first : null
  const contents: Contents = { width, header, rows, dates: [], numbers: [] }
  for (let column = 0; column < width && rows.length > 0; column += 1) {
    const cells = rows.map((cells) => cells[column]?.trim() ?? '')
    if (areDates(cells)) contents.dates.push(column)
    else if (areNumbers(cells)) contents.numbers.push(column)
  }
  return contents
}

/** The rows from the first one with its date in the usual column on. Those above state the account and its balance. */
function withoutLinesAbove(rows: string[][]): string[][] {
  const places = rows.map((cells) => cells.findIndex((cell) => readWrittenDate(cell)))
  const [usual] =
    [...Map.groupBy(places, (place) => place)].sort((a, b) => b[1].length - a[1].length)[0] ?? []
  return rows.slice(Math.max(0, places.indexOf(usual ?? -1)))
}

/** True for cells with a date or an amount among them, which no header row has. */
export function holdsValues(cells: string[]): boolean {
  // The letters of a header such as `Ref 1` could be those of a currency.
  const holdsAmount = (cell: string) => !/^\s*\p{L}/u.test(cell) && readWrittenAmount(cell) !== null
  return cells.some((cell) => readWrittenDate(cell) !== null || holdsAmount(cell))
}

/** The kind of each column, by which files without headers are told apart. */
export function kindsOf({ width, dates, numbers }: Contents): string[] {
  return Array.from({ length: width }, (_, column) =>
    dates.includes(column) ? 'date' : numbers.includes(column) ? 'number' : 'text',
  )
}

/** The number in a cell as hundredths, whichever of . and , comes last before one or two decimals; 0 for none. */
export const hundredths = (text: string) => hundredthsIn(amountCell(0, text))

/** The same number for a cell that has been taken apart. */
export function hundredthsIn({ text, written }: AmountCell): number {
  if (written === null) return 0
  const readings = Object.values(written.readings)
  const hasDecimals = /[.,]\d\d?\D*$/.test(text)
  const reading = readings.find((one) => one.includes('.') === hasDecimals) ?? readings[0] ?? '0'
  return Math.round(Number(reading) * 100) * (written.isNegative ? -1 : 1)
}

export const hasDecimals = (rows: string[][], column: number) =>
  rows.some((cells) => /[.,]\d{1,3}(?!\d)/.test(cells[column] ?? ''))

/** True for cells with a date and an amount among them. */
export function holdsDateAndAmount(cells: string[]): boolean {
  const looked = cells.slice(0, maxColumns)
  const date = looked.findIndex((cell) => readWrittenDate(cell) !== null)
  return date >= 0 && looked.some((cell, i) => i !== date && readWrittenAmount(cell) !== null)
}

function areDates(cells: string[]): boolean {
  const filled = cells.filter((cell) => cell !== '')
  return filled.length * 2 > cells.length && filled.every((cell) => readWrittenDate(cell))
}

function areNumbers(cells: string[]): boolean {
  const filled = cells.filter((cell) => !isBlankAmount(cell))
  return filled.length > 0 && !areIds(filled) && filled.every((cell) => readWrittenAmount(cell) !== null)
}

/** True for numbers of accounts and the like: longer than amounts are, or with leading zeros. */
function areIds(cells: string[]): boolean {
  if (!cells.every((cell) => /^\d+$/.test(cell))) return false
  return cells.every((cell) => cell.length >= 9) || cells.some((cell) => /^0\d/.test(cell))
}

/** True for cells that are nearly all words, perhaps ending in a number, with no date or amount among them. */
function looksLikeHeader(cells: string[]): boolean {
  const words = cells.filter((cell) => /\p{L}/u.test(cell) && !/\d\D|\d{3}/.test(cell.trim()))
  return !holdsValues(cells) && words.length >= cells.length * 0.8
}
