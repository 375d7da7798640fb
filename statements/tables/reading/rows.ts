import { transactionTypes } from '../../../src/domain/types.ts'
import { leftOut } from '../../shared/accounts.ts'
import { type AmountCell, amountCell, isBlankAmount, readWrittenAmount } from '../../shared/amount.ts'
import { type DateCell, dateCell, readWrittenDate } from '../../shared/date.ts'
import { monthNumber } from '../../shared/month-names.ts'
import { maxRows, tooManyRows } from '../../shared/problems.ts'
import type { LeftOut, Reason } from '../../shared/statement.ts'
import { cleanText } from '../../shared/text.ts'
import { refuseFile } from '../../shared/unreadable.ts'
import { unknownCurrency } from '../aspects/foreign-amounts.ts'
import { hundredthsIn } from '../text/contents.ts'
import { foldHeader } from '../text/fold-header.ts'
import { moneyFields } from '../text/header-names.ts'
import {
  nameOfBalance,
  nameOfSum,
  rowCount,
  summary,
  summaryOnly,
  sumOnly,
  totalWords,
} from '../text/line-words.ts'
import type { CsvRecord } from '../text/records.ts'
import { amountFields, amountText, type CsvRow, cellOf, hasNoAmount } from '../text/row.ts'
import { foldState, pendingWords } from '../text/state-words.ts'
import type { CsvTable } from '../text/table.ts'
import { appRowOf } from './app-rows.ts'

/**
 * The rows of a table that are transactions, valid or not. Lines such as an opening balance are put `aside`: they still
 * show how the file writes dates and numbers.
 */
type CsvRows = { rows: CsvRow[]; aside: CsvRow[]; leftOut: LeftOut[] }

type Sums = Record<(typeof moneyFields)[number], number>

/** At least three words, which may begin in any column. */
const sentence = /\p{L}\s\p{L}+\s\p{L}/u

/** The first half of a date. */
const halfDate = /^(?:\d{1,4}[-./]|(?:19|20)\d\d$)/

/**
 * Reads the rows of a table, leaving out whatever else banks put there: footers, totals, repeated headers. Throws Unreadable
 * if it has none, or seems damaged. `isSheet` if it is that of a workbook.
 */
export function transactionRows(table: CsvTable, isSheet: boolean): CsvRows {
  const lastDated = table.body.findLastIndex((record) => isDated(dateOf(table, record)))
  const result: CsvRows = { rows: [], aside: [], leftOut: [] }
  const leave = (record: CsvRecord, reason: Reason) =>
    result.leftOut.push(leftOut(record.line, record.cells.join(' '), reason))
  for (const record of table.preamble) if (filled(record) > 0) leave(record, 'before_header')
  const sums = { amount: 0, debit: 0, credit: 0 }
  /** The sums up to the last subtotal. */
  let before = { ...sums }
  const currency = unknownCurrency(table.columns, table.body)
  let section = titleOf(table.preamble)
  let pendingTitle = ''
  let lastHeader = 0
  for (const [i, record] of table.body.entries()) {
    if (filled(record) === 0) continue
    if (isHeader(table, record)) {
      while (isTitle(result.rows.at(-1))) leave(result.rows.pop() as CsvRow, 'before_header')
      const last = Math.max(lastHeader, result.rows.at(-1)?.line ?? 0)
      section = titleOf(table.body.slice(Math.max(0, i - 3), i).filter(({ line }) => line > last)) || section
      lastHeader = record.line
      leave(record, 'header_again')
      continue
    }
    const row = rowOf(table, record, currency)
    useOtherDate(table, row)
    useFee(table, row)
    const isBelowAll = i > lastDated
    const isSum = isSumOf(row, sums, before, isBelowAll && result.rows.length > 1)
    if (isTitle(row) && filled(record) === 1) pendingTitle = titleOfPending(record)
    if (isSum || isSummary(table, row, isBelowAll)) {
      result.aside.push(row)
      leave(record, isSum ? 'total' : reasonOf(row, isBelowAll))
      if (isSum) before = { ...sums }
    } else if (row.date.text === '' && hasNoAmount(row)) {
      // A line below all rows is a footer without separators, or below a blank one.
      const isApart = filled(table.body[i - 1] ?? record) === 0
      const isFooter = isBelowAll && table.headers.length > 1 && (isApart || record.cells.length === 1)
      if (isFooter || !addToDescription(result.rows.at(-1), table, row))
        leave(record, isBelowAll ? 'after_rows' : 'note')
    } else if (result.rows.length === maxRows) refuseFile(tooManyRows)
    else {
      result.rows.push(
        Object.assign(row, {
          section,
          pendingTitle: row.balance.text === '' ? pendingTitle : '',
          balanceWord: balanceWordOf(table, row),
        }),
      )
      for (const field of moneyFields) sums[field] += hundredthsIn(row[field])
    }
  }
  doubtSums(result.rows)
  refuseCutOff(table, result)
  // The cells of a sheet have their places, whatever is in those before them.
  if (!isSheet) refuseShifted(table, result)
  refuseNoRows(table, result)
  return result
}

