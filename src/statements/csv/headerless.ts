import { Invalid } from '../../domain/failures.ts'
import { readWrittenAmount } from '../written/amount.ts'
import { readWrittenDate } from '../written/date.ts'
import { type Columns, maxTwins } from './columns.ts'

/** The contents of a file without a header row, column by column: rows narrower than the table are no part of it. */
export type Contents = { width: number; columns: string[][] }

/** Turns rows into columns. */
export function contentsOf(rows: string[][]): Contents {
  const filled = rows.filter((cells) => cells.some((cell) => cell.trim() !== ''))
  const width = Math.max(0, ...filled.map((cells) => cells.length))
  const full = filled.filter((cells) => cells.length >= width - 1)
  const columns = Array.from({ length: width }, (_, column) =>
    full.map((cells) => cells[column]?.trim() ?? ''),
  )
  return { width, columns }
}

/** True if a column of dates and a column of amounts are there, whichever they are. */
export function holdsTransactions(contents: Contents): boolean {
  return datesIn(contents).length > 0 && amountColumns(contents).length > 0
}

/**
 * The columns of a file without headers, as far as their contents leave no choice: one column of dates, one of amounts
 * some of which are negative. Where there are two of a kind, or no sign, the mapping must say what is meant.
 */
export function inferColumns(contents: Contents, mapping: Record<string, string>): Columns {
  const columns: Columns = {}
  if (mapping.date === undefined) columns.date = only(datesIn(contents), 'date')
  if (['amount', 'debit', 'credit'].every((field) => mapping[field] === undefined)) {
    columns.amount = only(amountColumns(contents), 'amount')
    refuseUnsigned(contents.columns[columns.amount[0] ?? 0] ?? [], columns.amount[0] ?? 0)
  }
  const texts = contents.columns.map((cells, column) => ({
    column,
    length: cells.filter(isWords).join('').length,
  }))
  const longest = texts.sort((a, b) => b.length - a.length)[0]
  if (longest && longest.length > 0) columns.description = [longest.column]
  return columns
}

/** The columns of dates; two with the same dates throughout count as one. */
export function datesIn({ columns }: Contents): number[] {
  const seen = new Set<string>()
  const dates = matching(columns, (cell) => readWrittenDate(cell) !== null).slice(0, maxTwins)
  return dates.filter((column) => {
    const key = JSON.stringify(columns[column]?.map(dateKey))
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

function dateKey(cell: string) {
  const written = readWrittenDate(cell)
  return written?.settled ?? written?.readings
}

function amountColumns({ columns }: Contents): number[] {
  const amounts = matching(columns, (cell) => readWrittenAmount(cell) !== null)
  return amounts.filter((column) => columns[column]?.some((cell) => /[.,]\d{1,2}(?!\d)/.test(cell)))
}

function matching(columns: string[][], test: (cell: string) => boolean): number[] {
  return columns.flatMap((cells, column) => (cells.length > 0 && cells.every(test) ? [column] : []))
}

function only(columns: number[], field: string): number[] {
  if (columns.length === 1) return columns
  const numbers = columns.map((column) => column + 1).join(', ')
  throw new Invalid({
    mapping: [
      columns.length === 0
        ? `The file has no header row that is recognised, and no column with the ${field} of every row; name the columns by number.`
        : `The file has no header row, and the ${field} could be any of the columns ${numbers}; say which by its number.`,
    ],
  })
}

/** Without a header it may be a column of debits as well as one of credits. */
function refuseUnsigned(cells: string[], column: number): void {
  const signed = cells.some((cell) => /^\s*\+/.test(cell) || readWrittenAmount(cell)?.negative)
  if (signed) return
  throw new Invalid({
    mapping: [
      `The file has no header row, and nothing says which way the amounts of column ${column + 1} go; map it by its number to amount, debit or credit.`,
    ],
  })
}

const isWords = (cell: string) => /\p{L}{2}/u.test(cell)
