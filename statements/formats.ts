import type { ExampleRow } from '../src/domain/file-questions.ts'
import { readCamt } from './camt/read.ts'
import { recogniseFormat } from './file/format.ts'
import { readMt940 } from './mt940/read.ts'
import { readOfx } from './ofx/read.ts'
import { readQif } from './qif/read.ts'
import { accountNames, exampleRows } from './shared/accounts.ts'
import type { ReadOptions } from './shared/options.ts'
import { withExamples } from './shared/questions.ts'
import type { BankStatement, OwnRow } from './shared/statement.ts'
import { refuseFile } from './shared/unreadable.ts'
import { readBankCsv } from './tables/reading/bank.ts'
import { type OwnFile, readOwnTable } from './tables/reading/own.ts'
import { readOwnExport } from './tables/reading/own-export.ts'
import { readOnlyTable, readWorkbook, separatedByCommas } from './tables/xlsx/workbook.ts'

/** Reads the accounts of a bank statement in any of the formats. Throws Unreadable. */
export function readBankFile(bytes: Uint8Array, options: ReadOptions): BankStatement {
  const workbook = readWorkbook(bytes, options, (text, told) => readFormat('csv', text, told, true))
  if (workbook) return workbook
  const { format, text, settled } = recogniseFormat(bytes, options)
  const statement = readFormat(format, text, options, false)
  return { ...statement, settled: { ...settled, ...statement.settled } }
}

/** Reads a table of one's own, or another app's export: a CSV file, or a workbook with one table. Throws Unreadable. */
export function readOwnFile(bytes: Uint8Array, options: ReadOptions): OwnFile {
  const exported = Object.keys(options.answers ?? {}).length === 0 ? readOwnExport(bytes) : null
  if (exported) return exported
  const sheet = readOnlyTable(bytes)
  const { format, text, settled } =
    sheet === null ? recogniseFormat(bytes, options) : { format: 'csv' as const, text: sheet, settled: {} }
  if (format !== 'csv')
    refuseFile(`The file is a bank statement (${format.toUpperCase()}), not a CSV file; import it as one.`)
  const readOptions = sheet === null ? options : separatedByCommas(options)
  const read = (text: string, told: ReadOptions) => readOwnTable(text, told, sheet !== null)
  const file = withExamples(read, text, readOptions, ({ rows }) => rows.map(exampleOf))
  if (sheet !== null) delete file.settled.delimiter
  return { ...file, settled: { ...settled, ...file.settled } }
}

/** A row as questions compare and show it. */
const exampleOf = ({ lines, ...row }: OwnRow): ExampleRow => ({ line: lines[0] ?? 0, ...row })

const readers = { csv: readBankCsv, ofx: readOfx, camt: readCamt, mt940: readMt940, qif: readQif }

function readFormat(format: BankStatement['format'], text: string, options: ReadOptions, isSheet: boolean) {
  const read = (text: string, told: ReadOptions) => readers[format](text, told, isSheet)
  return withExamples(read, text, options, rowsOf, format === 'csv')
}

/** The entries of the account that is meant, or else of all. */
function rowsOf({ accounts }: BankStatement, account: string | undefined): ExampleRow[] {
  const names = accountNames(accounts)
  const isMeant = (_: unknown, i: number) => account === names[i] || !names.includes(account ?? '')
  // Rows of another account, or in another currency, are other rows.
  return accounts
    .filter(isMeant)
    .flatMap(({ entries, identifier, currency }) =>
      exampleRows(entries).map((row) => ({ ...row, identifier, currency })),
    )
}
