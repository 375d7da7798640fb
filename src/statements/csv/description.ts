import type { Minor } from '../../domain/money.ts'
import { sepaPurpose } from '../mt940/details.ts'
import { describe } from '../text.ts'
import { foldHeader } from './header-names.ts'
import { type CsvRow, cellOf } from './rows.ts'
import { directionOf } from './signs.ts'
import type { CsvTable } from './table.ts'

const payers = new Set(
  'zahlungspflichtige r|auftraggeber|nazwa nadawcy|nadawca|ordenante|ordinante'.split('|'),
)

/** Who and what for; where a bank says neither, the kind of booking. */
export function describeRow(table: CsvTable, row: CsvRow, amount: Minor): string | null {
  const texts = (table.columns.description ?? []).map((column) => purposeOf(row.cells[column] ?? ''))
  // A mere DEBIT beside a description says nothing.
  const telling = texts.filter((text) => directionOf(text) === null)
  const party = otherParty(table, row, amount)
  return (
    describe(party, ...telling, ...row.more) ??
    describe(...texts) ??
    describe(cellOf(table, row, 'posting_text'))
  )
}

/** Savings banks put the SEPA references of a payment before its purpose, as in MT940. */
function purposeOf(text: string): string {
  return text.includes('SVWZ+') ? sepaPurpose(text) : text
}

/** The other party. Banks that name both sides do so in two columns: then who paid matters for money that came in. */
function otherParty(table: CsvTable, row: CsvRow, amount: Minor): string {
  const columns = table.columns.payee ?? []
  const isPayer = (column: number) => payers.has(foldHeader(table.headers[column] ?? ''))
  const wanted = columns.filter((column) => isPayer(column) === amount > 0)
  const chosen = columns.some(isPayer) && wanted.length > 0 ? wanted : columns
  return chosen.map((column) => row.cells[column]?.trim() ?? '').find((cell) => cell !== '') ?? ''
}
