import { Invalid } from '../../../src/domain/failures.ts'
import type { Minor } from '../../../src/domain/money.ts'
import { readStatement } from '../../../src/statements/read.ts'
import type { BankStatement, FileOptions, GenericRow } from '../../../src/statements/statement.ts'

declare global {
  interface ImportMeta {
    /** From Vite: the matching files, as text, as data URLs or, for JSON, parsed. */
    glob(
      pattern: string | string[],
      options: { query?: '?raw' | '?url&inline'; import: 'default'; eager: true },
    ): Record<string, string & Expected>
  }
}

/**
 * What `x.expected.json` states of the corpus file `x.csv`: a statement, or the rows of a generic CSV file. `asks` are
 * the fields of the 422 where `options` are missing.
 */
export type Expected = { options?: FileOptions; asks?: string[] } & (BankStatement | { rows: GenericRow[] })

const root = '../../corpus/'
const texts = import.meta.glob(['../../corpus/**/*', '!**/*.{expected.json,xlsx}'], {
  query: '?raw',
  import: 'default',
  eager: true,
})
const dataUrls = import.meta.glob('../../corpus/**/*.xlsx', {
  query: '?url&inline',
  import: 'default',
  eager: true,
})
const expectations = import.meta.glob('../../corpus/**/*.expected.json', { import: 'default', eager: true })

/** The text files of test/corpus by their path below it. */
export const corpus = new Map(Object.entries(texts).map(([path, text]) => [path.replace(root, ''), text]))

/** The corpus files that are bank statements, and those that are generic CSV files. */
export const [statements = [], genericFiles = []] = [false, true].map((isGeneric) =>
  [...corpus].filter(([path]) => path.startsWith('generic-csv/') === isGeneric),
)

/** The workbooks among the corpus files. */
export const workbooks = Object.entries(dataUrls).map(
  ([path, url]) =>
    [path.replace(root, ''), new Uint8Array(Buffer.from(url.replace(/^.*,/, ''), 'base64'))] as const,
)

/** A text file of the corpus. */
export function fileOf(path: string): string {
  const text = corpus.get(path)
  if (text === undefined) throw new Error(`The corpus has no ${path}.`)
  return text
}

/** The expected result of a corpus file. */
export function expectedOf(path: string): Expected {
  const expected = expectations[`${root}${path.replace(/\.\w+$/, '.expected.json')}`]
  if (expected === undefined) throw new Error(`Nothing says what is expected of ${path}.`)
  return expected
}

/** Encodes text. A single-byte encoding turns characters that it lacks into question marks. */
export function encode(text: string, encoding = 'utf-8'): Uint8Array {
  if (encoding === 'utf-8') return new TextEncoder().encode(text)
  if (encoding.startsWith('utf-16')) return utf16(text, encoding === 'utf-16le')
  const table = singleByteTable(encoding)
  return Uint8Array.from([...text], (character) => table.get(character) ?? 0x3f)
}

/** True if every character of a text exists in a single-byte encoding. */
export function fits(text: string, encoding: string): boolean {
  const table = singleByteTable(encoding)
  return [...text].every((character) => table.has(character))
}

/** Reads a text as a bank statement. */
export function read(text: string, options: FileOptions = {}): BankStatement {
  return readStatement(encode(text), options)
}

/** The errors of the `Invalid` that reading a file throws; null if it throws nothing. */
export function errorsOf(run: () => unknown): Record<string, string[]> | null {
  try {
    run()
    return null
  } catch (error) {
    if (error instanceof Invalid) return error.errors
    throw error
  }
}

/** The sum of all entries. */
export function sumOf(entries: { amount: Minor }[]): number {
  return entries.reduce((sum, { amount }) => sum + amount, 0)
}

function utf16(text: string, littleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2))
  for (let i = 0; i < text.length; i += 1) view.setUint16(i * 2, text.charCodeAt(i), littleEndian)
  return new Uint8Array(view.buffer)
}

function singleByteTable(encoding: string): Map<string, number> {
  const decoder = new TextDecoder(encoding)
  return new Map(
    Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte] as const),
  )
}
