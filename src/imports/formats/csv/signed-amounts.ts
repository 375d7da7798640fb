import { invalidText, requiredText } from '../../../shared/field-errors.ts'
import { type Minor, negated } from '../../../shared/money.ts'
import type { Problems } from '../problems.ts'
import type { FileOptions } from '../statement.ts'
import type { AmountCell, AmountReader } from '../written/amount.ts'
import { type Mark, markOf } from './mark-words.ts'
import type { CsvRow } from './rows.ts'
import type { CsvTable } from './table.ts'

/** Amounts in the order of the rows; null where an error was added instead. */
type Amounts = (Minor | null)[]
type Read = (cell: AmountCell, field: string) => Minor | null

/**
 * What says which way the amounts go: columns or marks of debits and credits, their own signs, or nothing. What a sign
 * means is still open, since some cards write charges as positive amounts.
 */
export type SignBasis = 'marks' | 'signs' | 'nothing'
type SignedAmounts = { amounts: Amounts; basis: SignBasis }

/**
 * The amounts of the rows, negative for debits, from one column or from two. In a bank's file, another column may hold
 * marks of debits and credits; it is left alone if some amounts are negative and the user says what that means. Amounts
 * without signs or marks stay positive.
 */
export function signedAmounts(
  table: CsvTable,
  rows: CsvRow[],
  amountOf: AmountReader,
  { signs, mapping }: FileOptions,
  problems: Problems,
): SignedAmounts {
  const { amount, debit, credit } = table.columns
  const read: Read = (cell, field) => problems.checkAmount(cell.line, cell.text, amountOf(cell), field)
  if (amount && !(debit && credit)) {
    const amounts = rows.map((row) => read(row.amount, 'amount'))
    const isSigned = amounts.some((one) => one !== null && one < 0)
    const marked = table.isBankFile && !(isSigned && signs) ? byMarks(rows, amounts, table, problems) : null
    if (marked) return { amounts: marked, basis: 'marks' }
    return isSigned ? { amounts, basis: 'signs' } : byPlus(rows, amounts)
  }
  const isOneColumn = !credit && Boolean(mapping?.debit)
  const amounts = fromTwoColumns(rows, read, isOneColumn, problems)
  if (amount) checkAgainstAmounts(rows, amounts, amountOf, problems)
  return { amounts, basis: 'marks' }
}

/** Amounts of which none is negative. If some are marked as credits (`12.50 CR`), the others are debits. */
function byPlus(rows: CsvRow[], amounts: Amounts): SignedAmounts {
  const moving = rows.filter((_, i) => amounts[i])
  const positive = moving.map(({ amount }) => amount.written?.positive)
  if (positive.includes('mark')) {
    const isDebit = ({ amount }: CsvRow) => amount.written?.positive === null
    return { amounts: rows.map((row, i) => negatedIf(isDebit(row), amounts[i])), basis: 'marks' }
  }
  const isSigned = moving.length === 0 || (positive.includes('+') && !positive.includes(null))
  return { amounts, basis: isSigned ? 'signs' : 'nothing' }
}

/** The amounts with the signs that a column of marks gives them; null if the file has none. */
function byMarks(rows: CsvRow[], amounts: Amounts, table: CsvTable, problems: Problems): Amounts | null {
  const { named, others } = markColumns(table, rows)
  const [column] = named
  if (column !== undefined) {
    const found = byMark(rows, amounts, column, problems)
    if ('signed' in found) return found.signed
    refuseSign(found.contradicting, table.headers[column]?.text, problems)
    return amounts
  }
  for (const other of others) {
    const found = byMark(rows, amounts, other, problems)
    if ('signed' in found) return found.signed
  }
  return refuseUnknownMarks(table, rows, amounts, problems) ? amounts : null
}

/**
 * Adds an error for each row whose mark is unknown, if at least half of the marks in a column for them are known and
 * nothing else shows the signs. True if there are any. The mapping can leave out the column.
 */
function refuseUnknownMarks(table: CsvTable, rows: CsvRow[], amounts: Amounts, problems: Problems): boolean {
  const [column, ...others] = table.columns.type ?? []
  const isShown = rows.some(({ balance }, i) => balance.written || Number(amounts[i]) < 0)
  if (column === undefined || others.length > 0 || isShown) return false
  const marks = rows.map(({ cells }) => markOf(cells[column] ?? ''))
  const unknown = rows.filter((_, i) => marks[i] === null)
  if (new Set(marks).size < 3 || unknown.length > rows.length / 2) return false
  for (const { line, cells } of unknown)
    problems.addRow(line, 'type', cells[column]?.trim() ? invalidText : requiredText)
  return true
}

/**
 * The amounts with the signs of one column of marks. If some are negative already, either all agree with their marks, or
 * all contradict them and positive ones are charges. Otherwise returns the first row that contradicts its mark.
 */
