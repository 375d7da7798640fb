import type { CalendarDate } from '../../../shared/dates.ts'
import type { Minor, MoneyProblem } from '../../../shared/money.ts'
import { Problems } from '../problems.ts'
import type { FileOptions } from '../statement.ts'
import { type AmountCell, amountReader } from '../written/amount.ts'
import { type DateCell, dateCell, dateReader } from '../written/date-order.ts'
import type { CsvRow, CsvRows } from './rows.ts'
import { type SignBasis, signedAmounts } from './signed-amounts.ts'
import type { CsvTable } from './table.ts'

/** A row with its values. A date or amount that could not be read is null, and an error has been added. */
export type ReadRow = {
  row: CsvRow
  date: CalendarDate | null
  /** Positive for a credit, negative for a debit. */
  amount: Minor | null
  balance: Minor | null
  fee: Minor | null
}

/**
 * The rows with their values; what gives the amounts their signs, null if that cannot be told yet; and the
 * lines that are not rows but state a balance.
 */
type ReadValues = {
  values: ReadRow[]
  basis: SignBasis | null
  stated: { row: CsvRow; balance: Minor }[]
}

/** Scripts of countries that write the year first, and a point before decimals, so that their `48,000` is not 48. */
const eastAsianScripts = /[\p{sc=Han}\p{sc=Hangul}]/u

/** Reads dates and amounts as the file as a whole writes them. Adds an error for each that cannot be read. */
export function readValues(
  table: CsvTable,
  { rows, aside }: CsvRows,
  options: FileOptions,
  problems: Problems,
): ReadValues {
  const otherDates = aside.map(({ date }) => date)
  const isEastAsian = table.headers.some(({ text }) => eastAsianScripts.test(text))
  const dateOf = dateReader(allDates(table, rows), options.date_format, problems, otherDates, isEastAsian)
  const amountCells = rows.flatMap(({ amount, debit, credit }) => [amount, debit, credit])
  const others = [...rows, ...aside].map(({ balance }) => balance)
  const amountOf = amountReader(amountCells, options.decimal_separator, problems, others, isEastAsian)
  const dates = rows.map(({ date }) => dateOf(date))
  // Amounts that cannot be read yet still show whether to ask about their signs too, unless balances may prove these.
  const isProvable = !amountOf && rows.some(({ balance }) => balance.written)
  const signed = isProvable
    ? null
    : signedAmounts(table, rows, amountOf ?? signOnly, options, amountOf ? problems : new Problems())
  const quietly = (cell: AmountCell) => {
    const amount = amountOf?.(cell)
    return typeof amount === 'number' ? amount : null
  }
  const values = rows.map((row, i) => ({
    row,
    date: dates[i] ?? null,
    amount: signed?.amounts[i] ?? null,
    balance: quietly(row.balance),
    fee: quietly(row.fee),
  }))
  const stated = aside.flatMap((row) => {
    const balance = quietly(row.balance)
    return balance === null ? [] : [{ row, balance }]
  })
  return { values, basis: signed?.basis ?? null, stated }
}

function signOnly({ written }: AmountCell): Minor | MoneyProblem {
  return written ? ((written.isNegative ? -1 : 1) as Minor) : 'not a number'
}

function* allDates({ columns, dateColumns }: CsvTable, rows: CsvRow[]): Generator<DateCell> {
  const others = dateColumns.filter((column) => column !== columns.date?.[0])
  for (const { line, cells, date } of rows) {
    yield date
    for (const column of others) yield dateCell(line, cells[column] ?? '')
  }
}
