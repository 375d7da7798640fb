import type { Minor } from '../../../src/domain/money.ts'
import { pluralize } from '../../../src/domain/pluralize.ts'
import { type Aspects, directionChoices } from '../../shared/aspect.ts'
import type { SignConvention } from '../../shared/options.ts'
import { quoted } from '../../shared/text.ts'
import { refuseFile } from '../../shared/unreadable.ts'
import { foldHeader } from '../text/fold-header.ts'
import { isKnown, isMarkHeader, isOfCards, maxColumns, sidesOf } from '../text/headers.ts'
import { isTrade, type Mark, sideOf } from '../text/mark-words.ts'
import type { CsvRow } from '../text/row.ts'
import type { CsvTable } from '../text/table.ts'

/**
 * Which way each row went, by the words of one column. `isSure` if its header, or the mapping, says that it holds marks.
 */
type Marks = {
  column: number
  proof: string
  marks: (Mark | null)[]
  words: Map<string, Mark | null>
  isSure: boolean
}

/** The most words that are asked about, and the most if none of them is known. */
const [maxAsked, maxUnknown] = [12, 4]

/**
 * The columns that hold marks of debits and credits and nothing else, the surest first. One mark alone, such as `D` or `C`, may
 * be a word for something else, unless the header names both or it has been told.
 */
export function markColumns(table: CsvTable, rows: CsvRow[], aspects: Aspects): Marks[] {
  const text = onlyText(table)
  const found = table.headers.slice(0, maxColumns).flatMap((header, column): Marks[] => {
    if (column === text) return []
    const isType = table.columns.type?.includes(column) ?? false
    const sides = sidesOf(header)
    const isTold = isType && aspects.told['mapping.type'] !== undefined
    const isSure = isTold || sides !== null || (isType && isMarkHeader(header))
    const words = new Map<string, Mark | null>()
    const shown = new Map<string, Mark | null>()
    for (const { cells } of rows) {
      const word = cells[column]?.trim() ?? ''
      if (words.has(word)) continue
      shown.set(word, sides?.get(word.toLowerCase()) ?? sideOf(word))
      const mark = (isSure || isType ? toldMark(word, aspects) : null) ?? shown.get(word) ?? null
      if (mark === null && word !== '') return []
      words.set(word, mark)
    }
    const areBoth =
      sides !== null ||
      (isType && ['debit', 'credit'].every((one) => [...shown.values()].includes(one as Mark)))
    if (areBoth) refuseToldMarks(column, shown, rows, aspects)
    const [one, another] = new Set([...words.values()].filter((mark) => mark !== null))
    if (!one) return []
    if (!isSure && header.text !== '' && !isType && (!another || isOfCards(header))) return []
    const areTold = [...words.keys()].every((word) => aspects.answer(`marks.${word}`))
    if (!another && !words.has('') && !sides && !areTold) return []
    // Some banks mark only one side; rows without a mark then belong to the other.
    const other: Mark | null = another ? null : one === 'credit' ? 'debit' : 'credit'
    const marks = rows.map(({ cells }) => words.get(cells[column]?.trim() ?? '') ?? other)
    return [{ column, proof: `the marks in column ${headerOf(table, column)}`, marks, words, isSure }]
  })
  return found.sort((a, b) => Number(b.isSure) - Number(a.isSure))
}

/** The error for an answer about a mark that a row contradicts. */
export const againstMark = (line: number, word: string, answer: string, cameIn: boolean) =>
  `The amount in row ${line} is marked ${quoted(word)} and ${cameIn ? 'came in' : 'was spent'}, which contradicts marks.${word}=${answer}.`

/** Refuses an answer about a word whose column shows both directions, this one in the other. */
function refuseToldMarks(
  column: number,
  shown: Map<string, Mark | null>,
  rows: CsvRow[],
  { told }: Aspects,
): void {
  for (const [word, mark] of shown) {
    const answer = told[`marks.${word}`]
    if (!mark || isTrade(word) || answer === undefined || answer === (mark === 'credit' ? 'in' : 'out'))
      continue
    const row = rows.find(({ cells }) => cells[column]?.trim() === word)
    refuseFile(againstMark(row?.line ?? 0, word, answer, mark === 'credit'), 'marks')
  }
}

