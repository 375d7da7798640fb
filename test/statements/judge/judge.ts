import type { FileQuestion } from '../../../src/domain/file-questions.ts'
import type { Case, ExpectedAccount, ExpectedRow } from './cases.ts'
import { type Answers, type Reading, type Row, readFile } from './reader.ts'

/**
 * What a file comes to, once a person has truthfully answered what it asks.
 * - exact: right without a question, or after questions that only a person can answer (asked)
 * - needless: right, but after a question that the file answers
 * - unasked: right, but by luck: only a person can know
 * - silently wrong: wrong rows, and nothing was asked
 * - wrong: wrong rows, although the true option was chosen in each question
 * - text lost: days and amounts are right, but a description lacks words
 * - not offered: wrong, and one of the questions lacks the true option
 */
export type Verdict =
  | 'exact'
  | 'asked'
  | 'needless'
  | 'unasked'
  | 'refused rightly'
  | 'refused wrongly'
  | 'silently wrong'
  | 'text lost'
  | 'wrong'
  | 'not offered'

export type Outcome = {
  verdict: Verdict
  /** The fields that were asked for, in the order of the rounds. */
  asked: string[]
  /** Those without the choice of one of several accounts, which a file that names them cannot settle. */
  doubts: string[]
  /** How many sheets of questions there were. */
  rounds: number
  /** The answers that were given, and the reading with them. */
  answers: Answers
  reading: Reading
  text: string
}

/** The verdicts that a person can live with. */
export const goodVerdicts: readonly Verdict[] = ['exact', 'asked', 'refused rightly']

/** Reads a file, answers what it asks as its case says, and compares the rows with what is right. */
export function outcomeOf(one: Case): Outcome {
  const remembered = one.remembered ?? (one.after && outcomeOf(one.after).reading.remembered)
  const next = remembered ? { ...one, remembered } : one
  const outcomes = one.accounts.map((account) => judged(next, account))
  const bad = outcomes.find(({ verdict }) => !goodVerdicts.includes(verdict))
  return bad ?? outcomes.find(({ asked }) => asked.length > 0) ?? (outcomes[0] as Outcome)
}

type Found = Omit<Outcome, 'verdict'> & {
  result: 'exact' | 'wrong' | 'text lost' | 'refused'
  lacks: string | null
}

/** How many readings the search for the true answers may take. */
const maxReadings = 80
const maxRounds = 6

function judged(one: Case, account: ExpectedAccount): Outcome {
  const told = account.select ? { ...one.told, statement_account: account.select } : one.told
  const budget = { left: maxReadings }
  const { result, lacks, ...found } = search(one, account, told, { asked: [], doubts: [], rounds: 0 }, budget)
  return { ...found, verdict: verdictOf(one, result, lacks, found) }
}

function verdictOf(
  one: Case,
  result: Found['result'],
  lacks: string | null,
  { asked, doubts }: Pick<Found, 'asked' | 'doubts'>,
): Verdict {
  if (result === 'refused') return one.isRefused ? 'refused rightly' : 'refused wrongly'
  if (result === 'text lost') return result
  if (result === 'wrong') return lacks ? 'not offered' : doubts.length === 0 ? 'silently wrong' : 'wrong'
  const alternatives = one.asks?.map((field) => field.split('|'))
  if (!alternatives) return doubts.length > 0 ? 'asked' : 'exact'
  if (alternatives.some((fields) => !fields.some((field) => asked.includes(field)))) return 'unasked'
  const known = [...alternatives.flat(), ...one.mayAsk]
  const isKnown = (field: string) =>
    known.some((one) => one === field || (one.endsWith('*') && field.startsWith(one.slice(0, -1))))
  return !doubts.every(isKnown) ? 'needless' : doubts.length > 0 ? 'asked' : 'exact'
}

/** Reads with the answers so far, and tries the true options of each question until the rows are right. */
function search(
  one: Case,
  account: ExpectedAccount,
  answers: Answers,
  before: Pick<Found, 'asked' | 'doubts' | 'rounds'>,
  budget: { left: number },
): Found {
  budget.left -= 1
  const { bytes, kind, remembered, known } = one
  const reading = readFile(bytes, {
    kind,
    answers,
    ...(remembered && { remembered }),
    ...(known && { known }),
  })
  const found = { ...before, answers, reading, lacks: null }
  if (reading.questions.length === 0) {
    if (reading.problems.length > 0)
      return { ...found, result: 'refused', text: JSON.stringify(reading.problems).slice(0, 300) }
    const text = differenceOf(reading.rows, account.rows)
    const areRight = text === '' || differenceOf(reading.rows, account.rows, false) === ''
    return { ...found, result: text === '' ? 'exact' : areRight ? 'text lost' : 'wrong', text }
  }
  if (before.rounds === maxRounds) return { ...found, result: 'refused', text: 'asked again and again' }
  const choices = reading.questions.map((question) => choicesOf(one, account, question))
  let first: Found | null = null
  for (const picked of combinations(choices.map(({ values }) => values))) {
    const given = answersTo(reading.questions, picked)
    const answered = reading.questions.filter(({ field }) => field in given)
    const doubts = answered.filter((question) => !isChoice(question))
    const all = {
      asked: [...before.asked, ...answered.map(({ field }) => field)],
      doubts: [...before.doubts, ...doubts.map(({ field }) => field)],
      rounds: before.rounds + 1,
    }
    const next = search(one, account, { ...answers, ...given }, all, budget)
    if (next.result === 'exact' || next.result === 'text lost') return next
    first ??= next
    if (budget.left <= 0) break
  }
  const lacking = reading.questions.find((_, i) => choices[i]?.areTrue === false)
  return { ...(first as Found), lacks: first?.lacks ?? lacking?.field ?? null }
}