/** Why a line that is no row was left out. */
function reasonOf(row: CsvRow, isBelowAll: boolean): Reason {
  if (says(row, totalWords)) return 'total'
  if (row.balance.text !== '' || says(row, summary) || says(row, summaryOnly)) return 'balance'
  return isBelowAll ? 'after_rows' : 'note'
}

/**
 * Without a balance, the only row with its texts may be a total if its amount is the sum of three others or more: of all, of all
 * debits or credits, or of those right above it.
 */
function doubtSums(rows: CsvRow[]): void {
  if (rows.length <= minSummands) return
  const wordsOf = ({ cells }: CsvRow) =>
    (cells.find((cell) => /\p{L}{2}/u.test(cell)) ?? cells.find((cell) => /\p{L}/u.test(cell)) ?? '').trim()
  const times = Map.groupBy(rows, wordsOf)
  const mayBeSum = sumsIn(rows)
  const found = rows.filter((row, i) => row.balance.text === '' && mayBeSum(i))
  for (const row of found) {
    const words = wordsOf(row)
    if (words !== '' && times.get(words)?.length === 1) row.balanceWord ||= words
  }
}

/** A single row may equal a few others by chance, and in a long file also some that stand in a row. */
const [minSummands, maxSummed] = [3, 50]

/** What tells whether a row is the sum of others. */
function sumsIn(rows: CsvRow[]): (at: number) => boolean {
  const moved = rows.map(
    (row) => hundredthsIn(row.amount) || hundredthsIn(row.credit) - Math.abs(hundredthsIn(row.debit)),
  )
  const sumOf = (some: number[]) => some.reduce((sum, one) => sum + one, 0)
  const sides = [moved, moved.filter((one) => one < 0), moved.filter((one) => one > 0)]
    .filter(({ length }) => length > minSummands)
    .map((some) => ({ sum: sumOf(some), times: Map.groupBy(some, (one) => one) }))
  const above = [0]
  for (const one of moved) above.push((above.at(-1) ?? 0) + one)
  return (i) => {
    const amount = moved[i] ?? 0
    if (amount === 0) return false
    // Payments that came back add up to any row beside an equal one, and may add up to one below them.
    if (sides.some(({ sum, times }) => sum - amount === amount && times.get(amount)?.length === 1))
      return true
    if (rows.length > maxSummed) return false
    const isLarger = (one: number) => Math.abs(one) < Math.abs(amount)
    return above
      .slice(0, Math.max(0, i - minSummands + 1))
      .some((sum, from) => (above[i] ?? 0) - sum === amount && moved.slice(from, i).every(isLarger))
  }
}

/** True for a row with an amount that can be read. */
function hasAmount({ amount, debit, credit }: CsvRow): boolean {
  return Boolean(amount.written || debit.written || credit.written)
}

function rowOf(table: CsvTable, record: CsvRecord, currency: string | null): CsvRow {
  const { line, cells } = record
  const blank: AmountCell = { line, text: '', written: null }
  const read = (field: (typeof amountFields)[number]) => {
    const text = table.columns[field] ? cellOf(table, record, field) : ''
    return isBlankAmount(text) ? blank : amountCell(line, text, currency)
  }
  return {
    line,
    cells,
    date: dateOf(table, record),
    amount: read('amount'),
    debit: read('debit'),
    credit: read('credit'),
    balance: read('balance'),
    fee: (table.columns.fee?.length ?? 0) > 1 ? sumOfFees(table, record) : read('fee'),
    net: read('net'),
    more: [],
    section: '',
    pendingTitle: '',
    balanceWord: '',
  }
}

