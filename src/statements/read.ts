import { readCamt } from './camt/read.ts'
import { readBankCsv } from './csv/bank.ts'
import { recognise } from './file/recognise.ts'
import { readMt940 } from './mt940/read.ts'
import { readOfx } from './ofx/read.ts'
import { readQif } from './qif/read.ts'
import type { ImportOptions, Statement } from './statement.ts'

/** Reads a bank statement in any of the formats. Throws `Invalid`, and nothing else. */
export function readStatement(bytes: Uint8Array, options: ImportOptions): Statement {
  const { format, text } = recognise(bytes)
  if (format === 'ofx') return readOfx(text)
  if (format === 'camt') return readCamt(text)
  if (format === 'mt940') return readMt940(text)
  if (format === 'qif') return readQif(text, options)
  return readBankCsv(text, options)
}
