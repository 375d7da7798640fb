import { earliestDate, isCalendarDate, latestDate } from '../../../src/domain/dates.ts'
import { parseMoney } from '../../../src/domain/money.ts'
import { isBlank, isLongerThan, isStorable, normaliseText, trimText } from '../../../src/domain/texts.ts'
import { csvHeaders, exportedTexts } from '../../../src/domain/transaction-fields.ts'
import { transactionTypes } from '../../../src/domain/types.ts'
import { maxRows, tooManyRows } from '../../shared/problems.ts'
import type { OwnRow } from '../../shared/statement.ts'
import { refuseFile } from '../../shared/unreadable.ts'
import { firstOwnColumns } from '../text/published-layouts.ts'
import { type CsvRecord, readRecords } from '../text/records.ts'
import type { OwnFile } from './own.ts'

/** The product of the service's own CSV export. */
export const ownProduct = 'Purse'

/** The headers of the service's own CSV export, of today or of before; null for other files. */
export function ownHeaders(bytes: Uint8Array): string[] | null {
  const [first = ''] = new TextDecoder().decode(bytes.subarray(0, 1_024)).split(/\r?\n/, 1)
  const headers = first.split(',')
  const isOwn = headers.length >= firstOwnColumns && headers.every((name, i) => name === csvHeaders[i])
  return isOwn ? headers : null
}

/**
 * Reads the service's own CSV export, whose texts stay unchanged. Null for a file that it would not have written: that one is
 * read like any table.
 */
export function readOwnExport(bytes: Uint8Array): OwnFile | null {
  const headers = ownHeaders(bytes)
  const text = headers && decoded(bytes)
  if (!headers || text === null) return null
  const [, ...records] = readRecords(text, ',').filter(({ cells }) => cells.length > 1)
  if (records.length > maxRows) refuseFile(tooManyRows)
  const rows = records.flatMap((record) => readRow(record, headers.length) ?? [])
  if (rows.length === 0 || rows.length < records.length) return null
  const settled = headers.map((name) => [`mapping.${name}`, { value: name, proof: 'the layout of Purse' }])
  const nothing = { startingBalances: [], halves: 0, leftOut: [] }
  return { rows, ...nothing, product: ownProduct, settled: Object.fromEntries(settled), headers }
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    return null
  }
}

function readRow({ line, cells }: CsvRecord, width: number): OwnRow | null {
  // The line end of the file stays in a last cell without quotes.
  const [date = '', written = '', word, ...others] = cells.map((cell) => (cell === '\r' ? '' : cell))
  const type = transactionTypes.find((one) => one === word)
  const amount = parseMoney(written)
  const isDate = isCalendarDate(date) && date >= earliestDate && date <= latestDate
  const isWhole = isDate && /^\d+\.\d\d$/.test(written) && cells.length === width && others.every(isStored)
  if (!isWhole || type === undefined || typeof amount !== 'number' || amount === 0) return null
  const [account = null, to_account = null, category = null, ...texts] = others.map((cell) => cell || null)
  if (account === null || (to_account !== null) !== (type === 'transfer')) return null
  const named = exportedTexts.map((name, i) => [name, texts[i] ?? null])
  const fields = Object.fromEntries(named) as Pick<OwnRow, 'description' | 'reference'>
  return {
    lines: [line],
    date,
    type,
    amount,
    account,
    to_account,

    category,
    currency: null,
    ...fields,
  }
}

/** True for a text as the API stores it. */
const isStored = (cell: string) =>
  cell === '' ||
  (!isBlank(cell) && isStorable(cell) && !isLongerThan(cell, 255) && normaliseText(trimText(cell)) === cell)
