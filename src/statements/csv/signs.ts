import type { Minor, MoneyProblem } from '../../domain/money.ts'
import { moneyText, type Problems, required } from '../problems.ts'
import { amountOf, type DecimalSeparator, isBlankAmount, readWrittenAmount } from '../written/amount.ts'
import { foldHeader } from './header-names.ts'
import { type CsvRow, cellOf } from './rows.ts'
import type { CsvTable } from './table.ts'

const outWords = new Set(
  'd dr db dt deb dbit debit debet debito soll s af wn dare debe cargo out outgoing withdrawal ausgang sortie saida uscita obciazenie wydatek expense'.split(
    ' ',
  ),
)
const inWords = new Set(
  'c cr cd ct k kr crdt cred credit kredit credito haben h bij ma avere haber abono in incoming deposit eingang entree entrada entrata uznanie wplyw income'.split(
    ' ',
  ),
)

/** An amount as it stands in the file: its value with the sign that is written, and whether that is all. */
type Value = { row: CsvRow; amount: Minor }

/**
 * The signed amounts of the rows, in their order; null where a row has none, which is noted. In the file of a bank a
 * column beside the amounts may hold their signs.
 */
export function signedAmounts(
  table: CsvTable,
  rows: CsvRow[],
  ofBank: boolean,
  separator: DecimalSeparator | null,
  problems: Problems,
): (Minor | null)[] {
  const { columns } = table
  if (separator === null) return rows.map(() => null)
  const two = columns.debit !== undefined && columns.credit !== undefined
  if (!two && columns.amount) return wholeAmounts(table, rows, ofBank, separator, problems)
  const amounts = splitAmounts(table, rows, separator, problems)
  if (columns.amount) refuseOtherAmounts(table, rows, amounts, separator, problems)
  return amounts
}

/** Which way a word in a sign column points: `D`, `Soll` and `Af` out, `C`, `Haben` and `Bij` in. */
export function directionOf(word: string): 'in' | 'out' | null {
  const text = word.trim()
  if (text === '+') return 'in'
  if (text === '-' || text === '\u2212') return 'out'
  const folded = foldHeader(text)
  if (outWords.has(folded)) return 'out'
  return inWords.has(folded) ? 'in' : null
}

/** One column for amounts, signed as written, or by a column beside it if none is negative. */
function wholeAmounts(
  table: CsvTable,
  rows: CsvRow[],
  ofBank: boolean,
  separator: DecimalSeparator,
  problems: Problems,
): (Minor | null)[] {
  const amounts = rows.map((row) => readCell(row, cellOf(table, row, 'amount'), separator, problems))
  const column = ofBank ? signColumn(table, rows) : null
  if (column === null) return amounts
  const values = rows.flatMap((row, i) => {
    const amount = amounts[i]
    return typeof amount === 'number' && amount !== 0 ? [{ row, amount }] : []
  })
  const direction = directionsOf(rows, column)
  const negative = values.some(({ amount }) => amount < 0)
  if (!negative) return signByColumn(rows, amounts, direction, problems)
  const contrary = values.find(
    ({ row, amount }) => direction(row) !== null && (direction(row) === 'out') !== amount < 0,
  )
  if (contrary) refuseSigns(contrary, table.headers[column] ?? '', problems)
  return amounts
}

function signByColumn(
  rows: CsvRow[],
  amounts: (Minor | null)[],
  direction: (row: CsvRow) => 'in' | 'out' | null,
  problems: Problems,
): (Minor | null)[] {
  return rows.map((row, i) => {
    const amount = amounts[i] ?? null
    const points = direction(row)
    if (amount === null || amount === 0 || points === 'in') return amount
    if (points === 'out') return -amount as Minor
    problems.addRow(row.line, 'type', required)
    return null
  })
}

/**
 * The column of signs: the one whose header says so, else one without a header or with any, if it holds nothing but
 * signs. Of columns that are not named as such both directions must be there, or a card payment could pass as one.
 */
function signColumn(table: CsvTable, rows: CsvRow[]): number | null {
  const contents = signsIn(rows, table.headers.length)
  const used = new Set(Object.values(table.columns).flat())
  const named = table.columns.type ?? []
  const unnamed = table.headers.flatMap((header, column) => (header.trim() === '' ? [column] : []))
  const others = table.headers.flatMap((_, column) => (used.has(column) ? [] : [column]))
  const isSigns = (column: number) => contents[column] !== undefined && !contents[column].has(null)
  const isBoth = (column: number) => isSigns(column) && contents[column]?.size === 2
  return [...named, ...unnamed].find(isSigns) ?? others.find(isBoth) ?? null
}

