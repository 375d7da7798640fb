import type { CalendarDate } from '../../domain/dates.ts'
import { Invalid } from '../../domain/failures.ts'
import type { Minor } from '../../domain/money.ts'
import { recognise } from '../file/recognise.ts'
import { Problems, required } from '../problems.ts'
import type { GenericRow, ImportOptions } from '../statement.ts'
import { cleanText } from '../text.ts'
import { describeRow } from './description.ts'
import { type CsvField, foldHeader } from './header-names.ts'
import { type CsvRow, cellOf, transactionRows } from './rows.ts'
import { directionOf, signedAmounts } from './signs.ts'
import { csvStyle, readDates } from './style.ts'
import { type CsvTable, openTable } from './table.ts'

const fields = [
  'date',
  'amount',
  'debit',
  'credit',
  'type',
  'account',
  'to_account',
  'category',
  'description',
  'reference',
] as const satisfies CsvField[]

type RowType = GenericRow['type']

const typeWords: Record<RowType, Set<string>> = {
  income: new Set(
    'income|revenue|einnahme|revenu|recette|ingreso|receita|entrata|inkomst|przychod'.split('|'),
  ),
  expense: new Set(
    'expense|expenses|spending|payment|ausgabe|depense|gasto|despesa|spesa|uitgave|wydatek'.split('|'),
  ),
  transfer: new Set(
    'transfer|umbuchung|virement interne|transferencia|trasferimento|giroconto|overboeking|przelew wlasny'.split(
      '|',
    ),
  ),
}

/** Reads a generic CSV file (decisions.md, Import): date and amount, and of the other columns those that are there. */
export function readGenericCsv(bytes: Uint8Array, options: ImportOptions): GenericRow[] {
  const { format, text } = recognise(bytes)
  if (format !== 'csv')
    throw new Invalid({
      file: [`The file is a bank statement (${format.toUpperCase()}), not a CSV file; import it as one.`],
    })
  const table = openTable(text, options, fields)
  const { rows } = transactionRows(table, false)
  const problems = new Problems()
  const style = csvStyle(table, rows, options, problems)
  const dates = readDates(rows, style, problems)
  const amounts = signedAmounts(table, rows, false, style.separator, problems)
  const read = rows.map((row, i) => readRow(table, row, dates[i] ?? null, amounts[i] ?? null, problems))
  problems.throwIfAny()
  return read.filter((row) => row !== null)
}

function readRow(
  table: CsvTable,
  row: CsvRow,
  date: CalendarDate | null,
  amount: Minor | null,
  problems: Problems,
): GenericRow | null {
  const toAccount = cleanText(cellOf(table, row, 'to_account'))
  if (amount === 0) problems.addRow(row.line, 'amount', 'The :field field must be greater than 0.')
  const type = amount === null || amount === 0 ? null : typeOf(table, row, amount, toAccount, problems)
  if (type === 'transfer' && toAccount === null) problems.addRow(row.line, 'to_account', required)
  if (type !== null && type !== 'transfer' && toAccount !== null)
    problems.addRow(row.line, 'to_account', 'The :field field must be empty unless type is transfer.')
  if (date === null || amount === null || type === null) return null
  return {
    line: row.line,
    date,
    type,
    amount: Math.abs(amount) as Minor,
    account: cleanText(cellOf(table, row, 'account')),
    to_account: toAccount,
    category: cleanText(cellOf(table, row, 'category')),
    description: describeRow(table, row, amount),
    reference: cleanText(cellOf(table, row, 'reference')),
  }
}

/** The type that a row says, or else that its sign gives; a row with a second account is a transfer. */
function typeOf(
  table: CsvTable,
  row: CsvRow,
  amount: Minor,
  toAccount: string | null,
  problems: Problems,
): RowType | null {
  const word = cellOf(table, row, 'type')
  if (word === '') {
    if (toAccount !== null) return 'transfer'
    if (table.columns.type && !table.columns.debit && amount > 0) {
      problems.addRow(row.line, 'type', required)
      return null
    }
    return amount < 0 ? 'expense' : 'income'
  }
  const type = typeNamed(word)
  if (type === null) problems.addRow(row.line, 'type', 'The selected :field is invalid.')
  // An income that is negative says two things at once.
  else if (type === 'income' && amount < 0)
    problems.addRow(row.line, 'amount', 'The :field field must be greater than 0.')
  else if (type === 'expense' && amount > 0 && table.columns.debit && table.columns.credit)
    problems.addRow(row.line, 'type', 'The selected :field is invalid: the row is a credit.')
  return type
}

function typeNamed(word: string): RowType | null {
  const folded = foldHeader(word)
  for (const type of ['income', 'expense', 'transfer'] as const) if (typeWords[type].has(folded)) return type
  const direction = directionOf(word)
  return direction === null ? null : direction === 'in' ? 'income' : 'expense'
}
