import { invalidText, onlyForTransfersText, requiredText } from '../../../shared/field-errors.ts'
import type { Minor } from '../../../shared/money.ts'
import { recognise } from '../file/recognise.ts'
import { Problems, refuseFile } from '../problems.ts'
import type { FileOptions, GenericRow } from '../statement.ts'
import { cleanText } from '../text.ts'
import { readOnlyTable } from '../xlsx/workbook.ts'
import { describeRow } from './description.ts'
import { type CsvField, csvFields, foldHeader } from './header-names.ts'
import { markOf } from './mark-words.ts'
import { type CsvRow, cellOf, transactionRows } from './rows.ts'
import { type CsvTable, openTable } from './table.ts'
import { type ReadRow, readValues } from './values.ts'

/** Fields that only a bank's export has. */
const bankFields = new Set<CsvField>([
  'payee',
  'product',
  'posting_text',
  'balance',
  'currency',
  'status',
  'fee',
])
const fields = csvFields.filter((field) => !bankFields.has(field))

const notPositive = 'The :field field must be greater than 0.'

type RowType = GenericRow['type']

const typeWords: Record<RowType, string[]> = {
  income: [
    'income',
    'revenue',
    'einnahme',
    'revenu',
    'recette',
    'ingreso',
    'receita',
    'entrata',
    'inkomst',
    'przychod',
  ],
  expense: [
    'expense',
    'expenses',
    'spending',
    'payment',
    'ausgabe',
    'depense',
    'gasto',
    'despesa',
    'spesa',
    'uitgave',
    'wydatek',
  ],
  transfer: [
    'transfer',
    'umbuchung',
    'virement interne',
    'transferencia',
    'trasferimento',
    'giroconto',
    'overboeking',
    'przelew wlasny',
  ],
}

/** Reads a generic CSV file, or a workbook with one table. Only date and amount are required. Throws `Invalid`. */
export function readGenericCsv(bytes: Uint8Array, options: FileOptions): GenericRow[] {
  const sheet = readOnlyTable(bytes)
  const table = openTable(
    sheet ?? csvText(bytes),
    sheet === null ? options : { ...options, delimiter: ',' },
    fields,
  )
  const rows = transactionRows(table, sheet !== null)
  // Rows of several tables would go to one account unless they name their own.
  if (!table.columns.account && new Set(rows.rows.map(({ section }) => section)).size > 1)
    refuseFile('The file must have exactly one table.')
  const problems = new Problems()
  const { values } = readValues(table, rows, options, problems)
  const read = values.map((value) => readRow(table, value, problems))
  // With another error, it may be unclear which rows are credits.
  if (!problems.any) refuseCredits(table, values, read, problems)
  problems.throwIfAny()
  return read.filter((row) => row !== null)
}

function csvText(bytes: Uint8Array): string {
  const { format, text } = recognise(bytes)
  if (format !== 'csv')
    refuseFile(`The file is a bank statement (${format.toUpperCase()}), not a CSV file; import it as one.`)
  return text
}

function readRow(table: CsvTable, { row, date, amount }: ReadRow, problems: Problems): GenericRow | null {
  const toAccount = cleanText(cellOf(table, row, 'to_account'))
  if (amount === 0) problems.addRow(row.line, 'amount', notPositive)
  const type = amount ? typeOf(table, row, amount, toAccount, problems) : null
  if (type === 'transfer' && toAccount === null) problems.addRow(row.line, 'to_account', requiredText)
  if (type !== null && type !== 'transfer' && toAccount !== null)
    problems.addRow(row.line, 'to_account', onlyForTransfersText)
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

/**
 * Adds an error for each expense or transfer that came in, though its money left the account: in a column of credits or,
 * for a transfer, with a positive amount where other transfers have negative ones.
 */
function refuseCredits(
  { columns: { amount, debit, credit } }: CsvTable,
  values: ReadRow[],
  read: (GenericRow | null)[],
  problems: Problems,
): void {
  const areMarked = !amount || (debit && credit)
  const amountOf = (i: number) => values[i]?.amount ?? 0
  const areSigned = read.some((row, i) => row?.type === 'transfer' && amountOf(i) < 0)
  for (const [i, row] of read.entries()) {
    if (!row || row.type === 'income' || amountOf(i) < 0) continue
    if (areMarked || (areSigned && row.type === 'transfer'))
      problems.addRow(row.line, 'type', 'The selected :field is invalid: the row is a credit.')
  }
}

/**
 * The type that a row names. If it names none, a second account makes it a transfer, and a negative amount an expense; a
 * positive one is income, or lacks its type if the file has a column of types and none of debits.
 */
function typeOf(table: CsvTable, row: CsvRow, amount: Minor, toAccount: string | null, problems: Problems) {
  const { type: named, debit } = table.columns
  const word = cellOf(table, row, 'type')
  if (word === '') {
    if (toAccount !== null) return 'transfer'
    if (amount < 0) return 'expense'
    if (!named || debit) return 'income'
    problems.addRow(row.line, 'type', requiredText)
    return null
  }
  const type = typeNamed(word)
  if (type === null) problems.addRow(row.line, 'type', invalidText)
  // A negative income contradicts itself.
  else if (type === 'income' && amount < 0) problems.addRow(row.line, 'amount', notPositive)
  return type
}

function typeNamed(word: string): RowType | null {
  const folded = foldHeader(word)
  for (const type of ['income', 'expense', 'transfer'] as const)
    if (typeWords[type].includes(folded)) return type
  const mark = markOf(word)
  return mark && (mark === 'credit' ? 'income' : 'expense')
}
