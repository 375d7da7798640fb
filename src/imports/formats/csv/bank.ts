import { requiredText } from '../../../shared/field-errors.ts'
import type { Minor } from '../../../shared/money.ts'
import { accountNames, addEntry, askWhichAccount, emptyAccount } from '../accounts.ts'
import { Problems } from '../problems.ts'
import type { BankStatement, FileOptions, StatementAccount } from '../statement.ts'
import { bankReference } from '../text.ts'
import { balancesProve, closingBalance, countedRows, unexplainedLines } from './balance.ts'
import { currencyOfAmounts } from './columns.ts'
import { describeRow } from './description.ts'
import { csvFields } from './header-names.ts'
import { accountCell, ownAccounts } from './own-accounts.ts'
import { amountText, type CsvRow, cellOf, hasAmount, mayLackAmount, transactionRows } from './rows.ts'
import { settleSigns } from './signs.ts'
import { type CsvTable, openTable } from './table.ts'
import { type ReadRow, readValues } from './values.ts'

const fields = csvFields.filter((field) => field !== 'to_account' && field !== 'category')

type Entry = ReadRow & {
  amount: Minor
  isPending: boolean
  /** What tells its account apart from others in the file; null if nothing does. */
  own: string | null
  account: string | null
  currency: string | null
}

/**
 * Reads the CSV export of a bank, whatever its headers, language, and style of dates and amounts. `isSheet` if it was a
 * sheet of a workbook. The signs of its amounts become income and expense in src/imports/understand.ts. Throws
 * Invalid.
 */
export function readBankCsv(text: string, options: FileOptions, isSheet = false): BankStatement {
  const problems = new Problems()
  const table = openTable(text, options, fields)
  const rows = transactionRows(table, isSheet)
  const { values, basis, stated } = readValues(table, rows, options, problems)
  const groups = groupsOf(entriesOf(table, values, options))
  const openings = stated.map(({ balance }) => balance)
  const signed = settleSigns(table, groups, { basis, openings }, options, problems)
  if (problems.any) askForAccount(table, values, options, problems)
  else if (signed.length === 1) requireAmounts(signed.flat(), stated, problems)
  problems.throwIfAny()
  const accounts = signed.map((group) => accountOf(table, withFees(table, group, options)))
  const [first = emptyAccount(ibanAbove(table), null), ...others] = accounts
  first.skipped += rows.skipped
  return { format: 'csv', accounts: [first, ...others] }
}

/** Adds an error for each dated line that has no amount but a balance which shows that money moved. */
function requireAmounts(
  entries: Entry[],
  stated: { row: CsvRow; balance: Minor }[],
  problems: Problems,
): void {
  const rows = entries.map(({ row: { line }, amount, balance }) => ({ line, amount, balance }))
  const amountless = stated.flatMap(({ row, balance }) =>
    mayLackAmount(row) ? [{ line: row.line, amount: null, balance }] : [],
  )
  for (const line of unexplainedLines([...rows, ...amountless])) problems.addRow(line, 'amount', requiredText)
}

function entriesOf(table: CsvTable, values: ReadRow[], { mapping }: FileOptions): Entry[] {
  const rows = values.map(({ row }) => row)
  const own = ownAccounts(table, values, Boolean(mapping?.account))
  const moving = rows.filter((row) => hasAmount(row) && /[1-9]/.test(amountText(row)))
  const areMixed = areSeveral(new Set(moving.map(currencyMark)))
  return values.flatMap((value, i) => {
    const { row, amount } = value
    if (amount === null) return []
    const currency = currencyOf(table, row) ?? (areMixed ? currencyMark(row) : null)
    const names = { own: own[i] ?? null, account: accountCell(table, row), currency }
    return [{ ...value, ...names, amount, isPending: row.isPending }]
  })
}

function currencyOf(table: CsvTable, row: CsvRow): string | null {
  const currency = cellOf(table, row, 'currency').toUpperCase()
  if (/^[A-Z]{3}$/.test(currency)) return currency
  const column = table.columns.amount?.find((candidate) => row.cells[candidate]?.trim())
  return currencyOfAmounts(table.headers[column ?? -1]?.text ?? '')
}

