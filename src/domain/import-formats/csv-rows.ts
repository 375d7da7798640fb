import { isBlankAmount, readWrittenAmount } from './amounts.ts'
import { type CsvField, foldHeader } from './csv-header-names.ts'
import type { CsvRecord } from './csv-records.ts'
import type { CsvTable } from './csv-table.ts'
import { refuseFile, tooManyRows } from './problems.ts'
import { maxRows } from './statement.ts'
import { looksLikeDate } from './written-date.ts'

/** A row that is a transaction, right or wrong, and what lines below it added to its description. */
export type CsvRow = { line: number; cells: string[]; more: string[] }

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

/** Tells the transactions of a table from everything else that banks put into it. */
export function transactionRows(table: CsvTable, ofBank: boolean): CsvRows {
  const result: CsvRows = { rows: [], skipped: 0 }
  const header = JSON.stringify(table.headers.map((cell) => cell.trim()))
  const last = table.body.findLastIndex((record) => looksLikeDate(cellOf(table, record, 'date')))
  table.body.forEach((record, i) => {
    if (record.cells.every((cell) => cell.trim() === '')) return
    if (JSON.stringify(record.cells.map((cell) => cell.trim())) === header) return
    if (ofBank && isNotBooked(table, record)) result.skipped += 1
    else if (!isSummary(table, record, { belowAll: i > last, hasRows: last >= 0 }, ofBank))
      keep(table, record, result)
  })
  refuseCutOff(table, result)
  refuseNoRows(table, result)
  return result
}

/** The text of a field in a row: that of its column, or of the first of its columns that has any. */
export function cellOf(table: CsvTable, row: { cells: string[] }, field: CsvField): string {
  const columns = table.columns[field] ?? []
  return columns.map((column) => row.cells[column]?.trim() ?? '').find((cell) => cell !== '') ?? ''
}

function keep(table: CsvTable, record: CsvRecord, result: CsvRows): void {
  const previous = result.rows.at(-1)
  const undated = cellOf(table, record, 'date') === ''
  if (undated && hasNoAmount(table, record)) {
    // Some banks go on with a description in the next row.
    const text = cellOf(table, record, 'description')
    const alone = record.cells.filter((cell) => cell.trim() !== '').length === 1
    if (previous && alone && text !== '' && previous.more.length < 10) previous.more.push(text)
    return
  }
  if (result.rows.length === maxRows) refuseFile(tooManyRows)
  result.rows.push({ line: record.line, cells: record.cells, more: [] })
}

function isNotBooked(table: CsvTable, record: CsvRecord): boolean {
  const date = foldHeader(cellOf(table, record, 'date'))
  return notBooked.test(foldHeader(cellOf(table, record, 'status'))) || notBooked.test(date)
}

/** A line without a date that says balance or total; below the last dated one any that is no transaction either. */
function isSummary(
  table: CsvTable,
  record: CsvRecord,
  { belowAll, hasRows }: { belowAll: boolean; hasRows: boolean },
  ofBank: boolean,
): boolean {
  const date = cellOf(table, record, 'date')
  const sums = record.cells.some((cell) => summary.test(foldHeader(cell)))
  const noAmount = hasNoAmount(table, record)
  if (looksLikeDate(date)) {
    if (noAmount) return sums || cellOf(table, record, 'balance') !== ''
    return ofBank && record.cells.some((cell) => summaryOnly.test(foldHeader(cell)))
  }
  if (sums && (date !== '' || belowAll || noAmount)) return true
  if (date === '' || beginsLikeRow(record, date, hasRows)) return false
  return noAmount || (belowAll && !hasAmount(table, record))
}

/** A line that begins with half a date, or has text in every cell, is a row that is wrong and no footer. */
function beginsLikeRow({ cells }: CsvRecord, date: string, hasRows: boolean): boolean {
  return (
    /^(?:\d{1,4}[-./]|(?:19|20)\d\d$)/.test(date) ||
    (hasRows && cells.length > 1 && cells.every((cell) => cell.trim() !== ''))
  )
}

/** Lines of cells none of which is a transaction are not an empty statement but something else. */
function refuseNoRows(table: CsvTable, { rows, skipped }: CsvRows): void {
  if (rows.length > 0 || skipped > 0) return
  const lines = table.body.filter(({ cells }) => cells.filter((cell) => cell.trim() !== '').length > 2)
  const [first] = lines
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
