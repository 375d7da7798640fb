import { onlyForTransfersText, requiredText } from '../../../src/domain/field-errors.ts'
import type { Minor } from '../../../src/domain/money.ts'
import { accountNames, askForAccount, leftOut, whichAccount } from '../../shared/accounts.ts'
import { allRows, type Settled } from '../../shared/aspect.ts'
import type { ReadOptions } from '../../shared/options.ts'
import type { LeftOut, OwnRow } from '../../shared/statement.ts'
import { cleanName, cleanText } from '../../shared/text.ts'
import { refuseFile } from '../../shared/unreadable.ts'
import { chooseAmong } from '../aspects/accounts.ts'
import type { Entry } from '../aspects/entry.ts'
import { documentedHeaders, ownTexts } from '../text/header-names.ts'
import type { Mark } from '../text/mark-words.ts'
import { type CsvRow, cellOf, linesOf } from '../text/row.ts'
import type { CsvTable } from '../text/table.ts'
import { isOfTransfers, kindOf, type RowKind } from '../text/type-words.ts'
import { appRowOf } from './app-rows.ts'
import { describeRow } from './description.ts'
import { type Half, joinHalves, rowOf } from './halves.ts'
import { readTable, type TableReading } from './read.ts'
import { fieldsOf } from './table.ts'

const notPositive = 'The :field field must be greater than 0.'

/** The rows of a generic file, and how its aspects were settled. */
export type OwnFile = {
  rows: OwnRow[]
  /** Starting balances, as income or expenses. */
  startingBalances: OwnRow[]
  /** The app that has written the file. */
  product: string | null
  /** How many rows are halves of transfers without the other half. */
  halves: number
  leftOut: LeftOut[]
  settled: Settled
  headers: string[]
}

/** Reads a table of one's own or an export of another app; only date and amount are required. Throws Unreadable. */
export function readOwnTable(text: string, options: ReadOptions, isSheet: boolean): OwnFile {
  const reading = readTable(text, options, { ...ownTable, isSheet })
  const { table, aspects, problems } = reading
  const entries = chosenEntries(reading)
  // A transfer leaves the account of its row whatever its sign, unless a transfer of the file has a minus sign.
  const areSigned =
    reading.areSided ||
    entries.some(({ row }) => kindOfRow(table, row) === 'transfer' && row.amount.written?.isNegative)
  const moved = table.layout?.app
    ? entries.filter(({ row, amount }) => amount !== 0 && !appRowOf(table, row).isLeftOut)
    : entries
  const signs = { areSigned, haveRefunds: haveBothSigns(table, moved) }
  const read = moved.flatMap((entry) => readRow(reading, signs, entry) ?? [])
  problems.throwIfAny(aspects)
  const starts = read.filter(({ isStart }) => isStart)
  return {
    ...joinHalves(
      read.filter(({ isStart }) => !isStart),
      new Set(read.map(({ account }) => account)),
    ),
    startingBalances: starts.map(rowOf),
    product: table.layout?.app ? table.layout.name : null,
    leftOut: [...reading.leftOut, ...leftOutOf(reading, entries, moved, starts)],
    settled: aspects.settled,
    headers: table.identity,
  }
}

/** The records of other currencies, those that moved nothing, the totals of splits, and starting balances. */
function leftOutOf({ groups }: TableReading, entries: Entry[], moved: Entry[], starts: Half[]): LeftOut[] {
  const [chosen, kept] = [new Set(entries), new Set(moved)]
  const firsts = new Set(starts.map(({ lines }) => lines[0]))
  return groups.flat().flatMap((entry) => {
    const { row, amount } = entry
    const of = (reason: LeftOut['reason']) => [leftOut(row.line, row.cells.join(' '), reason)]
    if (!chosen.has(entry)) return of('other_account')
    if (!kept.has(entry)) return of(amount === 0 ? 'zero' : 'split_parent')
    return firsts.has(row.line) ? of('starting_balance') : []
  })
}

const ownTable = {
  fields: fieldsOf(true),
  areBooked: false,
  convention: conventionOf,
  directions: directionsIn,
}

/**
 * The direction of a row by its type; one with a second account and no type is a transfer. Null if its sign says which way
 * it went: expenses may be of both signs, and so may transfers that name no second account.
 */
function directionsIn(table: CsvTable, entries: Entry[]): (row: CsvRow) => Mark | null {
  const isSigned = entries.some(({ amount }) => amount < 0)
  const rows = entries.map(({ row }) => row)
  const bySign = haveBothSigns(table, entries) && !conventionOf(table, rows, isSigned)
  return (row) => {
    // A debit to the other account was spent.
    if (table.layout?.app?.journal) return row.amount.written?.isNegative ? 'credit' : 'debit'
    const { between } = appRowOf(table, row)
    if (between) return between.from !== null ? 'debit' : 'credit'
    const named = kindOfRow(table, row)
    if (named === 'expense' && bySign) return null
    if (named === 'transfer' && isSigned && !table.columns.to_account) return null
    return named && (named === 'income' || named === 'transfer_in' ? 'credit' : 'debit')
  }
}

/** True if some expenses are negative and others positive, which are refunds. */
function haveBothSigns(table: CsvTable, entries: Entry[]): boolean {
  const spent = entries.filter(({ row }) => kindOfRow(table, row) === 'expense')
  return spent.some(({ amount }) => amount < 0) && spent.some(({ amount }) => amount > 0)
}

