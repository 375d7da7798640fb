import { recogniseFormat } from './file/format.ts'
import type { Answers } from './shared/options.ts'
import type { BankStatement } from './shared/statement.ts'
import { Unreadable } from './shared/unreadable.ts'
import { ownHeaders, ownProduct } from './tables/reading/own-export.ts'
import { headersOfTable } from './tables/reading/table.ts'
import { documentedHeaders } from './tables/text/header-names.ts'
import type { Header } from './tables/text/headers.ts'
import { type Layout, layoutOf } from './tables/text/published-layouts.ts'
import { readOnlyTable, separatedByCommas } from './tables/xlsx/workbook.ts'

/** A statement of a bank: every row of one account. Or a table of one's own, or another app's export. */
export type Kind = 'bank' | 'own'

/** What a file is; nulls for what cannot be told without reading it as a whole. */
export type Recognised = {
  kind: Kind | null
  format: BankStatement['format'] | null
  /** The bank or app that has published the layout. */
  product: string | null
  /** What identifies files of the same layout: the headers of a table, or the kinds of its columns. */
  headers: string[]
}

/** The headers of a table stand in the first bytes of its file, and so do enough rows to tell the kinds of columns. */
const beginning = 65_536

/** Recognises a file by its beginning. `kind` is as what it will be read, by default a bank statement. */
export function recognise(
  bytes: Uint8Array,
  { kind, answers }: { kind?: Kind; answers?: Answers } = {},
): Recognised {
  const own = ownHeaders(bytes)
  if (own) return { kind: 'own', format: 'csv', product: ownProduct, headers: own }
  try {
    const { format, text, told } = beginningOf(bytes, answers)
    if (format !== 'csv') return { kind: 'bank', format, product: null, headers: [] }
    const { headers, identity } = headersOfTable(text, told, kind === 'own')
    const layout = layoutOf(headers)
    return {
      kind: layout ? kindOf(layout) : areOwn(headers) ? 'own' : null,
      format,
      product: layout?.name ?? null,
      headers: identity,
    }
  } catch (error) {
    // Reading the file as a whole says what is wrong with it.
    if (error instanceof Unreadable) return { kind: null, format: null, product: null, headers: [] }
    throw error
  }
}

/** True for the documented headers of a table of one's own, with a column that a bank would not have. */
function areOwn(headers: Header[]): boolean {
  const names = headers.map(({ text }) => text.toLowerCase())
  const isOwn = (name: string) => ['account', 'to_account', 'category'].includes(name)
  return names.some(isOwn) && names.every((name) => documentedHeaders.has(name))
}

const kindOf = ({ app }: Layout): Kind => (app ? 'own' : 'bank')

function beginningOf(bytes: Uint8Array, answers: Answers | undefined) {
  const options = { answers }
  const sheet = bytes[0] === 0x50 ? readOnlyTable(bytes) : null
  if (sheet !== null) return { format: 'csv' as const, text: sheet, told: separatedByCommas(options) }
  const end = bytes.lastIndexOf(0x0a, beginning)
  const isWhole = bytes.length <= beginning || end < 0
  const { format, text } = recogniseFormat(isWhole ? bytes : bytes.subarray(0, end + 1), options)
  return { format, text, told: options }
}
