import { type Minor, negated } from '../../../src/domain/money.ts'
import { type Aspects, asTold, refuseAnswer } from '../../shared/aspect.ts'
import { signsByKnownRows } from '../../shared/known.ts'
import type { CsvField } from '../text/header-names.ts'
import { columnsNamed } from '../text/headers.ts'
import { isTrade, type Mark, sideOf } from '../text/mark-words.ts'
import type { CsvRow } from '../text/row.ts'
import type { CsvTable } from '../text/table.ts'
import { provedByKind } from './account-kind.ts'
import { areMixed } from './balances.ts'
import { type Direction, directionOf, provedByBalances } from './direction.ts'
import type { Entry } from './entry.ts'
import { areOfBuyer, askAboutMarks, headerOf, markColumns, recordMarks, signsByKinds } from './marks.ts'
import { isByMark, mixedMarks, signedByMarks, withMarkOptions } from './reversals.ts'
import { type Asked, type Proof, question } from './sign-questions.ts'
import { unsigned } from './unsigned.ts'

/*
 * What evidence proves of the direction of amounts: the first kind that a file has decides. Where two contradict each other,
 * or none proves it, the person is asked. An answer comes before all of them but types.
 *
 * | evidence                                                 | proves                           | does not prove                     |
 * |----------------------------------------------------------|----------------------------------|------------------------------------|
 * | two columns, debits and credits, with known headers      | each row                         | a column that has both signs       |
 * | the types of all rows, in a table of one's own           | each row                         | rows whose sign contradicts theirs |
 * | marks known in both directions, or a header of both      | each row, or what the signs mean | one mark alone, sales and refunds  |
 * | a published layout, the documented columns               | what the signs mean              | the files of another product       |
 * | three recorded rows of the same day and amount, or more  | what the signs mean              | anything, unless all agree         |
 * | an earlier import of the account, or its known balance   | what the balances mean           | the oldest amount without a sign   |
 * | balances that follow                                     | that amounts agree with them     | that more is better (direction.ts) |
 * | the kind of the account, current or savings              | that a minus was spent           | a file that speaks of a debt       |
 * | a minus sign                                             | nothing                          | cards write it both ways           |
 */

/** Other evidence of the direction of amounts. */
type Evidence = {
  /** Debits are negative, since two columns tell them from credits; `by balances` if nothing else says which is which. */
  sides: 'none' | 'named' | 'by balances'
  /** Balances of lines that are not entries. */
  openings: Minor[]
  /** The proof of this kind of file: the documented convention, or the types of all rows. */
  own: Proof | null
  /** The direction that the type of a row gives it, whatever its sign; null if types give none. */
  directionOf: ((row: CsvRow) => Mark | null) | null
}

/** The entries of each account with negative amounts for what was spent. */
export function settleSigns(
  table: CsvTable,
  groups: Entry[][],
  evidence: Evidence,
  aspects: Aspects,
): Entry[][] {
  const hasMinus = isSigned(groups)
  if (evidence.sides !== 'none') return settleSides(table, groups, evidence, aspects)
  const typed = evidence.directionOf && byTypes(groups.flat(), evidence.directionOf, aspects.told.signs)
  if (typed) return directed(table, groups, typed, aspects)
  const marked = hasMinus ? null : byMarks(table, groups.flat(), evidence.directionOf, aspects)
  if (marked) return directed(table, groups, marked, aspects)
  if (!hasMinus && !table.layout?.signs) return unsigned(table, groups, evidence, aspects)
  const marks = mixedMarks(table, groups.flat(), aspects)
  const convention = aspects.settle('signs', () => {
    const byKind = () => (marks ? null : provedByKind(table, groups, aspects))
    const found = signedAspect(table, groups, { ...evidence, byKind }, aspects)
    return marks ? withMarkOptions(found) : { ...found, line: firstMoved(groups) }
  })
  return marks && isByMark(convention)
    ? signedByMarks(groups, marks, convention)
    : applied(groups, convention)
}

const isSigned = (groups: Entry[][]) => groups.flat().some(({ amount }) => amount < 0)

/** The line of the first row that moved money. */
const firstMoved = (groups: Entry[][]): number | undefined =>
  groups.flat().find(({ amount }) => amount !== 0)?.row.line

function applied(groups: Entry[][], convention: string): Entry[][] {
  if (!convention.startsWith('inverted')) return groups
  return groups.map((group) => group.map((entry) => ({ ...entry, amount: negated(entry.amount) })))
}

