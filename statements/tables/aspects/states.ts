import { pluralize } from '../../../src/domain/pluralize.ts'
import type { Aspects, Proved } from '../../shared/aspect.ts'
import type { Reason } from '../../shared/statement.ts'
import { quoted } from '../../shared/text.ts'
import { hundredthsIn } from '../text/contents.ts'
import { isOtherDate, maxColumns } from '../text/headers.ts'
import { amountFields, type CsvRow, cellOf } from '../text/row.ts'
import {
  bookedWords,
  declinedWords,
  foldState,
  isSkippedState,
  isYes,
  maxStates,
  movingImpact,
  neutralMark,
  pendingWords,
  undoneWords,
} from '../text/state-words.ts'
import type { CsvTable } from '../text/table.ts'
import { follows } from './balances.ts'
import { statedBalances } from './stated-balances.ts'

/** A row that did not move money, and why. */
export type Skipped = { row: CsvRow; reason: Reason }

/** The rows of a table that moved money, and the others. */
export type Found = { booked: CsvRow[]; skipped: Skipped[] }

/**
 * Which rows moved money, by a column of states or of the impact on the balance: an unknown word in it is asked about.
 * Other rows are `skipped`, along with those whose date says that they are pending.
 */
export function settleStates(table: CsvTable, all: CsvRow[], aside: CsvRow[], aspects: Aspects): Found {
  const balances = statedBalances(table, all, aside)
  const rows = all.filter((row) => !balances.has(row))
  const byColumn = rows.map((row) => stateOf(table, row))
  const elsewhere = statesElsewhere(table, rows)
  for (const [i, word] of elsewhere) byColumn[i] ||= word
  const words = Map.groupBy(rows, (_, i) => byColumn[i] ?? '')
  const isColumn = words.size <= maxStates
  const isFromElsewhere = (word: string) => [...elsewhere.values()].includes(word)
  const isBooked = (word: string) =>
    isColumn
      ? settleWord(word, words, aspects, Boolean(table.columns.status), isFromElsewhere(word))
      : !isSkipped(word)
  const moved = new Map([...words.keys()].map((word) => [word, isBooked(word)]))
  const found: Found = {
    booked: [],
    skipped: [...balances].map((row) => ({ row, reason: 'balance' as const })),
  }
  for (const [i, row] of rows.entries()) {
    const isPending = row.date.written === null && isSkipped(row.date.text)
    const marked = isPending ? null : withMark(table, row)
    const word = byColumn[i] ?? ''
    if (marked && moved.get(word)) found.booked.push(marked)
    else
      found.skipped.push({
        row,
        reason: isPending ? 'pending' : marked ? reasonOf(word, aspects) : 'no_movement',
      })
  }
  const { impact, status } = table.columns
  const [column] = impact ?? status ?? []
  const isAsked = aspects.questions.some(({ field }) => field.startsWith('states.'))
  if (column !== undefined && isColumn && !isAsked)
    aspects.record('states', table.headers[column]?.text ?? '', 'all words in the column are known')
  const { booked, skipped } = withoutUndated(found, undatedRows(table, found.booked), aspects)
  const unmoved = unmovedRows(booked)
  return {
    booked: booked.filter((row) => !unmoved.has(row)),
    skipped: [...skipped, ...[...unmoved].map((row) => ({ row, reason: 'no_movement' as const }))],
  }
}

/** Asks whether rows without a booking date moved money, and skips them if not. */
function withoutUndated({ booked, skipped }: Found, rows: Set<CsvRow>, aspects: Aspects): Found {
  const [first] = rows
  if (!first) return { booked, skipped }
  const value = aspects.settle('states.no booking date', () => ({
    question: `The booking date is blank in ${pluralize(rows.size, 'row')} with an amount, such as row ${first.line}, which may be pending.`,
    options: moving(rows.size).toReversed(),
  }))
  if (value !== 'skipped') return { booked, skipped }
  return {
    booked: booked.filter((row) => !rows.has(row)),
    skipped: [...skipped, ...[...rows].map((row) => ({ row, reason: 'told' as const }))],
  }
}

