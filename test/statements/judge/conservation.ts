import type { Case } from './cases.ts'
import type { Reading } from './reader.ts'

/** Why a record may be left out. `reconciled` is added by the service. */
const reasons = new Set(
  'told before_header after_rows header_again total balance starting_balance pending not_booked declined other_account zero hidden no_movement split_parent note'.split(
    ' ',
  ),
)

/** A record of a file: the first line or number that names it, and the last. */
type FileRecord = { first: number; last: number; text: string }

/**
 * What a reading says nothing about, or says twice: each record of a table and each entry of a statement is the header's, or
 * of a row, or left out with a reason.
 */
export function conservationFaults({ name, bytes, leftOut }: Case, reading: Reading): string[] {
  const left = reading.leftOut ?? []
  const ofRows = new Set(reading.rows.flatMap(({ lines }) => lines))
  const ofLeft = new Set(left.map(({ line }) => line))
  const records = recordsOf(name, bytes)
  const isNamed = (lines: Set<number>) => (record: FileRecord) =>
    [...lines].some((line) => line >= record.first && line <= record.last)
  const unnamed = records.filter((record) => !isNamed(ofRows)(record) && !isNamed(ofLeft)(record))
  return [
    ...headerFaults(records, unnamed, Math.min(...ofRows)),
    ...records
      .filter((one) => isNamed(ofRows)(one) && isNamed(ofLeft)(one))
      .map(said('is a row and left out')),
    ...left
      .filter(({ reason }) => !reasons.has(reason))
      .map(({ line, reason }) => `${line}: unknown reason ${reason}`),
    ...left.filter(({ text }) => text.length > 200).map(({ line }) => `${line}: more than 200 characters`),
    ...(ofLeft.size < left.length ? ['a record is left out twice'] : []),
    ...(leftOut ?? []).flatMap(([line, reason]) =>
      left.some((one) => one.line === line && one.reason === reason)
        ? []
        : [`${line}: should be left out as ${reason}`],
    ),
  ]
}

const said =
  (what: string) =>
  ({ first, text }: FileRecord) =>
    `${first}: ${what}: ${text.slice(0, 60)}`

/** A header is a few records in a row, above the rows. */
function headerFaults(records: FileRecord[], unnamed: FileRecord[], firstRow: number): string[] {
  const from = records.indexOf(unnamed[0] as FileRecord)
  const isHeader = (record: FileRecord, i: number) =>
    i < 3 && records.indexOf(record) === from + i && record.first < firstRow
  return unnamed.filter((record, i) => !isHeader(record, i)).map(said('is named by nothing'))
}

function recordsOf(name: string, bytes: Uint8Array): FileRecord[] {
  const text = decoded(bytes)
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
  if (/<OFX|OFXHEADER/i.test(text)) return entriesOf(text, /<STMTTRN>/gi)
  if (/^\s*</.test(text)) return entriesOf(text, /<(?:\w+:)?Ntry>/g)
  if (/^:61:/m.test(text) && !name.endsWith('.csv'))
    return linesOf(text).filter((one) => one.text.startsWith(':61:'))
  if (/^!(?:type|account|option)/im.test(text)) return recordsOfQif(text)
  return recordsOfTable(text)
}

function decoded(bytes: Uint8Array): string {
  const utf16 = { '255,254': 'utf-16le', '254,255': 'utf-16be' }[bytes.slice(0, 2).join()]
  if (utf16) return new TextDecoder(utf16).decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    // Whatever the letters are, line ends and quotes are the same.
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

const entriesOf = (text: string, start: RegExp): FileRecord[] =>
  [...text.matchAll(start)].map((_, i) => ({ first: i + 1, last: i + 1, text: '' }))

const linesOf = (text: string): FileRecord[] =>
  text.split('\n').map((line, i) => ({ first: i + 1, last: i + 1, text: line }))

/** The records between lines with ^ that have an amount. */
function recordsOfQif(text: string): FileRecord[] {
  const records: FileRecord[] = []
  let open: FileRecord | null = null
  for (const line of linesOf(text)) {
    if (line.text.startsWith('!') || line.text.trim() === '') continue
    open ??= { ...line, text: '' }
    open = { ...open, last: line.last, text: `${open.text}\n${line.text}` }
    if (!line.text.startsWith('^')) continue
    if (/^[TU][-+$]?[\d.,]/m.test(open.text)) records.push(open)
    open = null
  }
  return records
}

/** The records of a table that are not blank; a quoted cell may go over several lines. */
function recordsOfTable(text: string): FileRecord[] {
  const records: FileRecord[] = []
  for (const line of linesOf(text)) {
    const before = records.at(-1)
    const isOpen = before !== undefined && (before.text.match(/"/g)?.length ?? 0) % 2 === 1
    if (isOpen) {
      before.last = line.last
      before.text += `\n${line.text}`
    } else records.push(line)
  }
  return records.filter(({ text }) => /[^\s;,|"'~\ufeff]/.test(text))
}
