import { cleanName } from '../../shared/text.ts'
import { refuseFile } from '../../shared/unreadable.ts'
import { columnNamed } from '../text/headers.ts'
import type { AppRows } from '../text/published-layouts.ts'
import type { CsvRow } from '../text/row.ts'
import type { CsvTable } from '../text/table.ts'

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
  const { half, transfer, mirrored, start, split, between, journal }: AppRows = table.layout?.app ?? {}
  if (journal)
    return { ...plain, ...ofJournal(table, row, journal), isStart: textBehind(table, row, start) !== null }
  const named = textBehind(table, row, transfer) ?? textBehind(table, row, mirrored)
  const own = ([name, type]: [string, string]) => {
    if (columnNamed(table.headers, type) === null) refuseFile(noTypes)
    return between?.own.includes(cellUnder(table, row, type)) ? cleanName(cellUnder(table, row, name)) : null
  }
  return {
    isLeftOut: textBehind(table, row, split) !== null,
    isStart: textBehind(table, row, start) !== null,
    isHalf: textBehind(table, row, half) !== null,
    other: named ? { account: named, isSure: transfer !== undefined } : null,
    between: between ? { from: own(between.from), to: own(between.to) } : null,
  }
}

const noTypes =
  'The file names sources and destinations, but not which of them are your accounts: export it with the columns source_type and destination_type.'

const plain: AppRow = { isLeftOut: false, isStart: false, isHalf: false, other: null, between: null }
type Journal = NonNullable<AppRows['journal']>

/**
 * The first row of an event on an own account is left out: the event's other rows name the other side of the money.
 * An event on no own account is left out as a whole.
 */
function ofJournal(table: CsvTable, row: CsvRow, journal: Journal): Partial<AppRow> {
  const base = basesOf(table, journal).get(cellUnder(table, row, journal.id))
  const isVoided = cellUnder(table, row, journal.voided) !== ''
  if (base === undefined || base.cells === row.cells || isVoided) return { isLeftOut: true }
  const account = cleanName(cellUnder(table, row, journal.account))
  const isOwn = journal.own.some((text) => account?.startsWith(text))
  const [from, to] = [base.account, isOwn ? account : null]
  return { between: row.amount.written?.isNegative ? { from: to, to: from } : { from, to } }
}

type Base = { account: string | null; cells: string[] }
const bases = new WeakMap<CsvTable, Map<string, Base>>()

/** The first row of each event that is on an own account. Throws Unreadable if there is none, or several currencies. */
function basesOf(table: CsvTable, { id, account, currency, own }: Journal): Map<string, Base> {
  const cached = bases.get(table)
  if (cached) return cached
  const found = new Map<string, Base>()
  for (const record of table.body) {
    const name = cleanName(cellUnder(table, record, account))
    const event = cellUnder(table, record, id)
    if (!found.has(event) && own.some((text) => name?.startsWith(text)))
      found.set(event, { account: name, cells: record.cells })
  }
  if (found.size === 0) refuseFile(`No account of the file begins with ${own.join(' or ')}.`)
  const currencies = new Set(table.body.map((record) => cellUnder(table, record, currency)).filter(Boolean))
  if (currencies.size > 1)
    refuseFile(`The file has several currencies: ${[...currencies].slice(0, 10).join(', ')}.`)
  bases.set(table, found)
  return found
}

/** What follows the text in the cell; null if the cell does not begin with it. */
function textBehind(table: CsvTable, row: CsvRow, cell: [header: string, text: string] | undefined) {
  const found = cell && cellUnder(table, row, cell[0])
  return found?.startsWith(cell?.[1] ?? '') ? (cleanName(found.slice(cell?.[1].length)) ?? '') : null
}

function cellUnder({ headers }: CsvTable, { cells }: { cells: string[] }, header: string): string {
  return cells[columnNamed(headers, header) ?? -1]?.trim() ?? ''
}