function byMark(
  rows: CsvRow[],
  amounts: Amounts,
  column: number,
  problems: Problems,
): { signed: Amounts } | { contradicting: CsvRow | undefined } {
  const words = rows.map((row) => markOf(row.cells[column] ?? ''))
  // Some banks mark only one side; rows without a mark then belong to the other.
  const other = !words.includes('credit') ? 'credit' : words.includes('debit') ? null : 'debit'
  const marked = words.map((mark) => mark ?? other)
  const moving = rows.flatMap((_, i) => (amounts[i] && marked[i] ? [i] : []))
  const agrees = (i: number) => (marked[i] === 'debit') === Number(amounts[i]) < 0
  if (moving.some((i) => Number(amounts[i]) < 0)) {
    const contradicting = moving.find((i) => !agrees(i))
    if (contradicting === undefined) return { signed: amounts }
    const kinds = new Set(moving.map((i) => marked[i]))
    if (kinds.size < 2 || moving.some(agrees)) return { contradicting: rows[contradicting] }
  }
  const signed = rows.map(({ line }, i) => {
    const amount = amounts[i] ?? null
    if (!amount) return amount
    if (marked[i]) return negatedIf(marked[i] === 'debit', Math.abs(amount) as Minor)
    problems.addRow(line, 'type', requiredText)
    return null
  })
  return { signed }
}

function negatedIf(isDebit: boolean, amount: Minor | null | undefined): Minor | null {
  return isDebit && amount ? negated(amount) : (amount ?? null)
}

/**
 * The columns of debit/credit marks. `named` have a header for them, no header at all, or one that means nothing else;
 * `others` serve another purpose too. Without such a header a column must have marks of both kinds, since the same word
 * throughout may mean anything.
 */
function markColumns(table: CsvTable, rows: CsvRow[]): { named: number[]; others: number[] } {
  const contents = marksIn(rows)
  const areMarks = (column: number) => contents.get(column)?.has(null) === false
  const columns = table.headers.map((_, column) => column)
  const unnamed = columns.filter((column) => table.headers[column]?.text === '')
  const isFree = (column: number) => !Object.values(table.columns).flat().includes(column)
  const areBoth = columns.filter((column) => areMarks(column) && contents.get(column)?.size === 2)
  const named = [...(table.columns.type ?? []), ...unnamed].filter(areMarks)
  return { named: [...named, ...areBoth.filter(isFree)], others: areBoth }
}

/** The marks in each column, with null among them if it holds anything else. */
function marksIn(rows: CsvRow[]): Map<number, Set<Mark | null>> {
  const columns = new Map<number, Set<Mark | null>>()
  for (const { cells } of rows) {
    for (const [column, cell] of cells.entries()) {
      const marks = columns.get(column)
      if (cell.trim() === '' || marks?.has(null)) continue
      columns.set(column, (marks ?? new Set()).add(markOf(cell)))
    }
  }
  return columns
}

/**
 * Amounts from a column of debits and one of credits. Banks write debits as positive, or all of them as negative. If a
 * mapping makes the only column of amounts debits, negative ones among positive ones are credits.
 */
function fromTwoColumns(rows: CsvRow[], read: Read, isOneColumn: boolean, problems: Problems): Amounts {
  const readAll = (field: Mark) => rows.map((row) => (row[field].text === '' ? 0 : read(row[field], field)))
  const debits = readAll('debit')
  const credits = readAll('credit')
  const isPositive = debits.some((debit) => (debit ?? 0) > 0)
  const negative = debits.findIndex((debit) => (debit ?? 0) < 0)
  if (isPositive && !isOneColumn) refuseSign(rows[negative], 'debit', problems)
  // Where debits are positive and credits negative throughout, the signs are those of a debt (Citi).
  const areOwed = isPositive && negative < 0 && !credits.some((credit) => (credit ?? 0) > 0)
  const contradicting = credits.findIndex((credit) => (credit ?? 0) < 0)
  if (!areOwed) refuseSign(rows[contradicting], 'credit', problems)
  const areNegative = negative >= 0 && !(isPositive && isOneColumn)
  return rows.map((row, i) => {
    const [debit, credit] = [debits[i] ?? null, credits[i] ?? null]
    if (debit === null || credit === null) return null
    if (debit !== 0 && credit !== 0) {
      problems.addRow(row.line, 'amount', 'The :field field must be either a debit or a credit, not both.')
      return null
    }
    if (row.debit.text === '' && row.credit.text === '') problems.addRow(row.line, 'amount', requiredText)
    return (debit !== 0 ? (areNegative ? debit : -debit) : areOwed ? Math.abs(credit) : credit) as Minor
  })
}

/** An amount beside a debit or credit must equal it. */
function checkAgainstAmounts(rows: CsvRow[], amounts: Amounts, amountOf: AmountReader, problems: Problems) {
  const contradicting = rows.find((row, i) => {
    const amount = amountOf(row.amount)
    const split = amounts[i] ?? null
    return typeof amount === 'number' && split !== null && Math.abs(amount) !== Math.abs(split)
  })
  if (contradicting)
    problems.add(
      'mapping',
      `The amount in row ${contradicting.line} differs from its debit or credit; map either amount, or debit and credit, and leave the others empty.`,
    )
}

function refuseSign(row: CsvRow | undefined, header: string | undefined, problems: Problems): void {
  if (row)
    problems.add(
      'mapping',
      `The signs in the file contradict each other: the amount in row ${row.line} does not have the sign that ${header || 'its sign column'} gives it. Map either amount, or debit and credit, or amount and type, and leave the others empty; or send signs=as_written if minus means spent, signs=inverted if it means received.`,
    )
}
