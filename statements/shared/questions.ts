import type { ExampleRow, FileQuestion } from '../../src/domain/file-questions.ts'
import type { Settled } from './aspect.ts'
import type { Answers, ReadOptions } from './options.ts'
import { Unreadable } from './unreadable.ts'

/** How many rows show what an option does. */
const maxExamples = 3
/** How many options of a question are tried: a file may have any number of accounts. */
const maxTried = 12
/** How much of a text examples are read from, in UTF-16 units. */
const maxSample = 65_536
/** How often further questions are answered with their first option. */
const maxRounds = 4

const sameRows = 'every answer gives the same rows'

/** The rows that an option comes to; null if the file is refused with it. */
type Reading = ExampleRow[] | null

type Read<T> = (text: string, options: ReadOptions) => T
type RowsOf<T> = (result: T, account: string | undefined) => ExampleRow[]

/**
 * Reads a file. If questions remain, gives options (the first `maxTried` of each) the first rows that come out differently
 * with them, the other questions being answered with their first options. Options that are refused, or give the rows of another
 * one, are not offered. A question whose options all give the same rows is not asked. With `canBeCut`, examples come from the beginning of a long text.
 */
export function withExamples<T extends { settled: Settled }>(
  read: Read<T>,
  text: string,
  options: ReadOptions,
  rowsOf: RowsOf<T>,
  canBeCut = true,
): T {
  try {
    return read(text, options)
  } catch (error) {
    if (!(error instanceof Unreadable) || error.questions.length === 0) throw error
    const isCut = canBeCut && text.length > maxSample
    const sample = isCut ? text.slice(0, text.lastIndexOf('\n', maxSample) + 1) : text
    const cached = new Map<string, Reading>()
    const tried = (field: string, value: string) => {
      const answers = { ...error.settled, ...answersBeside(error, field, value), [field]: value }
      // Other questions are about all accounts.
      const account = field === 'statement_account' ? value : options.answers?.statement_account
      // The first options of all questions make the same answers, which are read once.
      const key = JSON.stringify([answers, account])
      const rowsOfAccount = (result: T) => rowsOf(result, account)
      if (!cached.has(key)) cached.set(key, rowsWith(read, sample, options, answers, rowsOfAccount))
      // The first answers to other questions may be what is refused.
      return cached.get(key) ?? rowsWith(read, sample, options, { [field]: value }, rowsOfAccount)
    }
    const readings = error.questions.map(({ field, options }) =>
      options.slice(0, maxTried).map(({ value }) => tried(field, value)),
    )
    const shown = error.questions.map((question, i) =>
      withRows(question, isCut ? null : distinctOptions(readings[i] ?? [], question), readings[i] ?? []),
    )
    const isIdle = ({ options }: FileQuestion, i: number) =>
      options.length === 1 && readings[i]?.length !== 1 && !readings[i]?.includes(null)
    const idle = shown.filter(isIdle)
    if (idle.length === 0) throw new Unreadable({ ...error, questions: shown })
    const only = idle.map(({ field, options: [option] }) => [field, option?.value ?? ''] as const)
    const result = withExamples(read, text, told(options, Object.fromEntries(only)), rowsOf, canBeCut)
    for (const [field, value] of only)
      result.settled[field] = { ...result.settled[field], value, proof: sameRows }
    return result
  }
}

/**
 * The options that do not repeat the rows of an earlier one, and are not refused, unless all are: with another answer to the
 * question on which it depends, an option may be true.
 */
function distinctOptions(readings: Reading[], { dependsOn }: FileQuestion): (option: number) => boolean {
  const texts = readings.map((rows) => rows && JSON.stringify(rows))
  const areRefused = dependsOn === null && texts.some((text) => text !== null)
  return (i) => {
    const text = texts[i] ?? null
    return text === null ? i >= texts.length || !areRefused : texts.indexOf(text) === i
  }
}

/** A question with the rows that its options change, or with those of its only option. */
function withRows(
  question: FileQuestion,
  isOffered: ((option: number) => boolean) | null,
  found: Reading[],
): FileQuestion {
  const readings = found.map((rows) => new Map((rows ?? []).map((row) => [row.line, row])))
  const lines = [...new Set(readings.flatMap((rows) => [...rows.keys()]))].sort((a, b) => a - b)
  const textAt = (rows: Map<number, ExampleRow>, line: number) => JSON.stringify(rows.get(line) ?? null)
  const isShown = (line: number) =>
    readings.length === 1 || readings.some((rows) => textAt(rows, line) !== textAt(readings[0] ?? rows, line))
  const shown = lines.filter(isShown).slice(0, maxExamples)
  const options = question.options.map((option, i) => ({
    ...option,
    example: shown.flatMap((line) => readings[i]?.get(line) ?? []),
  }))
  return { ...question, options: options.filter((_, i) => isOffered?.(i) ?? true) }
}

/** The rows with these answers; null if the file cannot be read with them. */
function rowsWith<T>(
  read: Read<T>,
  text: string,
  options: ReadOptions,
  answers: Answers,
  rowsOf: (result: T) => ExampleRow[],
): Reading {
  const result = readAnyway(read, text, options, answers)
  return result && rowsOf(result)
}

/** Reads a file with these answers, and with the first option of further questions; null if it cannot be read so. */
export function readAnyway<T>(
  read: Read<T>,
  text: string,
  options: ReadOptions,
  answers: Answers = {},
): T | null {
  let all = answers
  for (let round = 0; round < maxRounds; round += 1) {
    try {
      return read(text, told(options, all))
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      if (error.questions.length === 0) return null
      all = { ...firstAnswers(error), ...all }
    }
  }
  return null
}

/** The first options of the other questions, without those that were asked with another answer to this one. */
function answersBeside(error: Unreadable, field: string, value: string): Answers {
  const isFirst = error.questions.some((one) => one.field === field && one.options[0]?.value === value)
  const others = error.questions.filter(({ dependsOn }) => isFirst || dependsOn !== field)
  return firstAnswers({ questions: others })
}

/** The first options of questions, as answers to them. */
export const firstAnswers = ({ questions }: Pick<Unreadable, 'questions'>): Answers =>
  Object.fromEntries(questions.map(({ field, options }) => [field, options[0]?.value ?? '']))

/** The options of a request with answers to what they leave open. */
function told(options: ReadOptions, answers: Answers): ReadOptions {
  return { ...options, answers: { ...options.answers, ...answers } }
}
