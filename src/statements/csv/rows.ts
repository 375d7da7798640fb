import { maxRows, refuseFile, tooManyRows } from '../problems.ts'
import { type AmountCell, amountCell, isBlankAmount, readWrittenAmount } from '../written/amount.ts'
import { type DateCell, dateCell } from '../written/date-order.ts'
import { monthNumber } from '../written/month-names.ts'
import { type CsvField, foldHeader } from './header-names.ts'
import type { CsvRecord } from './records.ts'
import type { CsvTable } from './table.ts'

type AmountField = 'amount' | 'debit' | 'credit' | 'balance' | 'fee'

/** A record whose dates and amounts have been taken apart, each of them once. A blank amount has the text ''. */
export type CsvRow = Record<AmountField, AmountCell> & {
  line: number
  cells: string[]
  date: DateCell
  /** True if its status says that it is not booked. It counts only if the running balance includes it. */
  isPending: boolean
  /** The rest of the description, from the lines below. */
  more: string[]
}

/**
 * The rows of a table that are transactions, valid or not; `skipped` counts those that are not booked. Other lines, such
 * as an opening balance, are put `aside`: they still show how the file writes dates.
 */
export type CsvRows = { rows: CsvRow[]; skipped: number; aside: CsvRow[] }

/** The status of rows that are pending, were declined, or were reversed before they were booked. */
const notBooked =
  /^(?:pending.*|authori[sz](?:ed|ation).*|declined|failed|reverted|cancell?ed|rejected|denied|expired|refused|umsatz vorgemerkt.*|vorgemerkt.*|nicht gebucht|offen|abgelehnt|abgebrochen|en attente|en cours|refuse|annule|pendiente|rechazad[ao]|anulad[ao]|pendente|cancelad[ao]|in attesa|non contabilizzat[ao]|annullat[ao]|in behandeling|gereserveerd|geweigerd|oczekujac[ae]|w realizacji|odrzucon[ae]|anulowan[ae])$/

/** What Alipay and WeChat Pay write under 收/支 beside what they count neither way: moves between pots, and refunds. */
const neutral = /^(?:不计收支|其他|\/)$/

/** Words in lines of totals and balances, in eight languages; and cells that mark such a line even if it has an amount. */
const summary =
  /^(?:sub ?totals?|totals?|total \w+|totaux?|totale|totaal|summe|gesamt|suma|somma|razem|sum)\b|\b(?:balance|saldo|kontostand|solde|anfangssaldo|endsaldo|beginsaldo|eindsaldo)\b|^s a l d o$/
const summaryOnly =
  /^(?:s a l d o|turnover|apyvarta|saldo(?: anterior| inicial| final| do dia| iniziale| finale| poczatkowe| koncowe| actual| disponivel| bloqueado)?|(?:opening|closing|beginning|ending|starting|previous|final) balance(?: as of .*)?|balance (?:brought|carried) forward|(?:brought|carried) forward|anfangssaldo|endsaldo|(?:alter|neuer) kontostand|(?:ancien|nouveau) solde|solde precedent|beginsaldo|eindsaldo)$/

/** How a line begins that names the account of the table below it. */
const accountTitle =
  /^(?:account|iban|konto|kontonummer|compte|cuenta|conto|conta|rekening|rachunek|numer rachunku|sub account) /