/** The amounts of two columns. Columns that balances alone tell apart are those of a debt if these are what is owed. */
function settleSides(table: CsvTable, groups: Entry[][], { sides }: Evidence, aspects: Aspects): Entry[][] {
  // Columns that have both signs have been asked about.
  if (aspects.settled.signs || aspects.isAsked('signs')) return groups
  refuseMappedSides(table, groups, aspects)
  if (sides === 'by balances') {
    const directions = groups.flatMap((group) => directionOf(table, group) ?? [])
    const byKind = () => provedByKind(table, groups, aspects)
    const settle = () => ({
      ...provedByBalances(groups, directions, byKind, aspects),
      line: firstMoved(groups),
    })
    return applied(groups, aspects.settle('signs', settle))
  }
  const { signs } = aspects.told
  const proof = 'debits and credits have columns of their own'
  if (signs?.startsWith('inverted')) refuseAnswer('signs', signs, { proof, line: firstMoved(groups) })
  if (signs && !isByMark(signs)) aspects.record('signs', signs, asTold, { once: true })
  else aspects.record('signs', 'by_column', proof)
  return groups
}

/**
 * Refuses a mapping of debits or credits that other evidence contradicts: headers and balances for two columns, for one all
 * that shows what its signs mean.
 */
function refuseMappedSides(table: CsvTable, groups: Entry[][], aspects: Aspects): void {
  const fields = (['debit', 'credit'] as const).filter((field) => aspects.told[`mapping.${field}`]?.trim())
  const [field, other] = fields
  if (!field) return
  const name = `mapping.${field}`
  const refuse = (proof: string, line = firstMoved(groups)) =>
    refuseAnswer(name, aspects.told[name] ?? '', { proof, line })
  if (other) {
    const isNamed = (one: 'debit' | 'credit', side: CsvField) =>
      columnsNamed(table.headers, side).includes(table.columns[one]?.[0] ?? -1)
    if (isNamed('debit', 'credit') && isNamed('credit', 'debit')) refuse('the headers say the opposite')
    const isAgainst = (found: Direction | null) => found?.value === 'inverted' && !found.doubt
    if (groups.some((group) => isAgainst(directionOf(table, group)))) refuse('the balances follow')
    return
  }
  const written = field === 'debit' ? applied(groups, 'inverted') : groups
  const rows = groups.flat().map(({ row }) => row)
  const marked = isSigned(written) ? null : sureMarks(table, rows, aspects)
  const against = marked?.marks.findIndex((mark) => mark && mark !== field) ?? -1
  if (marked && against >= 0) refuse(marked.proof, rows[against]?.line)
  const found = signedAspect(table, written, { own: null, byKind: () => null }, aspects)
  const isAgainst = 'value' in found && (found.value === 'inverted') !== (field === 'debit')
  if (isAgainst && !found.yields) refuse(found.proof)
}

/** Which way each row went, and what shows it; without a proof, that has been asked. */
type Directions = { value: string; proof: string | null; marks: (Mark | null)[] }

/** The amounts with these directions, unless the balances contradict them. */
function directed(
  table: CsvTable,
  groups: Entry[][],
  { value, proof, marks }: Directions,
  aspects: Aspects,
): Entry[][] {
  const directions = new Map(groups.flat().map((entry, i) => [entry, marks[i]]))
  const signed = groups.map((group) =>
    group.map((entry) => {
      const amount = Math.abs(entry.amount) as Minor
      return { ...entry, amount: directions.get(entry) === 'debit' ? negated(amount) : amount }
    }),
  )
  const isAgainst = (direction: Direction | null) => direction?.value === 'inverted' && !direction.doubt
  const contradicts = signed.some((group) => areMixed(group) || isAgainst(directionOf(table, group)))
  const answer = aspects.told.signs
  if (
    proof &&
    !contradicts &&
    answer?.startsWith('inverted') &&
    !groups.flat().some(({ amount }) => amount < 0)
  )
    refuseAnswer('signs', answer, { proof, line: firstMoved(groups) })
  // Types say more than an option, as long as nothing contradicts them.
  const told = value === 'by_mark' || contradicts ? aspects.told.signs : undefined
  if (told) aspects.record('signs', told, asTold, { once: true })
  else if (contradicts)
    aspects.settle('signs', () =>
      question(`The balances in the file contradict ${proof ?? 'its marks'}.`, groups.flat()),
    )
  else if (proof) aspects.record('signs', value, proof, { once: true })
  return applied(signed, told ?? 'as_written')
}

