import { accountNames, addEntry, askForAccount, emptyAccount, leftOut } from '../../shared/accounts.ts'
import type { ReadOptions } from '../../shared/options.ts'
import type { BankStatement, StatementAccount } from '../../shared/statement.ts'
import { bankReference } from '../../shared/text.ts'
import { isByKind } from '../aspects/account-kind.ts'
import { closingBalance } from '../aspects/balances.ts'
import type { Entry } from '../aspects/entry.ts'
import { cellOf, linesOf } from '../text/row.ts'
import type { CsvTable } from '../text/table.ts'
import { describeRow } from './description.ts'
import { readTable } from './read.ts'
import { fieldsOf } from './table.ts'

const kind = { fields: fieldsOf(false), areBooked: true, convention: () => null, directions: null }

/**
 * Reads the CSV export of a bank, whatever its headers, language, and style of dates and amounts. `isSheet` if it was a
 * sheet of a workbook. Throws Unreadable.
 */
export function readBankCsv(text: string, options: ReadOptions, isSheet: boolean): BankStatement {
  const {
    table,
    groups,
    leftOut: records,
    aspects,
    problems,
  } = readTable(text, options, { ...kind, isSheet })
  const accounts = groups.map((group) => accountOf(table, group))
  if (aspects.questions.length > 0) askForAccount(accountNames(accounts), aspects)
  problems.throwIfAny(aspects)
  const [first = emptyAccount(ibanAbove(table), null), ...others] = accounts
  first.leftOut.push(...records)
  return {
    format: 'csv',
    accounts: [first, ...others],
    settled: aspects.settled,
    needs: isByKind(aspects) ? aspects.needs : null,
    headers: table.identity,
  }
}

function accountOf(table: CsvTable, group: Entry[]): StatementAccount {
  const [first] = group
  const isSame = group.every(({ account }) => account === first?.account)
  const identifier = first?.own ?? (isSame ? (first?.account ?? null) : null)
  const account = emptyAccount(identifier ?? ibanAbove(table), first?.currency ?? null)
  for (const { row, date, amount } of group) {
    const description = describeRow(table, row, amount)
    const reference = bankReference(cellOf(table, row, 'reference'))
    // Rows that moved money have been refused without a date.
    if (date === null) account.leftOut.push(leftOut(row.line, description, 'zero'))
    else addEntry(account, { lines: linesOf(row), date, amount, description, reference })
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
