import { readBankCsv } from './bank-csv.ts'
import { readCamt } from './camt.ts'
import { readMt940 } from './mt940.ts'
import { readOfx } from './ofx.ts'
import { readQif } from './qif.ts'
import { recognise } from './recognise.ts'
import type { ImportOptions, Statement } from './statement.ts'

/** Reads a bank statement of whatever format (decisions.md, Import). Throws `Invalid`, and nothing else. */
export function readStatement(bytes: Uint8Array, options: ImportOptions): Statement {
  const { format, text } = recognise(bytes)
  if (format === 'ofx') return readOfx(text)
  if (format === 'camt') return readCamt(text)
  if (format === 'mt940') return readMt940(text)
  if (format === 'qif') return readQif(text, options)
  return readBankCsv(text, options)
}
