import type { CalendarDate } from '../../domain/dates.ts'
import type { Minor } from '../../domain/money.ts'
import { emptyAccount } from '../accounts.ts'
import { Problems } from '../problems.ts'
import type { ImportOptions, Statement, StatementAccount } from '../statement.ts'
import { bankReference, cleanText } from '../text.ts'
import { balancesProve, closingBalance } from './balance.ts'
import { currencyOfAmounts } from './columns.ts'
import { describeRow } from './description.ts'
import { csvFields } from './header-names.ts'
import { cellOf, transactionRows } from './rows.ts'
import { type CsvTable, openTable } from './table.ts'
import { type ReadRow, readValues } from './values.ts'

const fields = csvFields.filter((field) => field !== 'to_account' && field !== 'category')

type Entry = ReadRow & { date: CalendarDate; amount: Minor; account: string | null; currency: string | null }

/** Reads the CSV export of a bank, whatever its headers, language, and style of dates and amounts. */
export function readBankCsv(text: string, options: ImportOptions): Statement {
  const table = openTable(text, options, fields)
  const { rows, skipped } = transactionRows(table, true)
  const problems = new Problems()
  const values = readValues(table, rows, options, true, problems)
  problems.throwIfAny()
  const entries = values
    .filter(isComplete)
    .map((value) => ({ ...value, ...accountAndCurrency(table, value) }))
  const groups = withFees(table, groupsOf(table, entries), options)
  const accounts = groups.map((group) => accountOf(table, group))
  const [first = emptyAccount(ibanAbove(table), null), ...others] = accounts
  first.skipped += skipped
  return { format: 'csv', accounts: [first, ...others] }
}

function isComplete(value: ReadRow): value is ReadRow & { date: CalendarDate; amount: Minor } {
  return value.date !== null && value.amount !== null
}

/** The account and the currency that an entry's row names. */
function accountAndCurrency(table: CsvTable, { row }: ReadRow): Pick<Entry, 'account' | 'currency'> {
  const currency = cellOf(table, row, 'currency').toUpperCase()
  const column = table.columns.amount?.find((candidate) => row.cells[candidate]?.trim())
  return {
    account: cleanText(cellOf(table, row, 'account').replace(/^'|'$/g, '')),
    currency: /^[A-Z]{3}$/.test(currency)
      ? currency
      : currencyOfAmounts(table.headers[column ?? -1]?.text ?? ''),
  }
}

/** The entries of each account and currency, in the order of the file. */
function groupsOf(table: CsvTable, entries: Entry[]): Entry[][] {
  const isSplit = namesOwnAccount(table) && entries.every((entry) => entry.account !== null)
  const keyOf = ({ account, currency }: Entry) => JSON.stringify([isSplit ? account : null, currency])
  return [...Map.groupBy(entries, keyOf).values()]
}

/** True if the account is surely the holder's: under other headers (Kontonummer), some banks give the other party's. */
function namesOwnAccount({ columns, headers }: CsvTable): boolean {
  const certain =
    /^(?:account|account name|(?:iban )?auftragskonto|iban auftraggeberkonto|iban kontoinhaber|iban bban|rekening|rekeningnummer|accountnum)$/
  return certain.test(headers[columns.account?.[0] ?? -1]?.name ?? '')
}

function accountOf(table: CsvTable, group: Entry[]): StatementAccount {
  const [first] = group
  const isSame = group.every((entry) => entry.account === first?.account)
  const identifier = (isSame ? first?.account : null) ?? ibanAbove(table)
  const account = emptyAccount(identifier, first?.currency ?? null)
  for (const { row, date, amount } of group) {
    if (amount === 0) account.skipped += 1
    else
      account.entries.push({
        line: row.line,
        date,
        amount,
        description: describeRow(table, row, amount),
        reference: bankReference(cellOf(table, row, 'reference')),
      })
  }
  account.closingBalance = closingBalance(group)
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
function withFees(table: CsvTable, groups: Entry[][], options: ImportOptions): Entry[][] {
  if (!table.columns.fee || options.mapping?.amount !== undefined) return groups
  const charged = groups.map((group) =>
    group.map((entry) => ({ ...entry, amount: (entry.amount - Math.abs(entry.fee ?? 0)) as Minor })),
  )
  const proved = (all: Entry[][]) => all.filter((group) => group.length > 1).every(balancesProve)
  return !proved(groups) && proved(charged) ? charged : groups
}
