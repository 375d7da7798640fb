import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { BankStatement } from '../../statements/shared/statement.ts'
import { type FileOptions, type GenericRow, type ReadAccount, readStatement } from './readers.ts'

export { errorsOf, type FileOptions, readGeneric, readStatement, unreadableOf } from './readers.ts'

/**
 * What `x.expected.json` states of the corpus file `x.csv`: a statement, or the rows of a generic CSV file. `asks` are
 * the fields of the 422 where `options` are missing.
 */
export type Expected = { options?: FileOptions; asks?: string[] } & (
  | Statement
  | { rows: GenericRow[]; starts?: GenericRow[] }
)
type Statement = Pick<BankStatement, 'format'> & { accounts: ReadAccount[] }

const root = path.join(import.meta.dirname, '../corpus')
const namesOf = (pattern: string) =>
  globSync(pattern, { cwd: root, exclude: ['cases', 'oddities', '**/*.expected.json'] }).sort()
const bytesOf = (name: string) => new Uint8Array(readFileSync(path.join(root, name)))

/** The text files of test/corpus by their path below it. */
export const corpus = new Map(
  namesOf('*/*.!(xlsx)').map((name) => [name, readFileSync(path.join(root, name), 'utf8')]),
)

/** The corpus files that are bank statements, and those that are generic CSV files. */
export const [statements = [], genericFiles = []] = [false, true].map((isGeneric) =>
  [...corpus].filter(([path]) => path.startsWith('generic-csv/') === isGeneric),
)

/** The workbooks among the corpus files. */
export const workbooks = namesOf('*/*.xlsx').map((name) => [name, bytesOf(name)] as const)

/** A text file of the corpus. */
export function fileOf(path: string): string {
  const text = corpus.get(path)
  if (text === undefined) throw new Error(`The corpus has no ${path}.`)
  return text
}

/** The expected result of a corpus file. */
export function expectedOf(name: string): Expected {
  return JSON.parse(readFileSync(path.join(root, name.replace(/\.\w+$/, '.expected.json')), 'utf8'))
}

/** Encodes text. A legacy encoding turns characters that it lacks into question marks. */
export function encode(text: string, encoding = 'utf-8'): Uint8Array {
  if (encoding === 'utf-8') return new TextEncoder().encode(text)
  if (encoding.startsWith('utf-16')) return utf16(text, encoding === 'utf-16le')
  const table = legacyTable(encoding)
  return Uint8Array.from([...text].flatMap((character) => table.get(character) ?? 0x3f))
}

/** True if every character of a text exists in a legacy encoding. */
export function fits(text: string, encoding: string): boolean {
  const table = legacyTable(encoding)
  return [...text].every((character) => table.has(character))
}

/** What a bank statement contains, without how that was settled. */
export function contentsOf(bytes: Uint8Array, options: FileOptions = {}): Statement {
  const { format, accounts } = readStatement(bytes, options)
  return { format, accounts }
}

/** Reads a text as a bank statement. */
export function read(text: string, options: FileOptions = {}): Statement {
  return contentsOf(encode(text), options)
}

function utf16(text: string, littleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2))
  for (let i = 0; i < text.length; i += 1) view.setUint16(i * 2, text.charCodeAt(i), littleEndian)
  return new Uint8Array(view.buffer)
}

const legacyTables = new Map<string, Map<string, number[]>>()

/** The one or two bytes of each character. Made once for each encoding, as it takes thousands of decodings. */
function legacyTable(encoding: string): Map<string, number[]> {
  const table = legacyTables.get(encoding) ?? makeLegacyTable(encoding)
  legacyTables.set(encoding, table)
  return table
}

function makeLegacyTable(encoding: string): Map<string, number[]> {
  const decoder = new TextDecoder(encoding)
  const bytes = Array.from({ length: 256 }, (_, byte) => byte)
  const single = bytes.map((byte) => [byte])
  const double = bytes.slice(0x81).flatMap((lead) => bytes.slice(0x40).map((trail) => [lead, trail]))
  const pairs = [...double, ...single].map((code) => [decoder.decode(Uint8Array.from(code)), code] as const)
  return new Map(pairs.filter(([character]) => character.length === 1 && character !== '\ufffd'))
}