/** The answers, without those to questions that depend on another one which was not answered with its first option. */
function answersTo(questions: readonly FileQuestion[], picked: string[]): Answers {
  const all = new Map(questions.map(({ field }, i) => [field, picked[i] ?? '']))
  const isFirst = (field: string) =>
    questions.find((one) => one.field === field)?.options[0]?.value === all.get(field)
  const holding = questions.filter(({ dependsOn }) => dependsOn === null || isFirst(dependsOn))
  return Object.fromEntries(holding.map(({ field }) => [field, all.get(field) ?? '']))
}

const isChoice = ({ field, options }: FileQuestion) =>
  field === 'statement_account' && options.every(({ value }) => value !== '*')

/** The options that a person may take for the true one. `areTrue` is false if none of them agrees with what is right. */
function choicesOf(one: Case, account: ExpectedAccount, question: FileQuestion) {
  const { field, options } = question
  const told = field === 'statement_account' ? (account.select ?? one.answers[field]) : one.answers[field]
  if (told !== undefined && (options.length === 0 || options.some(({ value }) => value === told)))
    return { values: [told], areTrue: true }
  const scores = options.map((_, i) => scoreOf(question, i, account.rows))
  const best = Math.max(...scores)
  const values = options.flatMap(({ value }, i) => (best < 1 || scores[i] === best ? [value] : []))
  const byScore = values.sort((a, b) => scoreAt(b) - scoreAt(a))
  function scoreAt(value: string) {
    return scores[options.findIndex((option) => option.value === value)] ?? 0
  }
  // A column may be named by its header where options give its number.
  const isNamed = told !== undefined && best < 1 && field.startsWith('mapping.')
  return { values: isNamed ? [told, ...byScore] : byScore, areTrue: best === 1 || isNamed }
}

/** How well the examples of an option agree with what is right: 1 if all do. */
function scoreOf({ options }: FileQuestion, at: number, rows: ExpectedRow[]): number {
  const lines = new Set(options.flatMap(({ example }) => example.map(({ line }) => line)))
  const scores = [...lines].map((line) => {
    const shown = options[at]?.example.find((row) => row.line === line)
    if (shown) return agreementOf(shown, rows)
    const others = options.flatMap(({ example }) => example.filter((row) => row.line === line))
    return 1 - Math.max(0, ...others.map((row) => agreementOf(row, rows)))
  })
  return scores.length === 0 ? 1 : scores.reduce((sum, score) => sum + score, 0) / scores.length
}

function agreementOf(
  { date, type, amount }: FileQuestion['options'][0]['example'][0],
  rows: ExpectedRow[],
): number {
  const signed = type === 'income' ? amount : -amount
  if (rows.some((row) => row.date === date && row.amount === signed)) return 1
  const isDay = (row: ExpectedRow) => row.date === date
  const isSize = (row: ExpectedRow) => Math.abs(row.amount) === amount
  if (rows.some((row) => isDay(row) && isSize(row))) return 0.75
  return rows.some((row) => isDay(row) || isSize(row)) ? 0.5 : 0
}

/** Each way to take one value of each list, the first values first. */
function* combinations(lists: string[][]): Generator<string[]> {
  const [first, ...others] = lists
  if (!first) yield []
  else for (const value of first) for (const rest of combinations(others)) yield [value, ...rest]
}

/** The first row that is not as expected; empty if all are. */
function differenceOf(rows: Row[], expected: ExpectedRow[], withWords = true): string {
  const left = [...rows]
  for (const { words, ...others } of expected) {
    const row = withWords ? { ...others, words } : others
    const at = left.findIndex((one) => isSame(one, row))
    if (at < 0) return `lacks ${JSON.stringify(row)}, has ${JSON.stringify(left.slice(0, 3))}`
    left.splice(at, 1)
  }
  return left[0] ? `has ${JSON.stringify(left[0])} besides` : ''
}

function isSame(row: Row, { date, amount, words, account, toAccount, category }: ExpectedRow): boolean {
  return (
    row.date === date &&
    row.amount === amount &&
    (row.description ?? '').toLowerCase().includes((words ?? '').toLowerCase()) &&
    (account === undefined || row.account === account) &&
    (toAccount === undefined || row.toAccount === toAccount) &&
    (category === undefined || row.category === category)
  )
}
