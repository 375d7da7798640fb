import type { CalendarDate } from '../../domain/dates.ts'
import type { Minor } from '../../domain/money.ts'
import type { Problems } from '../problems.ts'
import type { ImportOptions } from '../statement.ts'
import { type AmountCell, amountReader } from '../written/amount.ts'
import { type DateCell, dateCell, dateReader } from '../written/date-order.ts'
import type { CsvRow } from './rows.ts'
import { signedAmounts } from './signs.ts'
import type { CsvTable } from './table.ts'

/** A row with its values. A date or amount that is null could not be read, and there is an error. */
export type ReadRow = {
  row: CsvRow
  date: CalendarDate | null
  /** Positive for a credit, negative for a debit. */
  amount: Minor | null
  balance: Minor | null
  fee: Minor | null
}

/** Reads dates and amounts once the whole file has shown how it writes them. Adds an error for each that is wrong. */
export function readValues(
  table: CsvTable,
  rows: CsvRow[],
  options: ImportOptions,
  ofBank: boolean,
  problems: Problems,
): ReadRow[] {
  const dateOf = dateReader(allDates(table, rows), options.date_format, problems)
  const amountCells = rows.flatMap(({ amount, debit, credit }) => [amount, debit, credit])
  const balances = rows.map(({ balance }) => balance)
  const amountOf = amountReader(amountCells, options.decimal_separator, problems, balances)
  const dates = rows.map(({ date }) => dateOf(date))
  const amounts = amountOf ? signedAmounts(table, rows, amountOf, ofBank, problems) : []
  const quietly = (cell: AmountCell) => {
    const amount = amountOf?.(cell)
    return typeof amount === 'number' ? amount : null
  }
  return rows.map((row, i) => ({
    row,
    date: dates[i] ?? null,
    amount: amounts[i] ?? null,
    balance: quietly(row.balance),
    fee: quietly(row.fee),
  }))
}

function* allDates({ columns, dateColumns }: CsvTable, rows: CsvRow[]): Generator<DateCell> {
  const others = dateColumns.filter((column) => column !== columns.date?.[0])
  for (const { line, cells, date } of rows) {
    yield date
    for (const column of others) yield dateCell(line, cells[column] ?? '')
  }
}