/** Several deductions as one. */
function sumOfFees(table: CsvTable, { line, cells }: CsvRecord): AmountCell {
  const parts = (table.columns.fee ?? []).map((column) => amountCell(line, cells[column] ?? ''))
  const sum = parts.reduce((total, part) => total + hundredthsIn(part), 0)
  const text = (Math.abs(sum) / 100).toFixed(2)
  const written = { isNegative: sum < 0, positive: null, readings: { '.': text, ',': text } }
  return { line, text: sum === 0 ? '' : `${sum < 0 ? '-' : ''}${text}`, written: sum === 0 ? null : written }
}

/** A row with an amount but no booking date gets the date of another column, such as that of the purchase. */
function useOtherDate({ dateColumns }: CsvTable, row: CsvRow): void {
  if (row.date.text !== '' || !hasAmount(row)) return
  const others = dateColumns.map((column) => dateCell(row.line, row.cells[column] ?? ''))
  row.date = others.find(({ written }) => written) ?? row.date
}

/** A row that moved nothing but a fee has an amount of zero beside it. */
function useFee({ columns }: CsvTable, row: CsvRow): void {
  if (!hasNoAmount(row) || !isDated(row.date) || hundredthsIn(row.fee) === 0) return
  const [field] = moneyFields.filter((one) => columns[one])
  if (field) row[field] = amountCell(row.line, '0')
}

function dateOf(table: CsvTable, record: CsvRecord): DateCell {
  return dateCell(record.line, cellOf(table, record, 'date'))
}

/** Some banks continue a description in the next line. Returns whether this line does. */
function addToDescription(previous: CsvRow | undefined, table: CsvTable, row: CsvRow): boolean {
  const text = cellOf(table, row, 'description')
  if (!previous || text === '' || filled(row) !== 1 || previous.more.length >= 10) return false
  previous.more.push({ line: row.line, text })
  return true
}

/** The texts of the lines above a header, apart from sums and balances. */
function titleOf(lines: CsvRecord[]): string {
  const titles = lines.slice(-3).map(({ cells }) => cleanText(cells.join(' ')) ?? '')
  return cleanText(titles.filter((title) => title && !summary.test(foldHeader(title))).join(', ')) ?? ''
}

function isHeader({ headers }: CsvTable, { cells }: CsvRecord): boolean {
  return cells.length === headers.length && cells.every((cell, i) => cell.trim() === headers[i]?.text)
}

/** True for a line that only states a balance or a total, and for one without a date or an amount that is no damaged row. */
function isSummary(table: CsvTable, row: CsvRow, isBelowAll: boolean): boolean {
  const date = row.date.text
  const noAmount = hasNoAmount(row)
  if (appRowOf(table, row).isStart) return false
  if (isDated(row.date)) {
    if (noAmount) return row.balance.text !== '' || says(row, summary)
    if (!table.columns.balance) return false
    return isNamedBalance(table, row) || (row.balance.text === '' && isNamedSum(table, row))
  }
  if (halfDate.test(date)) return false
  if ((date !== '' || isBelowAll || noAmount) && isCalledSum(row)) return true
  if (date === '') return isBelowAll && filled(row) === 1 && sentence.test(amountText(row))
  if (isBelowAll) return !hasAmount(row) && !beginsLikeRow(table, row)
  return noAmount && filled(row) < Math.max(2, row.cells.length)
}

/**
 * True for a line without a date whose amounts are the sums of those above: below all rows, or with a word for a total, of
 * those since the last such line.
 */
function isSumOf(row: CsvRow, sums: Sums, before: Sums, isBelowAll: boolean): boolean {
  if (isDated(row.date)) return false
  if (isBelowAll && isTotal(row, sums)) return true
  const since = { ...sums }
  for (const field of moneyFields) since[field] -= before[field]
  return row.date.text === '' && isTotal(row, since) && says(row, totalWords)
}

/** True for a line whose amounts are the sums of those above. */
function isTotal(row: CsvRow, sums: Sums): boolean {
  const stated = moneyFields.filter((field) => row[field].text !== '')
  return (
    stated.length > 0 &&
    stated.every((field) => sums[field] !== 0 && Math.abs(hundredthsIn(row[field])) === Math.abs(sums[field]))
  )
}

