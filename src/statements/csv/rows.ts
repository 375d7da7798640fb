import { refuseFile, tooManyRows } from '../problems.ts'
import { maxRows } from '../statement.ts'
import { isBlankAmount, readWrittenAmount } from '../written/amount.ts'
import { looksLikeDate } from '../written/date.ts'
import { type DateCell, dateCell } from '../written/date-order.ts'
import { monthNumber } from '../written/month-names.ts'
import { type CsvField, foldHeader } from './header-names.ts'
import type { CsvRecord } from './records.ts'
import type { CsvTable } from './table.ts'

/** A row that is a transaction, right or wrong, its date, and what lines below it added to its description. */
export type CsvRow = { line: number; cells: string[]; date: DateCell; more: string[] }

/** The rows of a table without footers, sums and repeated headers; `skipped` counts those that are not booked. */
export type CsvRows = { rows: CsvRow[]; skipped: number }

/** What a row says that is pending, declined or reversed before it was booked. */
const notBooked =
  /^(?:pending.*|authori[sz](?:ed|ation).*|declined|failed|reverted|cancell?ed|rejected|denied|expired|refused|umsatz vorgemerkt.*|vorgemerkt.*|nicht gebucht|offen|abgelehnt|abgebrochen|en attente|en cours|refuse|annule|pendiente|rechazad[ao]|anulad[ao]|pendente|cancelad[ao]|in attesa|non contabilizzat[ao]|annullat[ao]|in behandeling|gereserveerd|geweigerd|oczekujac[ae]|w realizacji|odrzucon[ae]|anulowan[ae])$/

/** Lines that sum up instead of moving money, in eight languages: words in them, and cells that say nothing else. */
const summary =
  /^(?:sub ?totals?|totals?|total \w+|totaux?|totale|totaal|summe|gesamt|suma|somma|razem|sum)\b|\b(?:balance|saldo|kontostand|solde|anfangssaldo|endsaldo|beginsaldo|eindsaldo)\b|^s a l d o$/
const summaryOnly =
  /^(?:s a l d o|turnover|apyvarta|saldo(?: anterior| inicial| final| do dia| iniziale| finale| poczatkowe| koncowe| actual| disponivel| bloqueado)?|(?:opening|closing|beginning|ending|starting|previous|final) balance(?: as of .*)?|balance (?:brought|carried) forward|(?:brought|carried) forward|anfangssaldo|endsaldo|(?:alter|neuer) kontostand|(?:ancien|nouveau) solde|solde precedent|beginsaldo|eindsaldo)$/

/** What begins like a date and ends like half of one, and counts of rows, which begin alike and are none. */
const halfDate = /^(?:\d{1,4}[-./]|(?:19|20)\d\d$)/
const rowCount =
  /^\d+ (?:rows?|records?|entries|items|transactions?|umsatze|buchungen|zeilen|operations?|lignes|movimientos|operaciones|movimentos|movimenti|operazioni|transacties|regels|transakcj[ei])$/

/** Tells the transactions of a table from everything else that banks put into it. */
export function transactionRows(table: CsvTable, ofBank: boolean): CsvRows {
  const result: CsvRows = { rows: [], skipped: 0 }
  const last = table.body.findLastIndex((record) => looksLikeDate(cellOf(table, record, 'date')))
  table.body.forEach((record, i) => {
    if (record.cells.every((cell) => cell.trim() === '')) return
    if (isHeader(table, record)) return
    if (ofBank && isNotBooked(table, record)) result.skipped += 1
    else if (!isSummary(table, record, i > last, ofBank)) keep(table, record, result)
  })
  refuseCutOff(table, result)
  refuseNoRows(table, result)
  return result
}

/** The text of a field in a row: that of its column, or of the first of its columns that has any. */
export function cellOf(table: CsvTable, row: { cells: string[] }, field: CsvField): string {
  for (const column of table.columns[field] ?? []) {
    const text = row.cells[column]?.trim()
    if (text) return text
  }
  return ''
}

