import { Invalid } from '../failures.ts'
import { readWrittenAmount } from './amounts.ts'
import type { Columns } from './csv-columns.ts'
import type { CsvRecord } from './csv-records.ts'
import { readWrittenDate } from './written-date.ts'

/**
 * The columns of a file without headers, as far as their contents leave no choice: one column of dates, one of
 * amounts with decimals. Where there are two of a kind the mapping must say which is meant.
 */
export function inferColumns(records: CsvRecord[], mapping: Record<string, string>, width: number): Columns {
  const rows = records.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
  const contents = Array.from({ length: width }, (_, column) =>
    rows.map(({ cells }) => cells[column]?.trim() ?? ''),
  )
  const dates = distinct(contents, columnsWhere(contents, isDate, 1))
  const amounts = columnsWhere(contents, isAmount, 1).filter((column) => contents[column]?.some(hasDecimals))
  const columns: Columns = {}
  if (mapping.date === undefined) columns.date = only(dates, 'date')
  if (['amount', 'debit', 'credit'].every((field) => mapping[field] === undefined))
    columns.amount = only(amounts, 'amount')
  const texts = contents.map((cells, column) => ({ column, length: cells.filter(isWords).join('').length }))
  const longest = texts.sort((a, b) => b.length - a.length)[0]
  if (longest && longest.length > 0) columns.description = [longest.column]
  return columns
}

function columnsWhere(contents: string[][], test: (cell: string) => boolean, share: number): number[] {
  return contents.flatMap((cells, column) => {
    return cells.length > 0 && cells.filter(test).length >= cells.length * share ? [column] : []
  })
}

/** Two columns with the same dates throughout are one. */
function distinct(contents: string[][], columns: number[]): number[] {
  const seen = new Set<string>()
  return columns.filter((column) => {
    const key = JSON.stringify(contents[column]?.map((cell) => readWrittenDate(cell)?.readings))
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

function only(columns: number[], field: string): number[] {
  if (columns.length === 1) return columns
  const numbers = columns.map((column) => column + 1).join(', ')
  throw new Invalid({
    mapping: [
      columns.length === 0
        ? `The file has no header row, and no column of it holds a ${field} in every row; name the columns by number.`
        : `The file has no header row, and the ${field} could be any of the columns ${numbers}; say which by its number.`,
    ],
  })
}

const isDate = (cell: string) => readWrittenDate(cell) !== null
const isAmount = (cell: string) => readWrittenAmount(cell) !== null && !/^\d{1,2}[.:]\d{2}[.:]\d/.test(cell)
const hasDecimals = (cell: string) => /[.,]\d{1,2}(?!\d)/.test(cell)
const isWords = (cell: string) => /\p{L}{2}/u.test(cell)
