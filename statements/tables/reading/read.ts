import type { CalendarDate } from '../../../src/domain/dates.ts'
import { requiredText } from '../../../src/domain/field-errors.ts'
import type { Minor, MoneyProblem } from '../../../src/domain/money.ts'
import { leftOut } from '../../shared/accounts.ts'
import type { AmountCell } from '../../shared/amount.ts'
import { Aspects } from '../../shared/aspect.ts'
import { dateCell } from '../../shared/date.ts'
import type { ReadOptions } from '../../shared/options.ts'
import { Problems } from '../../shared/problems.ts'
import type { LeftOut } from '../../shared/statement.ts'
import { Unreadable } from '../../shared/unreadable.ts'
import { groupsOf, settleAccounts } from '../aspects/accounts.ts'
import { amountsOf } from '../aspects/amounts.ts'
import { follows } from '../aspects/balances.ts'
import { settleBlankDates } from '../aspects/blank-dates.ts'
import { dateReader } from '../aspects/dates.ts'
import { amountReader } from '../aspects/decimals.ts'
import type { Entry, RowValues } from '../aspects/entry.ts'
import { settleFees, withCharges } from '../aspects/fees.ts'
import { settleGaps } from '../aspects/gaps.ts'
import { settleSigns } from '../aspects/signs.ts'
import { settleStates } from '../aspects/states.ts'
import { checkToldMarks } from '../aspects/told-marks.ts'
import { foldHeader } from '../text/fold-header.ts'
import type { CsvField } from '../text/header-names.ts'
import { summary } from '../text/line-words.ts'
import type { Mark } from '../text/mark-words.ts'
import { type CsvRow, hasNoAmount } from '../text/row.ts'
import type { CsvTable } from '../text/table.ts'
import { transactionRows } from './rows.ts'
import { openTable } from './table.ts'

/** What a table contains, with the questions that remain among its `aspects`. */
export type TableReading = {
  table: CsvTable
  /** The entries of each account of the file. */
  groups: Entry[][]
  /** Whether debits and credits have columns of their own. */
  areSided: boolean
  leftOut: LeftOut[]
  aspects: Aspects
  problems: Problems
}

/** What one kind of file adds to the evidence of all tables. */
export type Kind = {
  fields: readonly CsvField[]
  isSheet: boolean
  /** Whether all rows are booked, as a bank's are; in tables of one's own, people plan ahead. */
  areBooked: boolean
  /** What the documented convention of the file proves about signs. */
  convention: (
    table: CsvTable,
    rows: CsvRow[],
    hasMinus: boolean,
  ) => { value: 'as_written'; proof: string } | null
  /** The direction that the type of a row gives it, whatever its sign. */
  directions: ((table: CsvTable, entries: Entry[]) => (row: CsvRow) => Mark | null) | null
}

/** Scripts of countries that write the year first, and a point before decimals, so that their `48,000` is not 48. */
const eastAsianScripts = /[\p{sc=Han}\p{sc=Hangul}]/u

/** Reads a table aspect by aspect. Throws Unreadable for a file without one. */
export function readTable(text: string, options: ReadOptions, kind: Kind): TableReading {
  const aspects = new Aspects(options)
  const table = openTable(text, kind.fields, aspects)
  const areOpen = aspects.questions.length > 0
  try {
    return readRows(table, options, kind, aspects)
  } catch (error) {
    // With the first choice of columns, there may be no rows.
    if (areOpen && error instanceof Unreadable && error.questions.length === 0)
      new Problems().throwIfAny(aspects)
    throw error
  }
}

