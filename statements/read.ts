import { type ExampleRow, Invalid } from '../src/shared/failures.ts'
import { readCamt } from './camt/read.ts'
import { recognise } from './file/recognise.ts'
import { readMt940 } from './mt940/read.ts'
import { readOfx } from './ofx/read.ts'
import { readQif } from './qif/read.ts'
import { accountNames, exampleRows } from './shared/accounts.ts'
import type { FileOptions } from './shared/options.ts'
import { refuseFile } from './shared/problems.ts'
import { withExamples } from './shared/questions.ts'
import type { BankStatement } from './shared/statement.ts'
import { readBankCsv } from './tables/reading/bank.ts'
import { type GenericFile, readGenericTable } from './tables/reading/own.ts'
import { identityOfTable } from './tables/reading/table.ts'
import { readOnlyTable, readWorkbook } from './tables/xlsx/workbook.ts'

/** Reads a bank statement in any of the formats. Throws Invalid or, if it can be read in several ways, Questions. */
export function readStatement(bytes: Uint8Array, options: FileOptions): BankStatement {
  const workbook = readWorkbook(bytes, options, (text, told) => readFormat('csv', text, told, true))
  if (workbook) return workbook
  const { format, text, settled } = recognise(bytes, options)
  const statement = readFormat(format, text, options, false)
  return { ...statement, settled: { ...settled, ...statement.settled } }
}

/** Reads a generic CSV file, or a workbook with one table. Throws Invalid or Questions. */
export function readGeneric(bytes: Uint8Array, options: FileOptions): GenericFile {
  const sheet = readOnlyTable(bytes)
  const { format, text, settled } =
    sheet === null ? recognise(bytes, options) : { format: 'csv' as const, text: sheet, settled: {} }
  if (format !== 'csv')
    refuseFile(`The file is a bank statement (${format.toUpperCase()}), not a CSV file; import it as one.`)
  const told = sheet === null ? options : { ...options, delimiter: ',' }
  const read = (text: string, told: FileOptions) => readGenericTable(text, told, sheet !== null)
  const file = withExamples(read, text, told, ({ rows }) => rows)
  return { ...file, settled: { ...settled, ...file.settled } }
}

/** What identifies the layout of a file, by its beginning; null if it has none that can be found. */
export function identityOf(bytes: Uint8Array, options: FileOptions, isGeneric: boolean): Identity | null {
  try {
    const sheet = bytes[0] === 0x50 ? readOnlyTable(bytes) : null
    if (sheet !== null)
      return { format: 'csv', headers: identityOfTable(sheet, { ...options, delimiter: ',' }, isGeneric) }
    const end = bytes.lastIndexOf(0x0a, identifyingBytes)
    const isWhole = bytes.length <= identifyingBytes || end < 0
    const { format, text } = recognise(isWhole ? bytes : bytes.subarray(0, end + 1), options)
    return { format, headers: format === 'csv' ? identityOfTable(text, options, isGeneric) : [] }
  } catch (error) {
    // Reading the file as a whole says what is wrong with it.
    if (error instanceof Invalid) return null
    throw error
  }
}

type Identity = Pick<BankStatement, 'format' | 'headers'>
/** The headers of a table stand in the first bytes of its file, and so do enough rows to tell the kinds of columns. */
const identifyingBytes = 65_536

const readers = { csv: readBankCsv, ofx: readOfx, camt: readCamt, mt940: readMt940, qif: readQif }

function readFormat(format: BankStatement['format'], text: string, options: FileOptions, isSheet: boolean) {
  const read = (text: string, told: FileOptions) => readers[format](text, told, isSheet)
  return withExamples(read, text, options, rowsOf, format === 'csv')
}

/** The entries of the account that is meant, or else of all. */
function rowsOf({ accounts }: BankStatement, account: string | undefined): ExampleRow[] {
  const names = accountNames(accounts)
  const isMeant = (_: unknown, i: number) => account === names[i] || !names.includes(account ?? '')
  return exampleRows(accounts.filter(isMeant).flatMap(({ entries }) => entries))
}