/** The only column whose header says that it describes the rows; -1 if there are none or several. */
function onlyText({ headers, columns: { description = [], payee = [] } }: CsvTable): number {
  const [column = -1, ...others] = new Set([...description, ...payee])
  return others.length === 0 && isKnown(headers[column]) ? column : -1
}

/** Records what marks mean, so that a later file which has only one of them needs no question. */
export function recordMarks(words: Map<string, Mark | null>, proof: string, aspects: Aspects): void {
  if (words.size > maxUnknown) return
  for (const [word, mark] of words)
    if (mark && !aspects.answer(`marks.${word}`))
      aspects.record(`marks.${word}`, mark === 'credit' ? 'in' : 'out', proof)
}

/** The only word in the column of kinds, if that holds marks. */
export function loneMark({ columns }: CsvTable, rows: CsvRow[]): string | null {
  const [column = -1] = columns.type ?? []
  const [word = '', ...others] = new Set(rows.map(({ cells }) => cells[column]?.trim() ?? ''))
  return others.length === 0 && sideOf(word) ? word : null
}

/** The header of a column as questions quote it, or its number. */
export const headerOf = ({ headers }: CsvTable, column = -1) =>
  quoted(headers[column]?.text ?? '') || String(column + 1)

/**
 * Asks what the unknown words in the column of kinds mean, and reads on as if they were debits. Null if no column holds
 * kinds, nor one of two letters under an unknown header. A word such as `Refund` says nothing alone, since it depends on
 * whose account it is, and neither does one known letter of two.
 */
export function askAboutMarks(
  table: CsvTable,
  rows: CsvRow[],
  directionOf: ((row: CsvRow) => Mark | null) | null,
  aspects: Aspects,
): (Mark | null)[] | null {
  const { type = [], posting_text = [] } = table.columns
  const wordAt = ({ cells }: CsvRow, column: number) => cells[column]?.trim().slice(0, 100) || 'blank'
  const text = onlyText(table)
  const kinds = [...type, ...posting_text].filter((column) => column !== text)
  const used = Object.values(table.columns).flat()
  const unnamed = table.headers
    .slice(0, maxColumns)
    .flatMap((header, column) => (isKnown(header) || used.includes(column) ? [] : [column]))
  const column = [...kinds, ...unnamed].find((column) => {
    const words = [...new Set(rows.map((row) => wordAt(row, column)))]
    if (words.length > maxAsked) return false
    if (words.every((word) => aspects.answer(`marks.${word}`))) return true
    const areKinds = words.length <= maxUnknown || words.some((word) => sideOf(word))
    return kinds.includes(column) ? areKinds && words.length > 1 : words.length === 2 && words.every(isLetter)
  })
  if (column === undefined) return null
  const words = [...new Set(rows.map((row) => wordAt(row, column)))]
  const isTold = (word: string) => aspects.answer(`marks.${word}`) !== null
  const areLetters = words.every(isLetter) && words.some((word) => !sideOf(word) || isTold(word))
  const marks = rows.map((row) => {
    const word = wordAt(row, column)
    return (
      toldMark(word, aspects) ?? directionOf?.(row) ?? (areLetters || isTrade(word) ? null : sideOf(word))
    )
  })
  const unknown = Map.groupBy(
    rows.filter((_, i) => marks[i] === null),
    (row) => wordAt(row, column),
  )
  const header = headerOf(table, column)
  for (const [word, all] of unknown)
    aspects.settle(`marks.${word}`, () => ({
      question: `Nothing says whether amounts marked ${quoted(word)} in the column ${header} (${pluralize(all.length, 'row')}, first row ${all[0]?.line}) came in or were spent.`,
      options: directionChoices(quoted(word)),
    }))
  return marks.map((mark) => mark ?? 'debit')
}

const isLetter = (word: string) => /^(?:\p{L}|[^\0-\x7f]{2})$/u.test(word)

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