/** Rows with another date than that of booking, where other rows have one and no column has states. */
function undatedRows(table: CsvTable, rows: CsvRow[]): Set<CsvRow> {
  const undated = rows.filter((row) => cellOf(table, row, 'date') === '' && row.date.text !== '')
  const isOther = isOtherDate(table.headers[table.columns.date?.[0] ?? -1])
  return new Set(table.columns.status || isOther || undated.length === rows.length ? [] : undated)
}

/** Rows with an amount and the balance of the row before, if they are the fewer and the balances follow from the others. */
function unmovedRows(rows: CsvRow[]): Set<CsvRow> {
  const values = rows.map(statedIn).filter(({ amount }) => amount !== 0)
  for (const ordered of [values, values.toReversed()]) {
    const isUnmoved = ({ balance }: Stated, i: number) =>
      balance !== null && balance === ordered[i - 1]?.balance
    const unmoved = ordered.filter(isUnmoved)
    const others = ordered.filter((one, i) => !isUnmoved(one, i))
    if (unmoved.length < others.length && others.every((one, i) => i === 0 || follows(others[i - 1], one)))
      return new Set(unmoved.map(({ row }) => row))
  }
  return new Set()
}

/** What a row says of its amount, signed where the file signs it, its fee and its balance, in hundredths. */
type Stated = { row: CsvRow; balance: number | null; amount: number; fee: number }

function statedIn(row: CsvRow): Stated {
  const [debit, credit] = [hundredthsIn(row.debit), hundredthsIn(row.credit)]
  return {
    row,
    balance: row.balance.written && hundredthsIn(row.balance),
    amount: hundredthsIn(row.amount) || credit - Math.abs(debit),
    fee: hundredthsIn(row.fee),
  }
}

/**
 * Whether rows in a state moved money: they did if the balances follow with them, and did not if they follow only without
 * them. Those that were refunded or cancelled did if each has a row that brings it back. Null if nothing shows it.
 */
function outcomeOf(
  some: CsvRow[],
  others: CsvRow[],
  areUndone: boolean,
): Proved<'booked' | 'skipped'> | null {
  const rest = others.map(statedIn)
  const gone = some.map(statedIn)
  const all = [...rest, ...gone].sort((a, b) => a.row.line - b.row.line)
  const isRunning = (rows: Stated[]) =>
    rows.length > 1 &&
    [rows, rows.toReversed()].some((ordered) =>
      ordered.every((one, i) => one.balance !== null && (i === 0 || follows(ordered[i - 1], one))),
    )
  const line = some[0]?.line
  if (isRunning(all)) return { value: 'booked', proof: 'the balances follow with these rows', line }
  if ((areUndone || rest.length > minRunning) && isRunning(rest))
    return { value: 'skipped', proof: 'the balances follow without these rows', line }
  const amounts = new Set(rest.map(({ amount }) => amount))
  const isBroughtBack = ({ amount }: Stated) => amount !== 0 && amounts.has(-amount)
  return areUndone && gone.every(isBroughtBack)
    ? { value: 'booked', proof: 'other rows bring these back', yields: true }
    : null
}

/** Fewer balances may follow by chance. */
const minRunning = 2

/** Whether some rows moved money. */
export const moving = (times: number) => [
  { value: 'booked', label: `${times === 1 ? 'The row' : `The ${times} rows`} moved money.` },
  { value: 'skipped', label: 'They moved none: they are pending, declined or informational.' },
]

