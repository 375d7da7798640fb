import type { Minor } from '../../../shared/money.ts'
import { pluralize } from '../../../shared/pluralize.ts'
import { foldHeader, markNames } from '../csv/header-names.ts'
import { type Header, isKnown, isOfCards } from '../csv/headers.ts'
import { isTrade, type Mark, sideOf } from '../csv/mark-words.ts'
import type { CsvRow } from '../csv/rows.ts'
import type { CsvTable } from '../csv/table.ts'
import type { SignConvention } from '../statement.ts'
import { quoted } from '../text.ts'
import type { Aspects } from './aspect.ts'

/** Which way each row went, by the words of one column. `isSure` if its header, or the mapping, says that it holds marks. */
type Marks = { column: number; proof: string; marks: (Mark | null)[]; isSure: boolean }

const definite = new Set(markNames.map((name) => (/[^\0-\x7f]/.test(name) ? foldHeader(name) : name)))
/** True if the header says that its column holds marks. */
export const isMarkHeader = (header: Header | undefined) => definite.has(header?.name ?? '')

/** The most words that are asked about, and the most if none of them is known. */
const [maxAsked, maxUnknown] = [12, 4]

/** The columns that hold marks of debits and credits and nothing else, the surest first. */
export function markColumns(table: CsvTable, rows: CsvRow[], aspects: Aspects): Marks[] {
  const found = table.headers.slice(0, 64).flatMap((header, column): Marks[] => {
    const isType = table.columns.type?.includes(column) ?? false
    const isTold = isType && aspects.told['mapping.type'] !== undefined
    const isSure = isTold || (isType && isMarkHeader(header))
    const wordOf = ({ cells }: CsvRow) => cells[column]?.trim() ?? ''
    const known = new Map<string, Mark | null>()
    for (const row of rows) {
      const word = wordOf(row)
      if (known.has(word)) continue
      const mark = sideOf(word) ?? (isType ? toldMark(word, aspects) : null)
      if (mark === null && word !== '') return []
      known.set(word, mark)
    }
    const marks = rows.map((row) => known.get(wordOf(row)) ?? null)
    const kinds = new Set(known.values())
    const areBoth = kinds.has('debit') && kinds.has('credit')
    if (!(kinds.has('debit') || kinds.has('credit'))) return []
    if (!isSure && header.text !== '' && !isType && (!areBoth || isOfCards(header))) return []
    // Some banks mark only one side; rows without a mark then belong to the other.
    const other: Mark | null = kinds.has('credit') ? (kinds.has('debit') ? null : 'debit') : 'credit'
    const proof = `the marks in column ${headerOf(table, column)}`
    return [{ column, proof, marks: marks.map((mark) => mark ?? other), isSure }]
  })
  return found.sort((a, b) => Number(b.isSure) - Number(a.isSure))
}

/** The header of a column as questions quote it, or its number. */
export const headerOf = ({ headers }: CsvTable, column = -1) =>
  quoted(headers[column]?.text ?? '') || String(column + 1)

/**
 * Asks what the unknown words in the column of kinds mean, and reads on as if they were debits. Null if no column holds
 * kinds. A word such as `Refund` says nothing alone, since it depends on whose account it is, nor does one of two letters.
 */
export function askAboutMarks(
  table: CsvTable,
  rows: CsvRow[],
  directionOf: ((row: CsvRow) => Mark | null) | null,
  aspects: Aspects,
): (Mark | null)[] | null {
  const { type = [], posting_text = [] } = table.columns
  const wordsIn = (column: number) => rows.map(({ cells }) => cells[column]?.trim().slice(0, 100) || 'blank')
  const isOfKinds = (column: number) => {
    const words = new Set(wordsIn(column))
    const areKnown = [...words].some((word) => sideOf(word)) || words.size <= maxUnknown
    return words.size > 1 && words.size <= maxAsked && areKnown
  }
  const column = [...type, ...posting_text].find(isOfKinds) ?? columnOfLetters(table, rows)
  if (column < 0) return null
  const words = wordsIn(column)
  const isOpen = words.every(isTrade) || (words.every(isLetter) && words.some((word) => !sideOf(word)))
  const marks = rows.map((row, i) => {
    const word = words[i] ?? ''
    return directionOf?.(row) ?? (isOpen ? null : sideOf(word)) ?? toldMark(word, aspects)
  })
  const unknown = Map.groupBy(
    rows.filter((_, i) => marks[i] === null),
    ({ cells }) => cells[column]?.trim().slice(0, 100) || 'blank',
  )
  const header = headerOf(table, column)
  for (const [word, all] of unknown)
    aspects.settle(`marks.${word}`, () => ({
      question: `Nothing says whether amounts marked ${quoted(word)} in the column ${header} (${pluralize(all.length, 'row')}, first row ${all[0]?.line}) came in or were spent.`,
      options: [
        { value: 'out', label: `${quoted(word)} was spent` },
        { value: 'in', label: `${quoted(word)} came in` },
      ],
    }))
  return marks.map((mark) => mark ?? 'debit')
}

const isLetter = (word: string) => /^(?:\p{L}|[^\0-\x7f]{2})$/u.test(word)

/** The column under an unknown header that holds one of two letters in every row; -1 if there is none. */
function columnOfLetters({ headers }: CsvTable, rows: CsvRow[]): number {
  return headers.slice(0, 64).findIndex((header, column) => {
    const words = new Set(rows.map(({ cells }) => cells[column]?.trim() ?? ''))
    return !isKnown(header) && words.size === 2 && [...words].every(isLetter)
  })
}

/**
 * The convention of signed amounts that the kinds of rows agree with in both directions, or in one if these are surely marks;
 * null if none does.
 */
export function signsByKinds(
  kinds: (Mark | null)[],
  amounts: Minor[],
  isSure = false,
): SignConvention | null {
  const rows = kinds.flatMap((kind, i) => (kind && amounts[i] ? [{ kind, amount: amounts[i] }] : []))
  const areBoth = new Set(rows.map(({ kind }) => kind)).size > 1
  const agrees = rows.map(({ kind, amount }) => (kind === 'debit') === amount < 0)
  if (agrees.every(Boolean)) return areBoth || isSure ? 'as_written' : null
  return areBoth && !agrees.some(Boolean) ? 'inverted' : null
}

/** True if kinds prove signs the other way: purchases and refunds do so only for a buyer, who makes payments too. */
export function areOfBuyer(words: string[], amounts: Minor[]): boolean {
  return words.some((word, i) =>
    sideOf(word) === null ? payment.test(foldHeader(word)) && (amounts[i] ?? 0) < 0 : !isTrade(word),
  )
}

const payment = /payment|paiement|zahlung|pago|pagamento|betaling|betalning|platnosc|wplata/

function toldMark(word: string, aspects: Aspects): Mark | null {
  const field = `marks.${word.slice(0, 100)}`
  const { value, proof = '' } = aspects.answer(field) ?? {}
  if (value !== 'in' && value !== 'out') return null
  aspects.record(field, value, proof)
  return value === 'in' ? 'credit' : 'debit'
}