function keep(table: CsvTable, record: CsvRecord, result: CsvRows): void {
  const previous = result.rows.at(-1)
  const date = cellOf(table, record, 'date')
  if (date === '' && hasNoAmount(table, record)) {
    // Some banks go on with a description in the next row.
    const text = cellOf(table, record, 'description')
    const alone = filled(record) === 1
    if (previous && alone && text !== '' && previous.more.length < 10) previous.more.push(text)
    return
  }
  if (result.rows.length === maxRows) refuseFile(tooManyRows)
  const { line, cells } = record
  result.rows.push({ line, cells, date: dateCell(line, date), more: [] })
}

function isHeader({ headers }: CsvTable, { cells }: CsvRecord): boolean {
  return cells.length === headers.length && cells.every((cell, i) => cell.trim() === headers[i]?.trim())
}

function isNotBooked(table: CsvTable, record: CsvRecord): boolean {
  const date = foldHeader(cellOf(table, record, 'date'))
  return notBooked.test(foldHeader(cellOf(table, record, 'status'))) || notBooked.test(date)
}

/** A line without a date that says balance or total; below the last dated one any that is no transaction either. */
function isSummary(table: CsvTable, record: CsvRecord, belowAll: boolean, ofBank: boolean): boolean {
  const date = cellOf(table, record, 'date')
  const noAmount = hasNoAmount(table, record)
  if (looksLikeDate(date)) {
    if (noAmount) return cellOf(table, record, 'balance') !== '' || says(record, summary)
    return ofBank && says(record, summaryOnly)
  }
  if (halfDate.test(date) || (belowAll && /^\d+$/.test(date))) return false
  if ((date !== '' || belowAll || noAmount) && says(record, summary)) return true
  if (date === '') return false
  if (!belowAll) return noAmount && !(record.cells.length > 1 && filled(record) === record.cells.length)
  return !beginsLikeRow(table, record, date) && !hasAmount(table, record)
}

function says({ cells }: CsvRecord, words: RegExp): boolean {
  return cells.some((cell) => words.test(foldHeader(cell)))
}

/** Below the last row, a line with digits for its date, or as wide as the table and with an amount, is a wrong row. */
function beginsLikeRow(table: CsvTable, record: CsvRecord, date: string): boolean {
  if (record.cells.length >= table.width && !hasNoAmount(table, record)) return true
  return /\d/.test(date) && !rowCount.test(foldHeader(date)) && !isProse(record, date)
}

/** One cell alone that begins with a word, such as `Exported on 31.01.2026`; a month may begin a date. */
function isProse(record: CsvRecord, date: string): boolean {
  const word = /^\p{L}{2,}/u.exec(foldHeader(date))?.[0]
  return word !== undefined && monthNumber(word) === null && filled(record) === 1
}

function filled({ cells }: CsvRecord): number {
  return cells.filter((cell) => cell.trim() !== '').length
}

/** Lines of cells none of which is a transaction are not an empty statement but something else. */
function refuseNoRows(table: CsvTable, { rows, skipped }: CsvRows): void {
  if (skipped > 0 || rows.some((row) => !/^\D+$/.test(row.date.text))) return
  const lines = table.body.filter((record) => filled(record) > 2)
  const first = rows[0] ?? lines[0]
  if (first)
    refuseFile(`None of the lines from line ${first.line} on is a transaction with a date and an amount.`)
}

function hasNoAmount(table: CsvTable, record: CsvRecord): boolean {
  return (['amount', 'debit', 'credit'] as const).every((field) =>
    isBlankAmount(cellOf(table, record, field)),
  )
}

function hasAmount(table: CsvTable, record: CsvRecord): boolean {
  return (['amount', 'debit', 'credit'] as const).some(
    (field) => readWrittenAmount(cellOf(table, record, field)) !== null,
  )
}

/** A last row that is shorter than all others and not ended by a line end may be half a row, with half an amount. */
function refuseCutOff(table: CsvTable, { rows }: CsvRows): void {
  const last = rows.at(-1)
  // A line end at the end of the file makes an empty record after the last row.
  if (!last || rows.length < 2 || table.body.at(-1)?.line !== last.line) return
  const shortest = Math.min(...rows.slice(0, -1).map((row) => row.cells.length))
  if (last.cells.length < shortest)
    refuseFile(`The file ends in the middle of line ${last.line}; it seems to be cut off.`)
}
