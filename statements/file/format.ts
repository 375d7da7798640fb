import { Aspects, type Settled } from '../shared/aspect.ts'
import type { ReadOptions } from '../shared/options.ts'
import type { BankStatement } from '../shared/statement.ts'
import { refuseFile } from '../shared/unreadable.ts'
import { decodeText } from './encoding.ts'

type Format = BankStatement['format']

/** A file as text with `\n` line ends, and its format. */
type RecognisedFile = { format: Format; text: string; settled: Settled }

/** Recognises a file's format by its content alone. If it is not a statement, the error says what it is instead. */
export function recogniseFormat(bytes: Uint8Array, options: ReadOptions): RecognisedFile {
  const kind = binaryKind(bytes)
  if (kind !== null) refuseFile(`The file is ${kind}, not a bank statement or CSV file.`)
  const decoded = decodeText(bytes, new Aspects(options))
  const text = decoded.text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
  if (text.trim() === '') refuseFile('The file is empty.')
  return { format: formatOf(text), text, settled: decoded.settled }
}

/** The first bytes of binary files that people upload by mistake. */
const signatures: [number[], string][] = [
  [[0x50, 0x4b, 0x03, 0x04], 'a ZIP archive'],
  [[0x50, 0x4b, 0x05, 0x06], 'an empty ZIP archive'],
  [[0x25, 0x50, 0x44, 0x46], 'a PDF document'],
  [[0x89, 0x50, 0x4e, 0x47], 'a PNG image'],
  [[0xff, 0xd8, 0xff], 'a JPEG image'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'an old Microsoft Office document (such as .xls)'],
  [[0x1f, 0x8b], 'a gzip archive'],
  [[0x7b, 0x5c, 0x72, 0x74, 0x66], 'an RTF document'],
]

/** Uncompressed text near the beginning of ZIP archives that tells their kinds apart. */
const zipParts: [string, string][] = [
  ['xl/', 'an Excel workbook (.xlsx)'],
  ['word/', 'a Word document (.docx)'],
  ['opendocument.spreadsheet', 'an OpenDocument spreadsheet (.ods)'],
  ['Index/', 'a Numbers spreadsheet'],
]

/** The kind of a binary file; null if the file may be text. */
function binaryKind(bytes: Uint8Array): string | null {
  const kind = signatures.find(([start]) => start.every((byte, i) => bytes[i] === byte))?.[1] ?? null
  if (kind !== 'a ZIP archive') return kind
  const start = new TextDecoder('windows-1252').decode(bytes.subarray(0, 65_536))
  return zipParts.find(([part]) => start.includes(part))?.[1] ?? kind
}

function formatOf(text: string): Format {
  const head = text.slice(0, 65_536)
  if (/<OFX\s*>|^\s*OFXHEADER\s*:/i.test(head)) return 'ofx'
  if (/^\s*</.test(head)) return xmlFormat(head)
  if (/^[^\S\n\u2028\u2029]*!(?:type|account|option|clear)\b/im.test(head.slice(0, 4_096))) return 'qif'
  if (isSwift(head)) return 'mt940'
  if (/^\s*[[{]\s*(?:["{[\]}]|$)/.test(head))
    refuseFile('The file is JSON, not a bank statement or CSV file.')
  return 'csv'
}

/**
 * SWIFT text begins with its first field or its header block, though some banks write a line or two before it. Leading
 * space is matched within its line only: from each of many empty lines, `^\s*` would run on through all the others.
 */
function isSwift(head: string): boolean {
  if (/^[\s@]*(?:\{1:|:(?:20|25|28C?|60F):)/.test(head)) return true
  return (
    /^[^\S\n\u2028\u2029]*:20:/m.test(head.slice(0, 4_096)) &&
    /(?:^|@@)[^\S\n\u2028\u2029]*:(?:25|28C?|6[012][FM]?):/m.test(head)
  )
}

function xmlFormat(head: string): Format {
  if (/<(?:[\w.-]+:)?BkToCstmr/.test(head)) return 'camt'
  if (/<(?:html|!doctype\s+html|table)\b/i.test(head))
    refuseFile(
      'The file is a web page (HTML), not a bank statement or CSV file; some banks give web pages names such as .xls or .csv.',
    )
  const root = /<([A-Za-z_][\w.:-]{0,60})/.exec(head)?.[1]
  if (/camt\.05[234]/.test(head)) return 'camt'
  refuseFile(
    `The file is XML, but not a statement (camt.052, .053 or .054, or OFX): it begins with <${root ?? '?'}>.`,
  )
}
