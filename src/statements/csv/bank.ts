import type { CalendarDate } from '../../domain/dates.ts'
import type { Minor } from '../../domain/money.ts'
import { emptyAccount } from '../accounts.ts'
import { Problems } from '../problems.ts'
import type { ImportOptions, Statement, StatementAccount } from '../statement.ts'
import { bankReference, cleanText } from '../text.ts'
import { amountOf, type DecimalSeparator, isBlankAmount, readWrittenAmount } from '../written/amount.ts'
import { balancesProve, closingBalance } from './balance.ts'
import { currencyOfAmounts } from './columns.ts'
import { describeRow } from './description.ts'
import { type CsvField, foldHeader } from './header-names.ts'
import { type CsvRow, cellOf, transactionRows } from './rows.ts'
import { signedAmounts } from './signs.ts'
import { csvStyle, readDates } from './style.ts'
import { type CsvTable, openTable } from './table.ts'

const fields = [
  'date',
  'amount',
  'debit',
  'credit',
  'type',
  'account',
  'description',
  'payee',
  'posting_text',
  'reference',
  'balance',
  'currency',
  'status',
  'fee',
] as const satisfies CsvField[]

type Entry = {
  row: CsvRow
  date: CalendarDate
  amount: Minor
  balance: Minor | null
  account: string | null
  currency: string | null
}

/** Reads the CSV export of a bank, whatever its headers, its language and the way it writes dates and amounts. */
export function readBankCsv(text: string, options: ImportOptions): Statement {
  const table = openTable(text, options, fields)
  const { rows, skipped } = transactionRows(table, true)
  const problems = new Problems()
  const style = csvStyle(table, rows, options, problems)
  const dates = readDates(rows, style, problems)
  const amounts = signedAmounts(table, rows, true, style.separator, problems)
  problems.throwIfAny()
  const separator = style.separator ?? '.'
  const entries = rows.map((row, i) => ({
    row,
    date: dates[i] as CalendarDate,
    amount: amounts[i] as Minor,
    balance: balanceOf(table, row, separator),
    ...ownerOf(table, row),
  }))
  const accounts = accountsOf(table, withFees(table, entries, separator, options))
  const [first] = accounts
  if (first) first.skipped += skipped
  return { format: 'csv', accounts }
}

function accountsOf(table: CsvTable, entries: Entry[]): StatementAccount[] {
  const groups = new Map<string, Entry[]>()
  const split = splitsByAccount(table, entries)
  for (const entry of entries) {
    const key = JSON.stringify([split ? entry.account : null, entry.currency])
    const group = groups.get(key)
    if (group) group.push(entry)
    else groups.set(key, [entry])
  }
  if (groups.size === 0) return [emptyAccount(ibanAbove(table), null)]
  return [...groups.values()].map((group) => {
    const [first] = group
    const constant = group.every((entry) => entry.account === first?.account)
    const account = emptyAccount(
      (constant ? first?.account : null) ?? ibanAbove(table),
      first?.currency ?? null,
    )
    for (const entry of group) {
      if (entry.amount === 0) account.skipped += 1
      else account.rows.push(rowOf(table, entry))
    }
    account.closingBalance = closingBalance(group)
    return account
  })
}

function rowOf(table: CsvTable, { row, date, amount }: Entry) {
  return {
    line: row.line,
    date,
    amount,
    description: describeRow(table, row, amount),
    reference: bankReference(cellOf(table, row, 'reference')),
  }
}

function ownerOf(table: CsvTable, row: CsvRow): Pick<Entry, 'account' | 'currency'> {
  const currency = cellOf(table, row, 'currency').toUpperCase()
  return {
    account: cleanText(cellOf(table, row, 'account').replace(/^'|'$/g, '')),
    currency: /^[A-Z]{3}$/.test(currency) ? currency : currencyOfColumn(table, row),
  }
}

/** The currency that the header of the row's amount is, where there is a column for each. */
function currencyOfColumn(table: CsvTable, row: CsvRow): string | null {
  const column = table.columns.amount?.find((candidate) => !isBlankAmount(row.cells[candidate] ?? ''))
  return column === undefined ? null : currencyOfAmounts(table.headers[column] ?? '')
}

/** Headers such as Kontonummer name the other party's account at some banks: then it is another in most rows. */
function splitsByAccount(table: CsvTable, entries: Entry[]): boolean {
  const header = foldHeader(table.headers[table.columns.account?.[0] ?? -1] ?? '')
  const certain =
    /^(?:account|account name|(?:iban )?auftragskonto|iban auftraggeberkonto|iban kontoinhaber|iban bban|rekening|rekeningnummer|accountnum)$/
  return certain.test(header) && entries.every((entry) => entry.account !== null)
}

/** The one IBAN that stands above the table is that of the account. */
function ibanAbove(table: CsvTable): string | null {
  const text = table.preamble
    .slice(0, 50)
    .map((record) => record.cells.join('\n').slice(0, 2_000))
    .join('\n')
  const ibans = new Set(
    [...text.matchAll(/\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g)].map(([iban]) =>
      iban.replaceAll(' ', ''),
    ),
  )
  const [only] = ibans
  return ibans.size === 1 ? (only ?? null) : null
}

function balanceOf(table: CsvTable, row: CsvRow, separator: DecimalSeparator): Minor | null {
  const written = readWrittenAmount(cellOf(table, row, 'balance'))
  const balance = written ? amountOf(written, separator) : null
  return typeof balance === 'number' ? balance : null
}

/** A fee beside the amount went off the account as well, if the balances say so (Revolut); else it is part of it. */
function withFees(
  table: CsvTable,
  entries: Entry[],
  separator: DecimalSeparator,
  options: ImportOptions,
): Entry[] {
  if (!table.columns.fee || options.mapping?.amount !== undefined) return entries
  const charged = entries.map((entry) => {
    const written = readWrittenAmount(cellOf(table, entry.row, 'fee'))
    const fee = written ? amountOf(written, separator) : 0
    return { ...entry, amount: (entry.amount - (typeof fee === 'number' ? Math.abs(fee) : 0)) as Minor }
  })
  const proves = (all: Entry[]) => accountGroups(table, all).every(balancesProve)
  return !proves(entries) && proves(charged) ? charged : entries
}

function accountGroups(table: CsvTable, entries: Entry[]): Entry[][] {
  const split = splitsByAccount(table, entries)
  const groups = Map.groupBy(entries, (entry) => `${split ? entry.account : ''} ${entry.currency}`)
  return [...groups.values()].filter((group) => group.length > 1)
}