/** Without balances, a dated row that is called a balance or a total may state one, or be a payment. */
function balanceWordOf(table: CsvTable, row: CsvRow): string {
  return !table.columns.balance && isNamedSum(table, row) ? (row.cells.find(isCalledSo)?.trim() ?? '') : ''
}

/** True for a row that is called a balance or a total, and nothing else. */
function isNamedSum(table: CsvTable, row: CsvRow): boolean {
  return row.cells.some(isCalledSo) && !isTyped(table, row) && !saysMore(table, row)
}

const isCalledSo = (cell: string) => nameOfSum.test(cell) && calledSum(foldHeader(cell))

const calledSum = (text: string) => summaryOnly.test(text) || sumOnly.test(text)

/** True for a row that is called a balance, and nothing else. */
function isNamedBalance(table: CsvTable, row: CsvRow): boolean {
  const isNamed = row.cells.some((cell) => nameOfBalance.test(cell)) && says(row, summaryOnly)
  return isNamed && !isTyped(table, row) && !saysMore(table, row)
}

/** True for a row with a type in the contract's words, which is a transaction whatever its texts say. */
function isTyped(table: CsvTable, row: CsvRow): boolean {
  const type = cellOf(table, row, 'type').toLowerCase()
  return transactionTypes.some((one) => one === type)
}

/** True for a line without a date that is called a total or a balance. With an amount, its texts must say nothing else. */
function isCalledSum(row: CsvRow): boolean {
  if (!hasAmount(row)) return says(row, summary)
  return summary.test(beginningOf(row.date.text)) || says(row, summaryOnly) || says(row, sumOnly)
}

/** A title such as `Pending transactions`, under which rows are pending; empty for others, such as `No pending transactions`. */
function titleOfPending({ cells }: CsvRecord): string {
  const title = cells.join('').trim()
  return !/\s\S+\s/.test(title) && pendingWords.test(foldState(title)) ? title : ''
}

/** True for a line above a header that is not a row: it has no amount, and either no date or just one cell, a period. */
function isTitle(row: CsvRow | undefined): boolean {
  return row !== undefined && hasNoAmount(row) && (!isDated(row.date) || filled(row) === 1)
}

const isDated = ({ written }: DateCell) => written !== null

function says({ cells }: CsvRecord, words: RegExp): boolean {
  return cells.some((cell) => words.test(foldHeader(cell)))
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
  const word = /^\p{L}{2,}/u.exec(beginningOf(row.date.text))?.[0]
  const isProse = word !== undefined && monthNumber(word) === null && filled(row) === 1
  // A single digit counts something.
  return /\d.|.\d/.test(row.date.text) && !rowCount.test(beginningOf(row.date.text)) && !isProse
}

/** How many cells have a text. */
function filled({ cells }: { cells: string[] }): number {
  return cells.filter((cell) => cell.trim() !== '').length
}

/** Refuses a file that has lines but no transaction among them: it is not an empty statement. */
function refuseNoRows(table: CsvTable, { rows }: CsvRows): void {
  if (rows.some((row) => row.date.text === '' || /\p{Nd}/u.test(row.date.text))) return
  // A whole number may be that of an account, or a count.
  const isAmount = (cell: string) => /[.,]\d\d?\b/.test(cell) && readWrittenAmount(cell) !== null
  const isRow = (record: CsvRecord) =>
    record.cells.some((cell) => readWrittenDate(cell)) &&
    record.cells.some(isAmount) &&
    !says(record, summary)
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
function refuseShifted({ headers, columns, dateColumns }: CsvTable, { rows }: CsvRows): void {
  const numbers = amountFields.flatMap((field) => columns[field] ?? [])
  const last = Math.max(...numbers, ...dateColumns)
  // A text behind all amounts may be taken apart: then no cell up to the last of them has words or lacks decimals.
  const isOnlyText = ({ cells }: CsvRow) =>
    !cells.slice(0, last + 1).some((cell) => /\p{L}|^\D*\d+\s*$/u.test(cell))
  const longer = rows.find(
    (row) => row.cells.slice(headers.length).some((cell) => cell.trim()) && !isOnlyText(row),
  )
  if (longer && headers.length > 0)
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