/** Why rows with a word in the column of states, or with none, were skipped. */
function reasonOf(word: string, aspects: Aspects): Reason {
  const field = `states.${word || 'blank'}`
  if (aspects.answer(field)) return 'told'
  if (pendingWords.test(foldState(word))) return 'pending'
  if (declinedWords.test(foldState(word))) return 'declined'
  return word === 'skipped' || aspects.settled[field] ? 'no_movement' : 'not_booked'
}

const isSkipped = (word: string) => isSkippedState(foldState(word))

/** The word in the column of states. An impact needs no other state; without one, nothing moved. */
function stateOf(table: CsvTable, row: CsvRow): string {
  const word = row.pendingTitle || row.balanceWord
  if (word !== '') return word
  const status = cellOf(table, row, 'status').slice(0, 100)
  const header = table.headers[table.columns.status?.[0] ?? -1]?.name ?? ''
  if (!table.columns.impact) return isYes(foldState(status), header) ? 'booked' : status
  return movingImpact.test(foldState(cellOf(table, row, 'impact'))) ? 'booked' : 'skipped'
}

/**
 * True if rows with this word moved money. Where others are all pending, say, a blank cell means that a row is not. Balances
 * that follow with pending rows say more than the word.
 */
function settleWord(
  word: string,
  words: Map<string, CsvRow[]>,
  aspects: Aspects,
  hasColumn: boolean,
  isFromElsewhere: boolean,
): boolean {
  const others = [...words.keys()].filter((other) => other !== '')
  const isBlankBooked = word === '' && (!hasColumn || others.every(isSkipped))
  const isKnownSkipped = isSkipped(word) || word === 'skipped'
  const isKnown = isKnownSkipped || isBlankBooked || bookedWords.test(foldState(word))
  const field = `states.${word || 'blank'}`
  const isOpen = !isKnown || isFromElsewhere || aspects.told[field] !== undefined
  if (!isOpen && !isKnownSkipped) return true
  const rows = words.get(word) ?? []
  const isBookedWord = (other: string) => bookedWords.test(foldState(other)) || other === ''
  const booked = [...words].flatMap(([other, some]) => (isBookedWord(other) ? some : []))
  const shown = outcomeOf(rows, booked, undoneWords.test(foldState(word)))
  if (!isOpen) return shown?.value === 'booked'
  const list = [...words].map(([one, all]) => `${quoted(one) || '(blank)'}: ${pluralize(all.length, 'row')}`)
  const open = {
    question: `Nothing says whether rows in the state ${quoted(word) || '(blank)'} moved money (${list.join(', ')}).`,
    options: moving(rows.length),
  }
  return aspects.settle(field, () => shown ?? open) !== 'skipped'
}

/** Words of states that some rows have as a whole cell, by the place of the row, where no column has states. */
function statesElsewhere({ columns, headers, dateColumns }: CsvTable, rows: CsvRow[]): Map<number, string> {
  if (columns.status ?? columns.impact) return new Map()
  const valued = [
    ...dateColumns,
    ...amountFields.flatMap((field) => columns[field] ?? []),
    ...(columns.type ?? []),
  ]
  const isState = (cell: string, column: number) =>
    cell.length <= maxStateLength &&
    /\p{L}{4}/u.test(cell) &&
    !valued.includes(column) &&
    isSkipped(cell.trim())
  const found = rows.flatMap(({ cells }, i) => {
    const word = cells.slice(0, Math.min(maxColumns, headers.length)).find(isState)?.trim()
    return word ? [[i, word] as const] : []
  })
  return new Map(found)
}

const maxStateLength = 30

/** Under 收/支, neutral rows move money between pots, except for refunds, which came in. Null if nothing moved. */
function withMark(table: CsvTable, row: CsvRow): CsvRow | null {
  const [column = -1] = table.columns.type ?? []
  const isNeutral = table.headers[column]?.name === '收支' && neutralMark.test(cellOf(table, row, 'type'))
  if (!isNeutral) return row
  return row.cells.join().includes('退款成功') ? { ...row, cells: row.cells.with(column, '+') } : null
}
