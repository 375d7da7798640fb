import { negated } from '../../shared/money.ts'
import { readCamt } from './camt/read.ts'
import { readBankCsv } from './csv/bank.ts'
import { recognise } from './file/recognise.ts'
import { readMt940 } from './mt940/read.ts'
import { readOfx } from './ofx/read.ts'
import { readQif } from './qif/read.ts'
import type { BankStatement, FileOptions, StatementEntry } from './statement.ts'
import { readWorkbook } from './xlsx/workbook.ts'

/** Reads a bank statement in any of the formats. Throws `Invalid`, and nothing else. */
export function readStatement(bytes: Uint8Array, options: FileOptions): BankStatement {
  const workbook = readWorkbook(bytes, options)
  if (workbook) return workbook
  const { format, text } = recognise(bytes)
  if (format === 'csv') return readBankCsv(text, options)
  const statement = readStandardFormat(format, text, options)
  return options.signs === 'inverted' ? inverted(statement) : statement
}

function readStandardFormat(
  format: Exclude<BankStatement['format'], 'csv'>,
  text: string,
  options: FileOptions,
) {
  if (format === 'ofx') return readOfx(text)
  if (format === 'camt') return readCamt(text)
  return format === 'mt940' ? readMt940(text) : readQif(text, options)
}

/** The statement with its amounts inverted, and no closing balance: nobody knows whether that is inverted too. */
function inverted({ format, accounts }: BankStatement): BankStatement {
  const invert = (entry: StatementEntry) => ({ ...entry, amount: negated(entry.amount) })
  return {
    format,
    accounts: accounts.map((account) => ({
      ...account,
      entries: account.entries.map(invert),
      closingBalance: null,
    })),
  }
}
