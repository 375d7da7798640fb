import { emptyAccount, mergeAccounts } from '../accounts.ts'
import { moneyText, Problems, refuseFile, required } from '../problems.ts'
import type { ImportOptions, Statement, StatementAccount, StatementRow } from '../statement.ts'
import { cleanText, describe } from '../text.ts'
import { amountOf, type DecimalSeparator, readWrittenAmount } from '../written/amount.ts'
import type { DateOrder } from '../written/date.ts'
import { dateCell, decideOrder, readDate } from '../written/date-order.ts'
import { decideSeparator } from '../written/decimal-separator.ts'
import { type QifRecord, type QifSection, splitQif } from './records.ts'

type Style = { order: DateOrder; said: boolean; separator: DecimalSeparator }

/** Reads a QIF file (Quicken Interchange Format): bank, cash, card, asset and liability accounts, several in one file. */
export function readQif(text: string, options: ImportOptions): Statement {
  const sections = splitQif(text)
  if (sections.length === 0) refuseFile('The file holds no transactions of a bank, cash or card account.')
  const problems = new Problems()
  const records = sections.flatMap((section) => section.records)
  const order = decideOrder(records.map(dateOf), options.date_format, problems)
  const separator = decideSeparator(records.map(amountCell), options.decimal_separator, problems)
  problems.throwIfAny()
  const style = {
    order: order ?? 'dmy',
    said: Boolean(options.date_format),
    separator: separator ?? '.',
  } as const
  const accounts = sections.map((section) => readSection(section, style, problems))
  problems.throwIfAny()
  return { format: 'qif', accounts: mergeAccounts(accounts) }
}

function readSection(section: QifSection, style: Style, problems: Problems): StatementAccount {
  const account = emptyAccount(section.account, null)
  for (const record of section.records) {
    if (isOpeningBalance(record, section.account)) account.skipped += 1
    else {
      const row = readRecord(record, style, problems)
      if (row && row.amount !== 0) account.rows.push(row)
      else account.skipped += 1
    }
  }
  return account
}

function readRecord(record: QifRecord, style: Style, problems: Problems): StatementRow | null {
  const date = readDate(dateOf(record), style.order, style.said, problems)
  const cell = amountCell(record)
  const written = readWrittenAmount(cell.text)
  const amount = written ? amountOf(written, style.separator) : 'not a number'
  if (typeof amount !== 'number')
    problems.addRow(record.line, 'amount', cell.text.trim() === '' ? required : moneyText(amount))
  if (date === null || typeof amount !== 'number') return null
  const number = cleanText(record.fields.get('N') ?? '')
  return {
    line: record.line,
    date,
    amount,
    description: describe(record.fields.get('P'), record.fields.get('M')),
    // Words such as ATM or DEP stand here as well, and they tell no entry from another.
    reference: number !== null && /\d/.test(number) ? number : null,
  }
}

/** Quicken writes what an account began with as its first transaction: a transfer of the account to itself. */
function isOpeningBalance(record: QifRecord, account: string | null): boolean {
  if (!/^opening balance$/i.test(record.fields.get('P')?.trim() ?? '')) return false
  const category = /^\[(.*)\]$/.exec(record.fields.get('L')?.trim() ?? '')?.[1]
  return category !== undefined && (account === null || category === account)
}

function amountCell(record: QifRecord) {
  return { line: record.line, text: record.fields.get('T') ?? record.fields.get('U') ?? '' }
}

function dateOf(record: QifRecord) {
  return dateCell(record.line, record.fields.get('D') ?? '')
}
