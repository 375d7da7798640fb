import { cleanText } from '../text.ts'
import { columnNamed } from './headers.ts'
import type { AppRows } from './layouts.ts'
import type { CsvRow } from './rows.ts'
import type { CsvTable } from './table.ts'

/** What an app's layout says of a row: nothing special in files of no app. */
export type AppRow = {
  isLeftOut: boolean
  isStart: boolean
  isHalf: boolean
  /** The other account of a transfer; `isSure` even if the other half is missing. */
  other: { account: string; isSure: boolean } | null
  /** The accounts that the row names as the user's own, if the layout tells them from others. */
  between: { from: string | null; to: string | null } | null
}

export function appRowOf(table: CsvTable, row: CsvRow): AppRow {
  const { half, transfer, mirrored, start, split, between }: AppRows = table.layout?.app ?? {}
  const named = textBehind(table, row, transfer) ?? textBehind(table, row, mirrored)
  const own = ([name, type]: [string, string]) =>
    between?.own.includes(cellUnder(table, row, type)) ? cleanText(cellUnder(table, row, name)) : null
  return {
    isLeftOut: textBehind(table, row, split) !== null,
    isStart: textBehind(table, row, start) !== null,
    isHalf: textBehind(table, row, half) !== null,
    other: named ? { account: named, isSure: transfer !== undefined } : null,
    between: between ? { from: own(between.from), to: own(between.to) } : null,
  }
}

/** What follows the text in the cell; null if the cell does not begin with it. */
function textBehind(table: CsvTable, row: CsvRow, cell: [header: string, text: string] | undefined) {
  const found = cell && cellUnder(table, row, cell[0])
  return found?.startsWith(cell?.[1] ?? '') ? (cleanText(found.slice(cell?.[1].length)) ?? '') : null
}

function cellUnder({ headers }: CsvTable, { cells }: CsvRow, header: string): string {
  return cells[columnNamed(headers, header) ?? -1]?.trim() ?? ''
}