/** The directions that the types of all rows give them; null if a row has none, or its sign contradicts it. */
function byTypes(
  entries: Entry[],
  directionOf: (row: CsvRow) => Mark | null,
  told: string | undefined,
): Directions | null {
  const marks = entries.map(({ row }) => directionOf(row))
  const amounts = entries.map(({ amount }) => amount)
  if (entries.length === 0 || marks.includes(null)) return null
  const areInverted = signsByKinds(marks, amounts) === 'inverted'
  if (!areInverted && amounts.some((amount, i) => marks[i] === 'credit' && amount < 0)) return null
  const isSigned = amounts.some((amount) => amount < 0)
  if (told && isSigned && (told === 'inverted') !== areInverted) return null
  return { value: 'by_type', proof: 'the types of all rows', marks }
}

/** The marks of a column that are not all words of trade, such as `Purchase`. */
const sureMarks = (table: CsvTable, rows: CsvRow[], aspects: Aspects) =>
  markColumns(table, rows, aspects).find(({ column }) =>
    rows.some(({ cells }) => !isTrade(cells[column] ?? '')),
  )

/** The directions that a column of marks gives positive amounts, or marks such as `12.50 CR` beside the amounts. */
function byMarks(
  table: CsvTable,
  entries: Entry[],
  directionOf: Evidence['directionOf'],
  aspects: Aspects,
): Directions | null {
  const rows = entries.map(({ row }) => row)
  const sure = sureMarks(table, rows, aspects)
  if (sure) {
    recordMarks(sure.words, sure.proof, aspects)
    return { value: 'by_mark', ...sure }
  }
  const beside = rows.map(({ amount }): Mark => (amount.written?.positive === 'mark' ? 'credit' : 'debit'))
  // One mark beside all amounts may be a word for something else.
  if (new Set(beside).size > 1) return { value: 'by_mark', proof: 'the marks beside amounts', marks: beside }
  if (entries.some(({ balance }) => balance !== null)) return null
  const marks = askAboutMarks(table, rows, directionOf, aspects)
  return marks && { value: 'by_mark', proof: null, marks }
}

/** Everything that shows what a minus sign means, which is nothing by itself: cards write it both ways. */
function signedAspect(
  table: CsvTable,
  groups: Entry[][],
  { own, byKind }: Pick<Evidence, 'own'> & { byKind: () => string | null },
  aspects: Aspects,
): Proof | Asked {
  const entries = groups.flat()
  const rows = entries.map(({ row }) => row)
  const amounts = entries.map(({ amount }) => amount)
  const wordsIn = (column: number) => rows.map(({ cells }) => cells[column] ?? '')
  const provedBy = (kinds: (Mark | null)[], column: number, isSure = false) => {
    const value = signsByKinds(kinds, amounts, isSure)
    return value === 'inverted' && !areOfBuyer(wordsIn(column), amounts) ? null : value
  }
  const marks = markColumns(table, rows, aspects).map(({ column, marks, isSure, proof }) => ({
    value: provedBy(marks, column, isSure),
    proof,
    isSure,
  }))
  const refuted = marks.find(({ value, isSure }) => isSure && !value)
  if (refuted) return question(`The signs of amounts contradict ${refuted.proof}.`, entries)
  const kinds = [...(table.columns.type ?? []), ...(table.columns.posting_text ?? [])].map((column) => ({
    value: provedBy(wordsIn(column).map(sideOf), column),
    proof: `the kinds in column ${headerOf(table, column)}`,
  }))
  const areMarked = rows.some(({ amount }) => amount.written?.positive === 'mark')
  const beside = { value: areMarked ? ('as_written' as const) : null, proof: 'the marks beside amounts' }
  const layout = { value: table.layout?.signs ?? null, proof: `the layout of ${table.layout?.name}` }
  const directions = groups.flatMap((group) => directionOf(table, group) ?? [])
  const balanced = directions
    .filter(({ doubt }) => doubt === null)
    .map(({ value }) => ({ value, proof: 'the balances follow' }))
  const others = [...marks, ...kinds, beside, layout, own, signsByKnownRows(entries, aspects)]
  const proofs = others.filter((one): one is Proof => Boolean(one?.value))
  const [first, ...rest] = [...balanced, ...proofs]
  const against = rest.find(({ value }) => value !== first?.value)
  if (first && against && proofs.length > 0)
    return question(`${sentence(first.proof)} and ${against.proof} contradict each other.`, entries)
  return first && proofs.length > 0 ? first : provedByBalances(groups, directions, byKind, aspects)
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
