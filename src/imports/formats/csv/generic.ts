import { onlyForTransfersText, requiredText } from '../../../shared/field-errors.ts'
import type { Minor } from '../../../shared/money.ts'
import { accountNames, askForAccount } from '../accounts.ts'
import type { Settled } from '../aspects/aspect.ts'
import type { FileOptions, GenericRow } from '../statement.ts'
import { cleanText } from '../text.ts'
import { describeRow } from './description.ts'
import type { Mark } from './mark-words.ts'
import { type Entry, readTable, type TableReading } from './read.ts'
import { type CsvRow, cellOf } from './rows.ts'
import { type CsvTable, fieldsOf } from './table.ts'
import { kindOf } from './type-words.ts'

/** The headers that the documentation of `import/store` names. */
const documented = new Set<string>(
  'date|amount|debit|credit|type|account|to_account|category|description|reference'.split('|'),
)

const notPositive = 'The :field field must be greater than 0.'

/** The rows of a generic file, and how its aspects were settled. */
export type GenericFile = { rows: GenericRow[]; skipped: number; settled: Settled; headers: string[] }

/** Reads a table of one's own or an export of another app; only date and amount are required. Throws Invalid, or Questions. */
export function readGenericTable(text: string, options: FileOptions, isSheet: boolean): GenericFile {
  const reading = readTable(text, options, { ...kind, isSheet })
  const { table, skipped, aspects, problems } = reading
  const entries = chosenEntries(reading)
  // The money of a transfer leaves the account of its row, whatever the sign; unless others show that it means something.
  const areSigned =
    reading.areSided || entries.some(({ row }) => isTransfer(table, row) && row.amount.written?.isNegative)
  const rows = entries.map((entry) => readRow(reading, areSigned, entry))
  problems.throwIfAny(aspects)
  const read = joinHalves(rows.filter((row) => row !== null))
  return { rows: read, skipped, settled: aspects.settled, headers: table.identity }
}

const kind = { fields: fieldsOf(true), convention: conventionOf, typeOf }

/** The direction of a row by its type; one with a second account and no type is a transfer. */
function typeOf(table: CsvTable, row: CsvRow): Mark | null {
  const word = cellOf(table, row, 'type')
  const named = word === '' ? (toAccountOf(table, row) === null ? null : 'transfer') : kindOf(word)
  return named && (named === 'income' || named === 'transfer_in' ? 'credit' : 'debit')
}

/** The documented columns have a documented convention: a minus sign is an expense, and a type tells the direction. */
function conventionOf(table: CsvTable, rows: CsvRow[], hasMinus: boolean) {
  const isDocumented =
    table.headers.every(({ text }) => documented.has(text.toLowerCase())) &&
    rows.every((row) => cellOf(table, row, 'type') === '' || kindOf(cellOf(table, row, 'type')))
  return isDocumented && hasMinus
    ? { value: 'as_written' as const, proof: 'the documented columns, where a minus sign is an expense' }
    : null
}

/** The entries of the file or, where rows of one account have several currencies, those of the currency that is meant. */
function chosenEntries({ table, groups, aspects }: TableReading): Entry[] {
  const all = groups.flat().sort((a, b) => a.row.line - b.row.line)
  const byAccount = Map.groupBy(all, ({ account }) => account)
  const areMixed = [...byAccount.values()].some(
    (rows) => new Set(rows.map(({ currency }) => currency)).size > 1,
  )
  if (!areMixed && (table.columns.account || groups.length < 2)) return all
  const names = accountNames(
    groups.map(([first]) => ({ identifier: first?.own ?? null, currency: first?.currency ?? null })),
  )
  return groups[names.indexOf(askForAccount(names, aspects))] ?? all
}

type Half = GenericRow & { half: 'in' | 'out' | null }

function readRow(
  { table, areSided, problems }: TableReading,
  areSigned: boolean,
  { row, date, amount }: Entry,
): Half | null {
  const toAccount = toAccountOf(table, row)
  const word = cellOf(table, row, 'type')
  const kind =
    (word === '' ? null : kindOf(word)) ??
    (toAccount !== null ? 'transfer' : amount < 0 ? 'expense' : 'income')
  const type = kind === 'transfer_in' ? 'income' : kind === 'transfer_out' ? 'expense' : kind
  const isCredit = areSided
    ? amount > 0 && type !== 'income'
    : type === 'transfer' && areSigned && !row.amount.written?.isNegative
  if (amount === 0 || (type === 'income' && amount < 0)) problems.addRow(row.line, 'amount', notPositive)
  else if (isCredit) problems.addRow(row.line, 'type', 'The selected :field is invalid: the row is a credit.')
  if (type === 'transfer' && toAccount === null) problems.addRow(row.line, 'to_account', requiredText)
  if (type !== 'transfer' && toAccount !== null) problems.addRow(row.line, 'to_account', onlyForTransfersText)
  if (date === null) return null
  return {
    line: row.line,
    date,
    type,
    amount: Math.abs(amount) as Minor,
    account: cleanText(cellOf(table, row, 'account')),
    to_account: toAccount,
    category: type === 'transfer' && isShared(table) ? null : cleanText(cellOf(table, row, 'category')),
    description: describeRow(table, row, amount),
    reference: cleanText(cellOf(table, row, 'reference')),
    half: kind === 'transfer_in' ? 'in' : kind === 'transfer_out' ? 'out' : null,
  }
}

const isTransfer = (table: CsvTable, row: CsvRow) =>
  cellOf(table, row, 'type') === ''
    ? toAccountOf(table, row) !== null
    : kindOf(cellOf(table, row, 'type')) === 'transfer'

/** One column may hold the category or, in transfers, the second account. */
const isShared = ({ columns: { category, to_account } }: CsvTable) =>
  category !== undefined && category[0] === to_account?.[0]

function toAccountOf(table: CsvTable, row: CsvRow): string | null {
  const isMeant = !isShared(table) || kindOf(cellOf(table, row, 'type')) === 'transfer'
  return isMeant ? cleanText(cellOf(table, row, 'to_account')) : null
}

/** Makes one transfer of its two halves: an outflow, and an inflow of the same day and amount on another account. */
function joinHalves(rows: Half[]): GenericRow[] {
  const keyOf = ({ date, amount }: Half) => `${date} ${amount}`
  const waiting = Map.groupBy(
    rows.filter(({ half }) => half === 'in'),
    keyOf,
  )
  const joined = new Set<Half>()
  const transfers = rows.map((row) => {
    const candidates = row.half === 'out' ? (waiting.get(keyOf(row)) ?? []) : []
    const at = candidates.findIndex(({ account }) => account !== null && account !== row.account)
    const [other] = at < 0 ? [] : candidates.splice(at, 1)
    if (!other) return row
    joined.add(other)
    return { ...row, type: 'transfer' as const, to_account: other.account, category: null }
  })
  return transfers.filter((_, i) => !joined.has(rows[i] as Half)).map(({ half: _, ...row }) => row)
}
