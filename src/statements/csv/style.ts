import type { CalendarDate } from '../../domain/dates.ts'
import type { Problems } from '../problems.ts'
import type { ImportOptions } from '../statement.ts'
import type { DecimalSeparator } from '../written/amount.ts'
import type { DateOrder } from '../written/date.ts'
import { type DateCell, dateCell, decideOrder, readDate } from '../written/date-order.ts'
import { type AmountCell, decideSeparator } from '../written/decimal-separator.ts'
import type { CsvRow } from './rows.ts'
import type { CsvTable } from './table.ts'

/** How the file writes dates and amounts; null is what could not be decided. */
export type CsvStyle = { order: DateOrder | null; said: boolean; separator: DecimalSeparator | null }

/** Decides over the whole file how its dates and amounts are to be read; what is left open is noted. */
export function csvStyle(
  table: CsvTable,
  rows: CsvRow[],
  options: ImportOptions,
  problems: Problems,
): CsvStyle {
  const { columns } = table
  const amounts = [...(columns.amount ?? []), ...(columns.debit ?? []), ...(columns.credit ?? [])]
  return {
    order: decideOrder(datesOf(table, rows), options.date_format, problems),
    said: Boolean(options.date_format?.trim()),
    separator: decideSeparator(
      cellsOf(rows, amounts),
      options.decimal_separator,
      problems,
      cellsOf(rows, columns.balance ?? []),
    ),
  }
}

/** The dates of the rows in their order; null where a row has none, which is noted. */
export function readDates(rows: CsvRow[], style: CsvStyle, problems: Problems): (CalendarDate | null)[] {
  const { order, said } = style
  if (order === null) return rows.map(() => null)
  return rows.map((row) => readDate(row.date, order, said, problems))
}

/** All dates of the rows: other columns of dates are written like that of the transaction's. */
function* datesOf({ columns, dateColumns }: CsvTable, rows: CsvRow[]): Generator<DateCell> {
  const others = dateColumns.filter((column) => column !== columns.date?.[0])
  for (const row of rows) {
    yield row.date
    for (const column of others) yield dateCell(row.line, row.cells[column] ?? '')
  }
}

function* cellsOf(rows: CsvRow[], columns: number[]): Generator<AmountCell> {
  for (const row of rows)
    for (const column of columns) yield { line: row.line, text: row.cells[column] ?? '' }
}
