import type { Minor } from '../../../src/domain/money.ts'
import { sepaPurpose } from '../../mt940/details.ts'
import { joinDescription } from '../../shared/text.ts'
import { columnsNamed } from '../text/headers.ts'
import { markOf } from '../text/mark-words.ts'
import { type CsvRow, cellOf } from '../text/row.ts'
import type { CsvTable } from '../text/table.ts'

const payers = new Set([
  'zahlungspflichtige r',
  'auftraggeber',
  'from name',
  'nazwa nadawcy',
  'nadawca',
  'ordenante',
  'ordinante',
])

/** The other party and the purpose; the kind of booking if the bank gives neither. */
export function describeRow(table: CsvTable, row: CsvRow, amount: Minor): string | null {
  const texts = (table.columns.description ?? []).map((column) => purposeOf(row.cells[column] ?? ''))
  // A mark such as DEBIT adds nothing to a description.
  const marks = columnsNamed(table.headers, 'type')
  const isMark = (text: string, i: number) =>
    marks.includes(table.columns.description?.[i] ?? -1) && markOf(text) !== null
  const telling = texts.filter((text, i) => !isMark(text, i))
  const party = otherParty(table, row, amount)
  return (
    joinDescription(party, ...telling, ...row.more.map(({ text }) => text)) ??
    joinDescription(...texts) ??
    joinDescription(row.cells[table.otherText ?? -1]) ??
    joinDescription(cellOf(table, row, 'posting_text'))
  )
}

/** German savings banks put SEPA references before the purpose, as in MT940. */
function purposeOf(text: string): string {
  return text.includes('SVWZ+') ? sepaPurpose(text) : text
}

/** The other party. If a bank has one column for payers and one for payees, the payer of a credit is meant. */
function otherParty(table: CsvTable, row: CsvRow, amount: Minor): string {
  const columns = table.columns.payee ?? []
  const isPayer = (column: number) => payers.has(table.headers[column]?.name ?? '')
  const wanted = columns.filter((column) => isPayer(column) === amount > 0)
  const chosen = columns.some(isPayer) && wanted.length > 0 ? wanted : columns
  return chosen.map((column) => row.cells[column]?.trim() ?? '').find((cell) => cell !== '') ?? ''
}