/** The directions that the words of each column say, null among them for a word that says none. */
function signsIn(rows: CsvRow[], width: number): (Set<'in' | 'out' | null> | undefined)[] {
  const columns: (Set<'in' | 'out' | null> | undefined)[] = new Array(width)
  for (const { cells } of rows) {
    cells.forEach((cell, column) => {
      const found = columns[column]
      if (cell.trim() === '' || found?.has(null)) return
      if (found) found.add(directionOf(cell))
      else columns[column] = new Set([directionOf(cell)])
    })
  }
  return columns
}

/** Which way each row points. Where a bank marks one direction only, what is not marked is the other. */
function directionsOf(rows: CsvRow[], column: number): (row: CsvRow) => 'in' | 'out' | null {
  const said = (row: CsvRow) => directionOf(row.cells[column] ?? '')
  const directions = new Set(rows.map(said))
  if (directions.has('in') && directions.has('out')) return said
  return (row) => said(row) ?? (directions.has('in') ? 'out' : 'in')
}

/** Where a bank writes an amount besides debit and credit, it must be the same money. */
function refuseOtherAmounts(
  table: CsvTable,
  rows: CsvRow[],
  amounts: (Minor | null)[],
  separator: DecimalSeparator,
  problems: Problems,
): void {
  const row = rows.find((candidate, i) => {
    const written = readWrittenAmount(cellOf(table, candidate, 'amount'))
    const amount = written ? amountOf(written, separator) : null
    const split = amounts[i] ?? null
    return typeof amount === 'number' && split !== null && Math.abs(amount) !== Math.abs(split)
  })
  if (row)
    problems.add(
      'mapping',
      `The amount in row ${row.line} is another than its debit or credit; map either amount, or debit and credit, and leave the others empty.`,
    )
}

/** A column for what went out and one for what came in; banks write the former positive, or all of it negative. */
function splitAmounts(
  table: CsvTable,
  rows: CsvRow[],
  separator: DecimalSeparator,
  problems: Problems,
): (Minor | null)[] {
  const read = (field: 'debit' | 'credit') =>
    rows.map((row) => {
      const cell = cellOf(table, row, field)
      return isBlankAmount(cell) ? 0 : readCell(row, cell, separator, problems, field)
    })
  const debits = read('debit')
  const credits = read('credit')
  const negative = debitsAreNegative(rows, debits, problems)
  const wrong = rows.findIndex((_, i) => (credits[i] ?? 0) < 0)
  const wrongRow = rows[wrong]
  if (wrongRow) refuseSigns({ row: wrongRow, amount: credits[wrong] as Minor }, 'credit', problems)
  return rows.map((row, i) => {
    const [debit, credit] = [debits[i] ?? null, credits[i] ?? null]
    if (debit === null || credit === null) return null
    if (debit !== 0 && credit !== 0) {
      problems.addRow(row.line, 'amount', 'The :field field must be either a debit or a credit, not both.')
      return null
    }
    if (debit === 0 && credit === 0 && !hasZero(table, row)) problems.addRow(row.line, 'amount', required)
    return (debit !== 0 ? (negative ? debit : -debit) : credit) as Minor
  })
}

function debitsAreNegative(rows: CsvRow[], debits: (number | null)[], problems: Problems): boolean {
  const positive = debits.some((debit) => (debit ?? 0) > 0)
  const negativeAt = debits.findIndex((debit) => (debit ?? 0) < 0)
  const row = rows[negativeAt]
  if (positive && row) refuseSigns({ row, amount: debits[negativeAt] as Minor }, 'debit', problems)
  return negativeAt >= 0
}

/** A row whose amount is written as 0.00 has one; an empty row has not. */
function hasZero(table: CsvTable, row: CsvRow): boolean {
  return !isBlankAmount(cellOf(table, row, 'debit')) || !isBlankAmount(cellOf(table, row, 'credit'))
}

function readCell(
  row: CsvRow,
  cell: string,
  separator: DecimalSeparator,
  problems: Problems,
  field: 'amount' | 'debit' | 'credit' = 'amount',
): Minor | null {
  const written = readWrittenAmount(cell)
  const amount: Minor | MoneyProblem = written ? amountOf(written, separator) : 'not a number'
  if (typeof amount === 'number') return amount
  problems.addRow(row.line, field, isBlankAmount(cell) ? required : moneyText(amount))
  return null
}

function refuseSigns({ row }: Value, header: string, problems: Problems): void {
  problems.add(
    'mapping',
    `The signs of the file contradict each other: the amount in row ${row.line} has another sign than ${header || 'its sign column'} gives it. Map either amount, or debit and credit, or amount and type, and leave the others empty.`,
  )
}
