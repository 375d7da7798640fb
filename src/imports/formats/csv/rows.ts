import { maxRows, refuseFile, tooManyRows } from '../problems.ts'
import { type AmountCell, amountCell, isBlankAmount, readWrittenAmount } from '../written/amount.ts'
import { type DateCell, dateCell } from '../written/date-order.ts'
import { monthNumber } from '../written/month-names.ts'
import { type CsvField, foldHeader } from './header-names.ts'
import { neutral, notBooked, rowCount, summary, summaryOnly, sumOnly } from './line-words.ts'
import type { CsvRecord } from './records.ts'
import { sectionsOf } from './sections.ts'
import type { CsvTable } from './table.ts'

type AmountField = 'amount' | 'debit' | 'credit' | 'balance' | 'fee'

/** A record whose dates and amounts have been taken apart, each of them once. A blank amount has the text ''. */
export type CsvRow = Record<AmountField, AmountCell> & {
  line: number
  cells: string[]
  date: DateCell
  /** True if a status or a neutral mark says that it is not booked. It counts only if the running balance includes it. */
  isPending: boolean
  /** The rest of the description, from the lines below. */
  more: string[]
  /** The title of its table, where a file has several. */
  section: string
}

/**
 * The rows of a table that are transactions, valid or not. Those that are not booked are only counted, as `skipped`,
 * unless they have a balance that may include them. What is only counted, and lines such as an opening balance, are put
 * `aside`: they still show how the file writes dates and numbers.
 */
export type CsvRows = { rows: CsvRow[]; skipped: number; aside: CsvRow[] }