/** What is written beside an amount: the code of a currency, or its sign with the letters before it, such as `C$`. */
function currencyMark(row: CsvRow): string | null {
  const text = amountText(row)
  return (/\b[A-Z]{3}\b/.exec(text) ?? /[A-Z]{0,2}\p{Sc}/u.exec(text))?.[0] ?? null
}

/**
 * True if the marks, of which some amounts may have none, are those of several currencies. An amount without a mark may be
 * in another currency than those with a code; beside signs alone it is a matter of style.
 */
function areSeveral(marks: Set<string | null>): boolean {
  const code = [...marks].find((mark) => mark && /^[A-Z]{3}$/.test(mark))
  if (!code) return [...marks].filter((mark) => mark !== null).length > 1
  if (marks.size !== 2) return marks.size > 1
  const sign = [...marks].find((mark) => mark && /\p{Sc}$/u.test(mark))
  return !sign || !isSignOf(sign, code)
}

/** True if a sign, perhaps with letters of the code before it, may stand for a currency: `$` and `C$` for CAD. */
function isSignOf(sign: string, code: string): boolean {
  const format = { style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' } as const
  const usual = new Intl.NumberFormat('en', format).format(0).replace(/\P{Sc}*$/u, '')
  return sign === usual || (sign.at(-1) === usual && code.startsWith(sign.slice(0, -1)))
}

/** The entries of each account and currency, in the order of the file. */
function groupsOf(entries: Entry[]): Entry[][] {
  const keyOf = ({ own, currency }: Entry) => JSON.stringify([own, currency])
  return [...Map.groupBy(entries, keyOf).values()]
}

/** Where errors are reported anyway, also asks which account is meant, so that one reply can settle everything. */
function askForAccount(table: CsvTable, values: ReadRow[], options: FileOptions, problems: Problems): void {
  const known = values.map((value) => ({ ...value, amount: value.amount ?? (0 as Minor) }))
  const names = accountNames(groupsOf(entriesOf(table, known, options)).map(namesOf))
  if (names.length > 1 && !options.statement_account)
    problems.add('statement_account', askWhichAccount(names))
}

function namesOf(group: Entry[]): Pick<StatementAccount, 'identifier' | 'currency'> {
  const [first] = group
  const isSame = group.every(({ account }) => account === first?.account)
  return {
    identifier: first?.own ?? (isSame ? (first?.account ?? null) : null),
    currency: first?.currency ?? null,
  }
}

function accountOf(table: CsvTable, group: Entry[]): StatementAccount {
  const { identifier, currency } = namesOf(group)
  const account = emptyAccount(identifier ?? ibanAbove(table), currency)
  const counted = countedRows(group)
  account.skipped = group.length - counted.length
  for (const { row, date, amount } of counted) {
    // Rows without a date have been refused by now.
    if (date === null) continue
    const description = describeRow(table, row, amount)
    const reference = bankReference(cellOf(table, row, 'reference'))
    addEntry(account, { line: row.line, date, amount, description, reference })
  }
  account.closingBalance = closingBalance(counted)
  return account
}

/** The account's IBAN, if the lines above the table contain exactly one. */
function ibanAbove(table: CsvTable): string | null {
  const text = table.preamble
    .slice(0, 50)
    .map((record) => record.cells.join('\n').slice(0, 2_000))
    .join('\n')
  const found = text.match(/\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g) ?? []
  const [only = null, ...others] = new Set(found.map((iban) => iban.replaceAll(' ', '')))
  return others.length === 0 ? only : null
}

/** A fee is part of the amount, unless the balances prove that it was charged separately (Revolut). */
function withFees(table: CsvTable, group: Entry[], options: FileOptions): Entry[] {
  if (!table.columns.fee || options.mapping?.amount !== undefined) return group
  const charged = group.map((entry) => ({
    ...entry,
    amount: (entry.amount - Math.abs(entry.fee ?? 0)) as Minor,
  }))
  return !balancesProve(countedRows(group)) && balancesProve(countedRows(charged)) ? charged : group
}
