import { addEntry, emptyAccount } from '../accounts.ts'
import { Aspects } from '../aspects/aspect.ts'
import { dateCell, dateReader } from '../aspects/dates.ts'
import { amountReader } from '../aspects/decimals.ts'
import { statementOf } from '../aspects/statement-signs.ts'
import { Problems, refuseFile } from '../problems.ts'
import type { BankStatement, FileOptions, StatementAccount, StatementEntry } from '../statement.ts'
import { cleanText, joinDescription } from '../text.ts'
import { amountCell } from '../written/amount.ts'
import { type QifRecord, type QifSection, splitQif } from './records.ts'

type Readers = {
  problems: Problems
  dateOf: ReturnType<typeof dateReader>
  amountOf: ReturnType<typeof amountReader>
}

/** Reads a QIF file (Quicken Interchange Format): bank, cash, card, asset and liability accounts, several in one file. */
export function readQif(text: string, options: FileOptions): BankStatement {
  const problems = new Problems()
  const sections = splitQif(text, problems)
  if (sections.length === 0) refuseFile('The file contains no transactions of a bank, cash or card account.')
  const records = sections.flatMap((section) => section.records)
  const aspects = new Aspects(options)
  const dateOf = dateReader(records.map(dateField), aspects, problems)
  const amountOf = amountReader(records.map(amountField), aspects, problems)
  const accounts = sections.map((section) => readSection(section, { problems, dateOf, amountOf }))
  return statementOf('qif', accounts, null, aspects, problems)
}

function readSection(section: QifSection, readers: Readers): StatementAccount {
  const account = emptyAccount(section.account, null)
  for (const record of section.records) {
    addEntry(account, isOpeningBalance(record, section.account) ? null : readEntry(record, readers))
  }
  return account
}

function readEntry(record: QifRecord, { problems, dateOf, amountOf }: Readers): StatementEntry | null {
  const { line, fields } = record
  const date = dateOf(dateField(record))
  const cell = amountField(record)
  const amount = problems.checkAmount(line, cell.text, amountOf(cell))
  if (date === null || amount === null) return null
  const number = cleanText(fields.get('N') ?? '')
  return {
    line,
    date,
    amount,
    description: joinDescription(fields.get('P'), fields.get('M')),
    // The field also holds words such as ATM or DEP, which do not identify an entry.
    reference: number !== null && /\d/.test(number) ? number : null,
  }
}

/** Quicken writes an opening balance as the first transaction: a transfer from the account to itself. */
function isOpeningBalance({ fields }: QifRecord, account: string | null): boolean {
  if (!/^opening balance$/i.test(fields.get('P')?.trim() ?? '')) return false
  const category = /^\[(.*)\]$/.exec(fields.get('L')?.trim() ?? '')?.[1]
  return category !== undefined && (account === null || category === account)
}

function amountField({ line, fields }: QifRecord) {
  return amountCell(line, fields.get('T') ?? fields.get('U') ?? '')
}

function dateField({ line, fields }: QifRecord) {
  return dateCell(line, fields.get('D') ?? '')
}