/** What looks like a date, whether or not the day exists. */
const dateLike = /^\d{1,4}\s?[-/.]\s?\d{1,2}\s?[-/.']\s?\d{1,4}\b/
/** The first half of a date. */
const halfDate = /^(?:\d{1,4}[-./]|(?:19|20)\d\d$)/

/**
 * Reads the rows of a table, leaving out whatever else banks put there: footers, totals, repeated headers. Throws Invalid
 * if it has none, or seems damaged. `isSheet` if it is that of a workbook.
 */
export function transactionRows(table: CsvTable, isSheet = false): CsvRows {
  const { isBankFile } = table
  const lastDated = table.body.findLastIndex((record) => isDated(dateOf(table, record)))
  const sectionAt = sectionsOf(table)
  let section = sectionAt([])
  const result: CsvRows = { rows: [], skipped: 0, aside: [] }
  const bill = settledBill(table)
  let isApart = false
  for (const [i, record] of table.body.entries()) {
    isApart ||= i > lastDated && isEmpty(record)
    if (isEmpty(record)) continue
    if (isHeader(table, record)) {
      section = sectionAt(table.body.slice(Math.max(0, i - 3), i))
      while (isTitle(result.rows.at(-1))) result.rows.pop()
      continue
    }
    const row = isBankFile ? bankRowOf(table, record) : rowOf(table, record)
    if (row.isPending && !hasBalance(row)) {
      result.skipped += 1
      result.aside.push(row)
    } else if (isSummary(table, row, i > lastDated) ? record !== bill : isApart && isFailedFormula(row))
      result.aside.push(row)
    else if (row.date.text === '' && hasNoAmount(row)) addToDescription(result.rows.at(-1), table, row)
    else if (result.rows.length === maxRows) refuseFile(tooManyRows)
    else result.rows.push({ ...row, section })
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
    section: '',
  }
}

/** True for a line that has a date but no amount, and does not say that it is a total or a balance. */
export function mayLackAmount(row: CsvRow): boolean {
  return row.date.written !== null && hasNoAmount(row) && !says(row, summary)
}

/** A row of a bank's file, pending if a status or a neutral mark says so. Refunds that Alipay marks as neutral came in. */
function bankRowOf(table: CsvTable, record: CsvRecord): CsvRow {
  const row = withOtherDate(table, rowOf(table, record))
  const { cells } = row
  const [column = -1] = table.columns.type ?? []
  const isNeutral = table.headers[column]?.name === '收支' && neutral.test(cellOf(table, row, 'type'))
  if (isNeutral && cells.join().includes('退款成功')) return { ...row, cells: cells.with(column, '+') }
  return { ...row, isPending: isNeutral || isNotBooked(table, row) }
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

function isNotBooked(table: CsvTable, row: CsvRow): boolean {
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
  if ((date !== '' || isBelowAll || noAmount) && isCalledSum(row)) return true
  if (date === '') return false
  if (!isBelowAll) return noAmount && !(row.cells.length > 1 && filled(row) === row.cells.length)
  return !beginsLikeRow(table, row) && !hasAmount(row)
}

/** True for a line without a date that is called a total or a balance. With an amount, its texts must say nothing else. */
function isCalledSum(row: CsvRow): boolean {
  if (!hasAmount(row)) return says(row, summary)
  return summary.test(beginningOf(row.date.text)) || says(row, summaryOnly) || says(row, sumOnly)
}

/** True for a line above a header that is not a row: it has no amount, and either no date or just one cell, a period. */
function isTitle(row: CsvRow | undefined): boolean {
  return row !== undefined && hasNoAmount(row) && (!isDated(row.date) || filled(row) === 1)
}

/** True for a line apart from the table that is not a row: it has no date, and a formula failed instead of an amount. */
function isFailedFormula(row: CsvRow): boolean {
  return !row.date.written && !hasAmount(row) && /#[A-Z]/.test(amountText(row))
}

function isDated({ text, written }: DateCell): boolean {
  return written !== null || dateLike.test(text)
}

function says({ cells }: CsvRecord, words: RegExp): boolean {
  return cells.some((cell) => words.test(foldHeader(cell)))
}

/**
 * The only row called `Saldo` of a file without balances, if it stands between two others. It is a transaction: a bank
 * states balances at the edges, or more than one.
 */
function settledBill(table: CsvTable): CsvRecord | undefined {
  const { columns, body } = table
  const isCalled = ({ cells }: CsvRecord) => cells.some((cell) => /^\s*saldo\s*$/i.test(cell))
  const [bill, ...others] = columns.balance ? [] : body.filter(isCalled)
  const at = bill && others.length === 0 ? body.indexOf(bill) : 0
  const around = body.slice(Math.max(0, at - 1), at + 2).map((record) => rowOf(table, record))
  return around.filter((row) => isDated(row.date) && hasAmount(row)).length > 2 ? bill : undefined
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

/** True for a line below the last row that seems a damaged row: its date has digits, or it has an amount and all columns. */
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

function hasNoAmount(row: CsvRow): boolean {
  return amountText(row) === ''
}

/** What is written in the columns of amounts. */
export function amountText({ amount, debit, credit }: CsvRow): string {
  return `${amount.text} ${debit.text} ${credit.text}`.trim()
}

/** True for a row with an amount that can be read. */
export function hasAmount({ amount, debit, credit }: CsvRow): boolean {
  return Boolean(amount.written || debit.written || credit.written)
}

/**
 * Refuses a file that has lines but no transaction among them: it is not an empty statement. Nor is it if a line above the
 * header has a date and an amount with decimals, and does not state a balance.
 */
function refuseNoRows(table: CsvTable, { rows, skipped }: CsvRows): void {
  if (skipped > 0 || rows.some((row) => !/^\D+$/.test(row.date.text))) return
  const isRow = (record: CsvRecord) => {
    const dates = record.cells.map((cell) => isDated(dateCell(record.line, cell)))
    // A whole number may be that of an account, or a count.
    const isAmount = (cell: string) => /[.,]\d\d?\b/.test(cell) && readWrittenAmount(cell) !== null
    const holdsAmount = record.cells.some((cell, i) => !dates[i] && isAmount(cell))
    return holdsAmount && dates.includes(true) && !says(record, summary)
  }
  const lines = [...table.preamble.filter(isRow), ...table.body].filter((record) => filled(record) > 2)
  const first = rows[0] ?? lines[0]
  if (first) refuseFile(`No line from line ${first.line} on is a transaction with a date and an amount.`)
}

/** A last row that is shorter than all others, or than the header if it is the only one, and has no line end may be cut off. */
function refuseCutOff(table: CsvTable, { rows }: CsvRows): void {
  const last = rows.at(-1)
  // A line end at the end of the file makes an empty record after the last row.
  if (!last || table.body.at(-1)?.line !== last.line) return
  const above = rows.length > 1 ? rows.slice(0, -1).map((row) => row.cells) : [table.headers]
  if (last.cells.length < Math.min(...above.map((cells) => cells.length)))
    refuseFile(`The file ends in the middle of line ${last.line}; it seems to be cut off.`)
}

/**
 * Refuses a row with more cells than the header, in which a value has been taken apart, and one too short for its balance
 * with a number among its texts, in which a value is missing: what follows is in the wrong columns.
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