function readRows(table: CsvTable, options: ReadOptions, kind: Kind, aspects: Aspects): TableReading {
  const problems = new Problems()
  const { rows, aside, leftOut: lines } = transactionRows(table, kind.isSheet)
  const inState = settleStates(table, rows, aside, aspects)
  const { booked, skipped } = settleBlankDates(rows, inState, kind.areBooked, aspects)
  const expected = expectedDates(table, booked, options.today, kind)
  const allLines = [...booked, ...aside, ...skipped.map(({ row }) => row)]
  const { read, valuesOf } = readers(table, allLines, expected, aspects, problems)
  const { amounts, areSided } = amountsOf(table, booked, read.amount, aspects, problems)
  const values = booked.map((row, i) => ({
    ...valuesOf(row),
    // A row that moved nothing needs no date.
    date: amounts[i] === 0 && row.date.text === '' ? null : read.date(row.date),
    amount: amounts[i] ?? null,
  }))
  const stated = aside.map(valuesOf).filter(({ balance }) => balance !== null)
  if (!aspects.isAsked('mapping.amount')) requireAmounts([...values, ...stated], problems)
  const entries = withCharges(settleAccounts(table, values, aspects, kind.areBooked))
  const openings = stated.flatMap(({ balance }) => balance ?? [])
  const hasMinus = entries.some(({ amount }) => amount < 0)
  const evidence = {
    sides: areSided ? (table.areLed ? ('by balances' as const) : ('named' as const)) : ('none' as const),
    openings,
    own: kind.convention(table, booked, hasMinus),
    directionOf: kind.directions?.(table, entries) ?? null,
  }
  const signed = settleSigns(table, groupsOf(entries), evidence, aspects)
  checkToldMarks(table, signed.flat(), aspects, problems)
  const groups = settleFees(table, signed, aspects)
  const passedOver = settleGaps(groups, aspects)
  const told = [...passedOver].map(({ row }) => ({ row, reason: 'told' as const }))
  return {
    table,
    groups: groups.map((group) => group.filter((entry) => !passedOver.has(entry))),
    areSided,
    leftOut: [
      ...lines,
      ...[...skipped, ...told].map(({ row, reason }) => leftOut(row.line, row.cells.join(' '), reason)),
    ],
    aspects,
    problems,
  }
}

/** The dates that are expected of the rows; null for an app's export, and where today is unknown. */
function expectedDates(
  table: CsvTable,
  rows: CsvRow[],
  today: CalendarDate | undefined,
  { areBooked }: Kind,
) {
  if (today === undefined || table.layout?.app) return null
  const instalments = table.headers.findIndex(({ name }) => instalmentNames.test(name))
  const booked = rows.filter(({ cells }) => !cells[instalments]?.trim())
  return { today, inAnyYear: areBooked, booked: booked.map(({ date }) => date) }
}

/** Headers of a column that numbers the instalments of a purchase, of which later ones are dated ahead. */
const instalmentNames = /^(?:instal+ments?|parcelas?|cuotas?|raten?|rata|taksit|mensualidad(?:es)?|echeance)$/

/** How the file as a whole writes dates and numbers. */
function readers(
  table: CsvTable,
  rows: CsvRow[],
  expected: ReturnType<typeof expectedDates>,
  aspects: Aspects,
  problems: Problems,
) {
  const isEastAsian = table.headers.some(({ text }) => eastAsianScripts.test(text))
  const others = table.dateColumns.filter((column) => column !== table.columns.date?.[0])
  const dates = rows.flatMap(({ line, cells, date }) => [
    date,
    ...others.map((column) => dateCell(line, cells[column] ?? '')),
  ])
  const date = dateReader(dates, aspects, problems, isEastAsian, expected)
  const numbers = rows.flatMap(({ amount, debit, credit, balance }) => [amount, debit, credit, balance])
  const amount = amountReader(numbers, aspects, problems, isEastAsian)
  const quietly = (cell: AmountCell): Minor | null => {
    const read: Minor | MoneyProblem = amount(cell)
    return typeof read === 'number' ? read : null
  }
  const valuesOf = (row: CsvRow): RowValues => ({
    row,
    date: null,
    amount: null,
    balance: quietly(row.balance),
    fee: quietly(row.fee),
    net: quietly(row.net),
  })
  return { read: { date, amount, quietly }, valuesOf }
}

/** Adds an error for a dated line without an amount if the balance changes there, as the rows on both sides show. */
function requireAmounts(values: RowValues[], problems: Problems): void {
  const lines = values.toSorted((a, b) => a.row.line - b.row.line)
  const isCalledBalance = ({ cells }: CsvRow) => cells.some((cell) => summary.test(foldHeader(cell)))
  let above: RowValues | undefined
  let blank: CsvRow | undefined
  for (const line of lines) {
    const { row, amount, balance } = line
    if (amount === null) {
      if (row.date.written && hasNoAmount(row) && !isCalledBalance(row)) blank ??= row
      continue
    }
    const isExplained = above && (follows(above, line) || follows(line, above))
    if (blank && typeof above?.balance === 'number' && balance !== null && !isExplained)
      problems.addRow(blank.line, 'amount', requiredText)
    above = line
    blank = undefined
  }
}
