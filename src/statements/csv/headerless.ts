import { Invalid } from '../../domain/failures.ts'
import { readWrittenAmount } from '../written/amount.ts'
import { readWrittenDate } from '../written/date.ts'
import { type Columns, maxTwins } from './columns.ts'
import type { CsvRecord } from './records.ts'

/** What the columns of a table hold, found from their cells alone. Rows narrower than the table do not count. */
export type Contents = {
  width: number
  /** The first row as wide as the table, if it seems to be a header row. */
  header: string[] | null
  /** The columns with a date in every row. Two with the same dates throughout count as one. */
  dates: number[]
  /** The columns with an amount in every row, some of them with decimals. */
  amounts: number[]
  /** Those of the amounts that have a sign. */
  signed: number[]
  /** The column with the most letters in words. */
  wordiest: number | null
}

/** Finds out what the columns of a table hold. */
export function contentsOf(rows: string[][]): Contents {
  const filled = rows.filter((cells) => cells.some((cell) => cell.trim() !== ''))
  const width = Math.max(0, ...filled.map((cells) => cells.length))
  const full = filled.filter((cells) => cells.length >= width - 1)
  const first = rows.find((cells) => cells.length >= width - 1) ?? []
  const header = looksLikeHeader(first) ? first : null
  const contents: Contents = { width, header, dates: [], amounts: [], signed: [], wordiest: null }
  const dateKeys: string[] = []
  let mostLetters = 0
  for (let column = 0; column < width; column += 1) {
    const cells = full.map((all) => all[column]?.trim() ?? '')
    const letters = cells.reduce((sum, cell) => sum + (/\p{L}{2}/u.test(cell) ? cell.length : 0), 0)
    if (letters > mostLetters) [mostLetters, contents.wordiest] = [letters, column]
    const dates = dateKeys.length < maxTwins ? readAll(cells, dateKey)?.join() : undefined
    if (dates !== undefined) {
      if (!dateKeys.includes(dates)) contents.dates.push(column)
      dateKeys.push(dates)
    }
    const signs = readAll(cells, hasSign)
    if (signs && cells.some((cell) => /[.,]\d{1,2}(?!\d)/.test(cell))) {
      contents.amounts.push(column)
      if (signs.includes(true)) contents.signed.push(column)
    }
  }
  return contents
}

/**
 * The columns of a table without headers, as far as their contents leave no choice: one column of dates, and one of
 * amounts, some of them with a sign. Otherwise the mapping must say which columns are meant.
 */
export function inferColumns(records: CsvRecord[], mapping: Record<string, string>): Columns {
  const { dates, amounts, signed, wordiest } = contentsOf(records.map(({ cells }) => cells))
  const columns: Columns = {}
  if (mapping.date === undefined) columns.date = [onlyColumn(dates, 'date')]
  if (['amount', 'debit', 'credit'].every((field) => mapping[field] === undefined)) {
    const column = onlyColumn(amounts, 'amount')
    // It may as well be a column of debits, or of credits.
    if (!signed.includes(column))
      refuseMapping(
        `The file has no header row, and nothing says which way the amounts of column ${column + 1} go; map it by its number to amount, debit or credit.`,
      )
    columns.amount = [column]
  }
  if (wordiest !== null) columns.description = [wordiest]
  return columns
}

/** True for cells that are nearly all words, perhaps with a number at the end, and neither a date nor an amount. */
function looksLikeHeader(cells: string[]): boolean {
  const words = cells.filter((cell) => /\p{L}/u.test(cell) && !/\d./s.test(cell.trim()))
  const values = cells.some((cell) => readWrittenDate(cell) !== null || readWrittenAmount(cell) !== null)
  return !values && words.length >= cells.length * 0.8
}

/** What every cell reads as; null if one of them cannot be read. */
function readAll<T>(cells: string[], read: (cell: string) => T | null): T[] | null {
  const all: T[] = []
  for (const cell of cells) {
    const value = read(cell)
    if (value === null) return null
    all.push(value)
  }
  return all
}

/** The same text for dates that read the same; null for a cell without a date. */
function dateKey(cell: string): string | null {
  const written = readWrittenDate(cell)
  return written && (written.settled ?? Object.values(written.readings).join('/'))
}

/** Null for a cell without an amount. */
function hasSign(cell: string): boolean | null {
  const written = readWrittenAmount(cell)
  return written && (written.isNegative || cell.startsWith('+'))
}

function onlyColumn(columns: number[], field: string): number {
  const [only] = columns
  if (only === undefined)
    refuseMapping(
      `The file has no recognised header row, and no column with a ${field} in every row; name the columns by number.`,
    )
  if (columns.length === 1) return only
  const numbers = columns.map((column) => column + 1).join(', ')
  refuseMapping(
    `The file has no header row, and the ${field} could be any of the columns ${numbers}; choose one by its number.`,
  )
}

function refuseMapping(text: string): never {
  throw new Invalid({ mapping: [text] })
}