/** What looks like a date, whether or not the day exists. */
const dateLike = /^\d{1,4}\s?[-/.]\s?\d{1,2}\s?[-/.']\s?\d{1,4}\b/
/** The first half of a date; and counts of rows, which also begin with a number. */
const halfDate = /^(?:\d{1,4}[-./]|(?:19|20)\d\d$)/
const rowCount =
  /^\d+ (?:rows?|records?|entries|items|transactions?|umsatze|buchungen|zeilen|operations?|lignes|movimientos|operaciones|movimentos|movimenti|operazioni|transacties|regels|transakcj[ei])$/

/** Reads the rows of a table, leaving out whatever else banks put there: footers, totals, repeated headers. */
export function transactionRows(table: CsvTable, isSheet = false): CsvRows {
  const { isBankFile } = table
  const lastDated = table.body.findLastIndex((record) => isDated(dateOf(table, record)))
  const firstTitle = titleOf(table.preamble)
  const result: CsvRows = { rows: [], skipped: 0, aside: [] }
  const bill = settledBill(table)
  let isApart = false
  for (const [i, record] of table.body.entries()) {
    isApart ||= i > lastDated && isEmpty(record)
    if (isEmpty(record)) continue
    if (isHeader(table, record)) {
      refuseOtherAccount(titleOf(table.body.slice(Math.max(0, i - 3), i)), firstTitle)
      continue
    }
    const row = isBankFile ? bankRowOf(table, record) : rowOf(table, record)
    if (isBankFile && isNotBooked(table, row) && !hasBalance(row)) {
      result.skipped += 1
      result.aside.push(row)
    } else if (isSummary(table, row, i > lastDated) ? record !== bill : isApart && isFailedFormula(row))
      result.aside.push(row)
    else if (row.date.text === '' && hasNoAmount(row)) addToDescription(result.rows.at(-1), table, row)
    else if (result.rows.length === maxRows) refuseFile(tooManyRows)
    else result.rows.push({ ...row, isPending: isBankFile && isNotBooked(table, row) })
  }
  refuseCutOff(table, result)
  // The cells of a sheet have their places, whatever is in those before them.
  if (!isSheet) refuseShifted(table, result)
  refuseNoRows(table, result)
  return result
}

/** The text of a field in a row, from the first of its columns that has any. */
export function cellOf(table: CsvTable, { cells }: { cells: string[] }, field: CsvField): string {
  for (const column of table.columns[field] ?? []) {
    const text = cells[column]?.trim()
    if (text) return text
  }
  return ''
}

function rowOf(table: CsvTable, record: CsvRecord): CsvRow {
  const { line, cells } = record
  const blank = { line, text: '', written: null }
  const amount = (field: AmountField) => {
    const text = cellOf(table, record, field)
    return isBlankAmount(text) ? blank : amountCell(line, text)
  }
  return {
    line,
    cells,
    date: dateOf(table, record),
    amount: amount('amount'),
    debit: amount('debit'),
    credit: amount('credit'),
    balance: amount('balance'),
    fee: amount('fee'),
    isPending: false,
    more: [],
  }
}

/** True for a line that has a date but no amount, and does not say that it is a total or a balance. */
export function mayLackAmount(row: CsvRow): boolean {
  return row.date.written !== null && hasNoAmount(row) && !says(row, summary)
}

function bankRowOf(table: CsvTable, record: CsvRecord): CsvRow {
  const row = withOtherDate(table, rowOf(table, record))
  const column = neutralColumn(table, row)
  const isRefund = row.cells.some((cell) => cell.trim() === '退款成功')
  return column !== undefined && isRefund ? { ...row, cells: row.cells.with(column, '收入') } : row
}

/** The column that marks this row as neutral, if one does. */
function neutralColumn({ headers, columns }: CsvTable, { cells }: CsvRow): number | undefined {
  return columns.type?.find(
    (column) => headers[column]?.name === '收 支' && neutral.test(cells[column]?.trim() ?? ''),
  )
}

/** A row with an amount but no booking date gets the date of another column, such as that of the purchase. */
function withOtherDate({ dateColumns }: CsvTable, row: CsvRow): CsvRow {
  if (row.date.text !== '' || !hasAmount(row)) return row
  const other = dateColumns.map((column) => dateCell(row.line, row.cells[column] ?? ''))
  return { ...row, date: other.find(({ written }) => written) ?? row.date }
}

/** True for a row that running balances can confirm. */
function hasBalance({ date, amount, debit, credit, balance }: CsvRow): boolean {
  return Boolean(date.written && balance.written && (amount.written ?? debit.written ?? credit.written))
}

function dateOf(table: CsvTable, record: CsvRecord): DateCell {
  return dateCell(record.line, cellOf(table, record, 'date'))
}

/** Some banks continue a description in the next line. */
function addToDescription(previous: CsvRow | undefined, table: CsvTable, row: CsvRow): void {
  const text = cellOf(table, row, 'description')
  if (previous && text !== '' && filled(row) === 1 && previous.more.length < 10) previous.more.push(text)
}

function isEmpty({ cells }: CsvRecord): boolean {
  return cells.every((cell) => cell.trim() === '')
}

function isHeader({ headers }: CsvTable, { cells }: CsvRecord): boolean {
  return cells.length === headers.length && cells.every((cell, i) => cell.trim() === headers[i]?.text)
}

/** Refuses a file in which a repeated header has the title of another account above it than the first one. */
function refuseOtherAccount(title: Title | undefined, first: Title | undefined): void {
  if (title && title.text !== first?.text)
    refuseFile(`Another account begins in line ${title.line} of the file; import each in a file of its own.`)
}

type Title = { line: number; text: string }

/** The last line that names an account. */
function titleOf(records: CsvRecord[]): Title | undefined {
  const titles = records.flatMap(({ line, cells }) => {
    const text = foldHeader(cells.join(' ').slice(0, 200))
    return accountTitle.test(text) ? [{ line, text }] : []
  })
  return titles.at(-1)
}

function isNotBooked(table: CsvTable, row: CsvRow): boolean {
  if (neutralColumn(table, row) !== undefined) return true
  return [cellOf(table, row, 'status'), row.date.text].some((text) => notBooked.test(beginningOf(text)))
}

/** True for a line that only states a balance or a total and, below the last date, for any that is not a row. */
function isSummary(table: CsvTable, row: CsvRow, isBelowAll: boolean): boolean {
  const date = row.date.text
  const noAmount = hasNoAmount(row)
  if (isDated(row.date)) {
    if (noAmount) return cellOf(table, row, 'balance') !== '' || says(row, summary)
    return table.isBankFile && says(row, summaryOnly) && !saysMore(table, row)
  }
  if (halfDate.test(date) || (isBelowAll && /^\d+$/.test(date))) return false
  if ((date !== '' || isBelowAll || noAmount) && says(row, summary)) return true
  if (date === '') return false
  if (!isBelowAll) return noAmount && !(row.cells.length > 1 && filled(row) === row.cells.length)
  return !beginsLikeRow(table, row) && !hasAmount(row)
}

/** True for a line without an amount because a formula failed, unless the date of a row with a text failed too. */
function isFailedFormula(row: CsvRow): boolean {
  const isError = (text: string) => /^#[A-Z]/.test(text)
  const { cells, date, amount, debit, credit } = row
  if (date.written || hasAmount(row) || ![amount, debit, credit].some(({ text }) => isError(text)))
    return false
  return !isError(date.text) || cells.every((cell) => cell.trim() === '' || isError(cell.trim()))
}

function isDated({ text, written }: DateCell): boolean {
  return written !== null || dateLike.test(text)
}

function says({ cells }: CsvRow, words: RegExp): boolean {
  return cells.some((cell) => words.test(foldHeader(cell)))
}

/**
 * The only row of a file without balances that is called `Saldo`, if it stands between two others: a bank states balances
 * at the edges, or more than one.
 */
function settledBill(table: CsvTable): CsvRecord | undefined {
  const { columns, body } = table
  const isCalled = ({ cells }: CsvRecord) => cells.some((cell) => /^\s*saldo\s*$/i.test(cell))
  const [bill, ...others] = columns.balance ? [] : body.filter(isCalled)
  const at = bill && others.length === 0 ? body.indexOf(bill) : 0
  const isRow = (record: CsvRecord) => {
    const row = rowOf(table, record)
    return isDated(row.date) && hasAmount(row) && (record === bill || !isSummary(table, row, false))
  }
  const three = at > 0 ? body.slice(at - 1, at + 2) : []
  return three.length === 3 && three.every(isRow) ? bill : undefined
}

/** True if the other party or the purpose says more: "Saldo" is also what people write who settle a bill. */
function saysMore({ columns }: CsvTable, { cells }: CsvRow): boolean {
  const texts = [...(columns.payee ?? []), ...(columns.description ?? [])].map((column) =>
    foldHeader(cells[column] ?? ''),
  )
  const hasWord = /(?:^| )\p{L}{3,}(?: |$)/u
  return texts.some((text) => hasWord.test(text) && !summary.test(text) && !summaryOnly.test(text))
}

/** The part of a text that can matter, folded. Folding is by far the most expensive thing that is done with a cell. */
const beginningOf = (text: string) => foldHeader(text.slice(0, 40))

/** Below the last row, a line is a damaged row if its date has digits, or if it has an amount and all the columns. */
function beginsLikeRow(table: CsvTable, row: CsvRow): boolean {
  const width = table.headers.findLastIndex(({ text }) => text !== '') + 1 || table.headers.length
  if (row.cells.length >= width && !hasNoAmount(row)) return true
  const date = row.date.text
  return /\d/.test(date) && !rowCount.test(beginningOf(date)) && !isProse(row)
}

/** True for a single cell that begins with a word, such as `Exported on 31.01.2026`, unless the word is a month. */
function isProse(row: CsvRow): boolean {
  const word = /^\p{L}{2,}/u.exec(beginningOf(row.date.text))?.[0]
  return word !== undefined && monthNumber(word) === null && filled(row) === 1
}

function filled({ cells }: { cells: string[] }): number {
  return cells.filter((cell) => cell.trim() !== '').length
}

function hasNoAmount({ amount, debit, credit }: CsvRow): boolean {
  return amount.text === '' && debit.text === '' && credit.text === ''
}

function hasAmount({ amount, debit, credit }: CsvRow): boolean {
  return Boolean(amount.written || debit.written || credit.written)
}

/** Refuses a file that has lines but no transaction among them: it is not an empty statement. */
function refuseNoRows(table: CsvTable, { rows, skipped }: CsvRows): void {
  if (skipped > 0 || rows.some((row) => !/^\D+$/.test(row.date.text))) return
  const lines = table.body.filter((record) => filled(record) > 2)
  const first = rows[0] ?? lines[0]
  if (first) refuseFile(`No line from line ${first.line} on is a transaction with a date and an amount.`)
}

/** A last row that is shorter than all others and has no line end may be half a row, with half an amount. */
function refuseCutOff(table: CsvTable, { rows }: CsvRows): void {
  const last = rows.at(-1)
  // A line end at the end of the file makes an empty record after the last row.
  if (!last || rows.length < 2 || table.body.at(-1)?.line !== last.line) return
  const shortest = Math.min(...rows.slice(0, -1).map((row) => row.cells.length))
  if (last.cells.length < shortest)
    refuseFile(`The file ends in the middle of line ${last.line}; it seems to be cut off.`)
}

/**
 * In a row with more cells than the header, a value has been taken apart, and in one too short for its balance, with a
 * number among its texts, something is missing: what follows is in the wrong columns.
 */
function refuseShifted(table: CsvTable, { rows }: CsvRows): void {
  const { headers, columns } = table
  const isLonger = (row: CsvRow) =>
    row.cells.slice(headers.length).some((cell) => cell.trim() !== '') && !isOnlyTextLonger(table, row)
  const longer = headers.length > 0 && rows.find(isLonger)
  if (longer)
    refuseFile(
      `Line ${longer.line} has more cells than the header: one of its values may contain the separator and lack quotes.`,
    )
  const { balance = [], description = [] } = columns
  const shorter = rows.find(
    ({ cells }) =>
      cells.length <= Math.max(...balance) &&
      description.some((column) => readWrittenAmount(cells[column] ?? '')),
  )
  if (shorter)
    refuseFile(`Line ${shorter.line} has fewer cells than the header: one of its values may be missing.`)
}

/** True if what was taken apart is a text behind all amounts: no cell up to the last of them has words or lacks decimals. */
function isOnlyTextLonger({ columns, dateColumns }: CsvTable, { cells }: CsvRow): boolean {
  const { amount = [], debit = [], credit = [], balance = [], fee = [] } = columns
  const last = Math.max(...amount, ...debit, ...credit, ...balance, ...fee, ...dateColumns)
  return !cells.slice(0, last + 1).some((cell) => /\p{L}|^\D*\d+\s*$/u.test(cell))
}