/** The documented columns have a documented convention: a minus sign is an expense, and a type tells the direction. */
function conventionOf(table: CsvTable, rows: CsvRow[], hasMinus: boolean) {
  const isDocumented =
    table.headers.every(({ text }) => documentedHeaders.has(text.toLowerCase())) &&
    rows.every((row) => cellOf(table, row, 'type') === '' || kindOf(cellOf(table, row, 'type')))
  return isDocumented && hasMinus
    ? { value: 'as_written' as const, proof: 'the documented columns, where a minus sign is an expense' }
    : null
}

/** Headers of columns that tell the pockets of one account apart. */
const pocketNames = /^(?:pocket|vault|sub ?account|unterkonto|account (?:type|label)|kontobezeichnung)$/

/** For each entry, its account and its pocket, if an account of the file has several. */
function pocketsIn({ headers, columns, layout }: CsvTable, entries: Entry[]): string[] | null {
  const column = layout || !columns.account ? -1 : headers.findIndex(({ name }) => pocketNames.test(name))
  const names = entries.map(({ row, account }) => `${account}/${row.cells[column]?.trim() ?? ''}`)
  const accounts = new Set(entries.map(({ account }) => account))
  return column < 0 || new Set(names).size <= accounts.size ? null : names
}

/**
 * The entries of the file or, where rows of one account have several pockets or currencies, those of the one that is meant.
 */
function chosenEntries({ table, groups, aspects }: TableReading): Entry[] {
  const all = groups.flat().sort((a, b) => a.row.line - b.row.line)
  const pockets = pocketsIn(table, all)
  const pocket = pockets ? chooseAmong({ names: pockets, what: 'pockets' }, aspects) : allRows
  if (pockets && pocket !== allRows) {
    const rows = all.filter((_, i) => pockets[i] === pocket)
    return rows.length > 0 ? rows : refuseFile(whichAccount([...new Set(pockets)]), 'statement_account')
  }
  const byAccount = Map.groupBy(all, ({ account }) => account)
  const areMixed = [...byAccount.values()].some(
    (rows) => new Set(rows.map(({ currency }) => currency)).size > 1,
  )
  if (!areMixed && (table.columns.account || groups.length < 2)) return all
  const names = accountNames(
    groups.map(([first]) => ({ identifier: first?.own ?? null, currency: first?.currency ?? null })),
  )
  const chosen = groups[names.indexOf(askForAccount(names, aspects))]
  return chosen ?? refuseFile(whichAccount(names), 'statement_account')
}

function readRow(
  { table, areSided, problems }: TableReading,
  { areSigned, haveRefunds }: { areSigned: boolean; haveRefunds: boolean },
  { row, date, amount, currency }: Entry,
): Half | null {
  const { between, isHalf, other, isStart } = appRowOf(table, row)
  const toAccount = between ? between.from && between.to : toAccountOf(table, row)
  const bySign = amount < 0 ? 'expense' : 'income'
  const named = kindOfRow(table, row)
  const kind = named ?? (toAccount !== null ? 'transfer' : bySign)
  // A transfer without a second account went where its sign says, and so did an expense beside refunds.
  const isBySign =
    kind === 'transfer' ? areSigned && !table.columns.to_account : kind === 'expense' && haveRefunds
  const sided = kind === 'transfer_in' ? 'income' : kind === 'transfer_out' ? 'expense' : kind
  const type = isBySign ? bySign : sided
  const contradictsType = areSided
    ? amount > 0 && type !== 'income'
    : type === 'transfer' && areSigned && !row.amount.written?.isNegative
  if (amount === 0 || (type === 'income' && amount < 0)) problems.addRow(row.line, 'amount', notPositive)
  else if (contradictsType)
    problems.addRow(row.line, 'type', 'The selected :field is invalid: the row is a credit.')
  if (type === 'transfer' && toAccount === null) problems.addRow(row.line, 'to_account', requiredText)
  if (type !== 'transfer' && toAccount !== null) problems.addRow(row.line, 'to_account', onlyForTransfersText)
  if (date === null) return null
  const category = cleanText(cellOf(table, row, 'category'))
  return {
    lines: linesOf(row),
    date,
    type,
    amount: Math.abs(amount) as Minor,
    account: between ? (between.from ?? between.to) : cleanName(cellOf(table, row, 'account')),
    to_account: toAccount,
    category: type === 'transfer' && (isShared(table) || table.layout?.app?.journal) ? null : category,
    description: describeRow(table, row, amount),
    reference: cleanText(cellOf(table, row, 'reference')),
    ...Object.fromEntries(ownTexts.map((name) => [name, cleanText(cellOf(table, row, name))])),
    currency,
    isHalf: isHalf || other !== null || Boolean(named?.startsWith('transfer')) || isOfTransfers(category),
    other,
    isStart,
  }
}

/** The kind of a row by its type. A row with a second account and no type is a transfer. */
function kindOfRow(table: CsvTable, row: CsvRow): RowKind | null {
  const word = cellOf(table, row, 'type')
  return word === '' ? (toAccountOf(table, row) === null ? null : 'transfer') : kindOf(word)
}

/** One column may hold the category or, in transfers, the second account. */
const isShared = ({ columns: { category, to_account } }: CsvTable) =>
  category !== undefined && category[0] === to_account?.[0]

function toAccountOf(table: CsvTable, row: CsvRow): string | null {
  const hasToAccount = !isShared(table) || kindOf(cellOf(table, row, 'type')) === 'transfer'
  return hasToAccount ? cleanName(cellOf(table, row, 'to_account')) : null
}
