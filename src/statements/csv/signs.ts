import type { Minor } from '../../domain/money.ts'
import { type Problems, required } from '../problems.ts'
import type { AmountCell, AmountReader } from '../written/amount.ts'
import { foldHeader } from './header-names.ts'
import type { CsvRow } from './rows.ts'
import type { CsvTable } from './table.ts'

type Mark = 'debit' | 'credit'

/** The words of a debit/credit mark, folded. */
const debitWords =
  'd|dr|db|dt|deb|dbit|debit|debet|debito|soll|s|af|wn|dare|debe|cargo|out|outgoing|withdrawal|ausgang|sortie|saida|uscita|obciazenie|wydatek|expense'
const creditWords =
  'c|cr|cd|ct|k|kr|crdt|cred|credit|kredit|credito|haben|h|bij|ma|avere|haber|abono|in|incoming|deposit|eingang|entree|entrada|entrata|uznanie|wplyw|income'
const marks = new Map<string, Mark>([
  ...debitWords.split('|').map((word) => [word, 'debit'] as const),
  ...creditWords.split('|').map((word) => [word, 'credit'] as const),
])

/** Amounts in the order of the rows; null where an error was added instead. */
type Amounts = (Minor | null)[]
type Read = (cell: AmountCell, field: string) => Minor | null

/** Which side a debit/credit mark names: `D`, `Soll`, `Af` and `-` debit, `C`, `Haben`, `Bij` and `+` credit. */
export function markOf(word: string): Mark | null {
  const text = word.trim()
  if (text === '+') return 'credit'
  if (text === '-' || text === '\u2212') return 'debit'
  return marks.get(foldHeader(text)) ?? null
}

/**
 * The amounts of the rows, negative for debits, from one column or from two. In a bank's file, a column beside the
 * amounts may hold their signs.
 */
export function signedAmounts(
  table: CsvTable,
  rows: CsvRow[],
  amountOf: AmountReader,
  ofBank: boolean,
  problems: Problems,
): Amounts {
  const { amount, debit, credit } = table.columns
  const read: Read = (cell, field) => problems.checkAmount(cell.line, cell.text, amountOf(cell), field)
  if (amount && !(debit && credit)) {
    const amounts = rows.map((row) => read(row.amount, 'amount'))
    const column = ofBank ? markColumn(table, rows) : null
    return column === null ? amounts : byMark(rows, amounts, column, table, problems)
  }
  const amounts = fromTwoColumns(rows, read, problems)
  if (amount) checkAgainstAmounts(rows, amounts, amountOf, problems)
  return amounts
}

/** The amounts with the signs of a column of marks; if some are negative already, the marks must agree. */
function byMark(rows: CsvRow[], amounts: Amounts, column: number, table: CsvTable, problems: Problems) {
  const words = rows.map((row) => markOf(row.cells[column] ?? ''))
  // Some banks mark only one side; rows without a mark then belong to the other.
  const other = !words.includes('credit') ? 'credit' : words.includes('debit') ? null : 'debit'
  const marked = words.map((mark) => mark ?? other)
  if (amounts.some((amount) => (amount ?? 0) < 0)) {
    const contrary = amounts.findIndex(
      (amount, i) => amount !== null && amount !== 0 && marked[i] && (marked[i] === 'debit') !== amount < 0,
    )
    refuseSign(rows[contrary], table.headers[column]?.text, problems)
    return amounts
  }
  return rows.map(({ line }, i) => {
    const amount = amounts[i] ?? null
    if (!amount || marked[i] === 'credit') return amount
    if (marked[i] === 'debit') return -amount as Minor
    problems.addRow(line, 'type', required)
    return null
  })
}

/**
 * The column of debit/credit marks: the one with a header for it, else one without a header, else any unused one. It
 * must hold nothing but marks, and an unused one both kinds, since the same letter throughout may mean anything.
 */
function markColumn(table: CsvTable, rows: CsvRow[]): number | null {
  const contents = marksIn(rows)
  const areMarks = (column: number) => contents[column] !== undefined && !contents[column].has(null)
  const areBoth = (column: number) => areMarks(column) && contents[column]?.size === 2
  const columns = table.headers.map((_, column) => column)
  const used = new Set(Object.values(table.columns).flat())
  const unnamed = columns.filter((column) => table.headers[column]?.text === '')
  const unused = columns.filter((column) => !used.has(column))
  return [...(table.columns.type ?? []), ...unnamed].find(areMarks) ?? unused.find(areBoth) ?? null
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

/** Amounts from a column of debits and one of credits. Banks write debits positive, or all of them negative. */
function fromTwoColumns(rows: CsvRow[], read: Read, problems: Problems): Amounts {
  const readAll = (field: Mark) => rows.map((row) => (row[field].text === '' ? 0 : read(row[field], field)))
  const debits = readAll('debit')
  const credits = readAll('credit')
  const negative = debits.findIndex((debit) => (debit ?? 0) < 0)
  if (debits.some((debit) => (debit ?? 0) > 0)) refuseSign(rows[negative], 'debit', problems)
  refuseSign(rows[credits.findIndex((credit) => (credit ?? 0) < 0)], 'credit', problems)
  return rows.map((row, i) => {
    const [debit, credit] = [debits[i] ?? null, credits[i] ?? null]
    if (debit === null || credit === null) return null
    if (debit !== 0 && credit !== 0) {
      problems.addRow(row.line, 'amount', 'The :field field must be either a debit or a credit, not both.')
      return null
    }
    if (row.debit.text === '' && row.credit.text === '') problems.addRow(row.line, 'amount', required)
    return (debit !== 0 ? (negative >= 0 ? debit : -debit) : credit) as Minor
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
      `The signs in the file contradict each other: the amount in row ${row.line} does not have the sign that ${header || 'its sign column'} gives it. Map either amount, or debit and credit, or amount and type, and leave the others empty.`,
    )
}
