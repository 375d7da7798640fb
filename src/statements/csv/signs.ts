import { requiredText } from '../../domain/draft.ts'
import type { Minor } from '../../domain/money.ts'
import type { Problems } from '../problems.ts'
import type { ImportOptions } from '../statement.ts'
import type { AmountCell, AmountReader } from '../written/amount.ts'
import { type Mark, markOf } from './mark-words.ts'
import type { CsvRow } from './rows.ts'
import type { CsvTable } from './table.ts'

/** Amounts in the order of the rows; null where an error was added instead. */
type Amounts = (Minor | null)[]
type Read = (cell: AmountCell, field: string) => Minor | null

/**
 * What says which way the amounts go: columns or marks of debits and credits, their own signs, or nothing. Signs still
 * have a meaning, as some cards write charges as positive.
 */
export type SignBasis = 'marks' | 'signs' | 'nothing'
export type SignedAmounts = { amounts: Amounts; basis: SignBasis }

/**
 * The amounts of the rows, negative for debits, from one column or from two. In a bank's file, a column beside the
 * amounts may hold their signs. Amounts without any are positive here.
 */
export function signedAmounts(
  table: CsvTable,
  rows: CsvRow[],
  amountOf: AmountReader,
  { signs, mapping }: ImportOptions,
  ofBank: boolean,
  problems: Problems,
): SignedAmounts {
  const { amount, debit, credit } = table.columns
  const read: Read = (cell, field) => problems.checkAmount(cell.line, cell.text, amountOf(cell), field)
  if (amount && !(debit && credit)) {
    const amounts = rows.map((row) => read(row.amount, 'amount'))
    const isSigned = amounts.some((one) => one !== null && one < 0)
    const marked = ofBank && !(isSigned && signs) ? byMarks(rows, amounts, table, problems) : null
    if (marked) return { amounts: marked, basis: 'marks' }
    return isSigned ? { amounts, basis: 'signs' } : byPlus(rows, amounts)
  }
  const isOneColumn = !credit && Boolean(mapping?.debit)
  const amounts = fromTwoColumns(rows, read, isOneColumn, problems)
  if (amount) checkAgainstAmounts(rows, amounts, amountOf, problems)
  return { amounts, basis: 'marks' }
}

/** Amounts of which none is negative. Where some are marked as credits, the others are debits. */
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

/** The amounts with the signs of a column of marks; null if the file has none. */
function byMarks(rows: CsvRow[], amounts: Amounts, table: CsvTable, problems: Problems): Amounts | null {
  const { named, others } = markColumns(table, rows)
  const [column] = named
  if (column !== undefined) {
    const found = byMark(rows, amounts, column, problems)
    if (Array.isArray(found)) return found
    refuseSign(rows[found.contrary], table.headers[column]?.text, problems)
    return amounts
  }
  for (const other of others) {
    const found = byMark(rows, amounts, other, problems)
    if (Array.isArray(found)) return found
  }
  return null
}

/**
 * The amounts by one column of marks. If some are negative already, all must agree with their marks or all contradict
 * them: then positive ones are charges. Otherwise the result is the first row that is contrary.
 */
function byMark(rows: CsvRow[], amounts: Amounts, column: number, problems: Problems) {
  const words = rows.map((row) => markOf(row.cells[column] ?? ''))
  // Some banks mark only one side; rows without a mark then belong to the other.
  const other = !words.includes('credit') ? 'credit' : words.includes('debit') ? null : 'debit'
  const marked = words.map((mark) => mark ?? other)
  const moving = rows.flatMap((_, i) => (amounts[i] && marked[i] ? [i] : []))
  const agrees = (i: number) => (marked[i] === 'debit') === Number(amounts[i]) < 0
  if (moving.some((i) => Number(amounts[i]) < 0)) {
    const contrary = moving.find((i) => !agrees(i))
    if (contrary === undefined) return amounts
    const kinds = new Set(moving.map((i) => marked[i]))
    if (kinds.size < 2 || moving.some(agrees)) return { contrary }
  }
  return rows.map(({ line }, i) => {
    const amount = amounts[i] ?? null
    if (!amount) return amount
    if (marked[i]) return negatedIf(marked[i] === 'debit', Math.abs(amount) as Minor)
    problems.addRow(line, 'type', requiredText)
    return null
  })
}

function negatedIf(isDebit: boolean, amount: Minor | null | undefined): Minor | null {
  return isDebit && amount ? (-amount as Minor) : (amount ?? null)
}

/**
 * The columns of debit/credit marks: with a header for it or without one, else any that hold nothing but marks of both
 * kinds, since the same word throughout may mean anything.
 */
function markColumns(table: CsvTable, rows: CsvRow[]): { named: number[]; others: number[] } {
  const contents = marksIn(rows)
  const areMarks = (column: number) => contents[column] !== undefined && !contents[column].has(null)
  const columns = table.headers.map((_, column) => column)
  const unnamed = columns.filter((column) => table.headers[column]?.text === '')
  const isFree = (column: number) => !Object.values(table.columns).flat().includes(column)
  const areBoth = columns.filter((column) => areMarks(column) && contents[column]?.size === 2)
  const named = [...(table.columns.type ?? []), ...unnamed].filter(areMarks)
  return { named: [...named, ...areBoth.filter(isFree)], others: areBoth }
}

/** The marks in each column, with null among them if it holds anything else. */
function marksIn(rows: CsvRow[]): (Set<Mark | null> | undefined)[] {
  const columns: (Set<Mark | null> | undefined)[] = []
  for (const { cells } of rows) {
    for (const [column, cell] of cells.entries()) {
      if (cell.trim() === '' || columns[column]?.has(null)) continue
      columns[column] ??= new Set()
      columns[column].add(markOf(cell))
    }
  }
  return columns
}

/**
 * Amounts from a column of debits and one of credits. Banks write debits positive, or all of them negative. If a mapping
 * makes all amounts debits, the negative ones among positive ones are credits.
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
  const contrary = credits.findIndex((credit) => (credit ?? 0) < 0)
  if (!areOwed) refuseSign(rows[contrary], 'credit', problems)
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

/** An amount beside a debit or credit must be the same money. */
function checkAgainstAmounts(rows: CsvRow[], amounts: Amounts, amountOf: AmountReader, problems: Problems) {
  const contrary = rows.find((row, i) => {
    const amount = amountOf(row.amount)
    const split = amounts[i] ?? null
    return typeof amount === 'number' && split !== null && Math.abs(amount) !== Math.abs(split)
  })
  if (contrary)
    problems.add(
      'mapping',
      `The amount in row ${contrary.line} differs from its debit or credit; map either amount, or debit and credit, and leave the others empty.`,
    )
}

function refuseSign(row: CsvRow | undefined, header: string | undefined, problems: Problems): void {
  if (row)
    problems.add(
      'mapping',
      `The signs in the file contradict each other: the amount in row ${row.line} does not have the sign that ${header || 'its sign column'} gives it. Map either amount, or debit and credit, or amount and type, and leave the others empty; or send signs=as_written if minus means spent, signs=inverted if it means received.`,
    )
}
