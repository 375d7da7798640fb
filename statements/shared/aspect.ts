import type { Span } from '../../src/shared/dates.ts'
import type { Answers, Known, ReadOptions, Remembered } from './options.ts'

/** The answer to `statement_account` that all rows are of one account. */
export const allRows = '*'

/** One of the values that may settle an aspect, and what it means for a person. */
export type Choice = { value: string; label: string }

/** The answers to whether amounts with a mark came in or were spent. */
export const directionChoices = (mark: string): Choice[] => [
  { value: 'out', label: `${mark} was spent` },
  { value: 'in', label: `${mark} came in` },
]

/** A value that evidence proves, or a question with the values that may answer it; null if the file does not depend on it. */
export type Aspect = { value: string; proof: string } | { question: string; options: Choice[] } | null

/** Fields that depend on the column of amounts. */
const amountFields = new Set(['signs', 'decimal_separator', 'mapping.debit', 'mapping.credit', 'mapping.net'])

/**
 * How each aspect of a file was settled, by the field that would have answered its question. A value that holds `once` says
 * nothing of the next file of the layout.
 */
export type Settled = Record<string, { value: string; proof: string; once?: true }>

/** The proof of an answer that was used. */
export const asTold = 'as the request says'

export type Question = { field: string; text: string; options: Choice[] }

/** Settles the aspects of a file: by the request, by what the file proves, by an earlier import, or by a question. */
export class Aspects {
  readonly settled: Settled = {}
  readonly questions: Question[] = []
  readonly told: Answers
  readonly kept: Remembered | null
  readonly known: Known | null
  /** The days whose rows might settle a question. */
  needs: Span | null = null

  constructor({ answers, remembered, known }: ReadOptions) {
    this.told = answers ?? {}
    this.kept = remembered ?? null
    this.known = known ?? null
  }

  /**
   * Settles a field. Returns its value or, while its question is open, the first option. An answer is not recorded if the
   * file does not depend on it.
   */
  settle(field: string, find: () => Aspect, fallback = ''): string {
    const told = this.told[field]
    const found = find()
    if (told !== undefined) return found === null ? told : this.record(field, told, asTold)
    const kept = this.kept?.values[field]
    if (found === null) return kept ?? fallback
    if ('question' in found) {
      if (kept !== undefined && found.options.some(({ value }) => value === kept))
        return this.record(field, kept, this.kept?.source ?? '')
      return this.ask(field, found.question, found.options)
    }
    if (kept === undefined || kept === found.value) return this.record(field, found.value, found.proof)
    const text = `The file shows ${found.value} (${found.proof}), but it was ${kept} ${this.kept?.source}.`
    return this.ask(field, text, [
      { value: found.value, label: `${found.value}, as this file shows` },
      { value: kept, label: `${kept}, ${this.kept?.source}` },
    ])
  }

  /** The value of the request or, without one, of an earlier import. */
  answer(field: string): { value: string; proof: string } | null {
    const [told, kept] = [this.told[field], this.kept?.values[field]]
    if (told !== undefined) return { value: told, proof: asTold }
    return kept === undefined ? null : { value: kept, proof: this.kept?.source ?? '' }
  }

  /** Records a value, unless it was read with the first option of an open question. */
  record(field: string, value: string, proof: string, once = false): string {
    if (!this.#dependsOnOpenQuestion(field))
      this.settled[field] = { value, proof, ...(once && { once: true }) }
    return value
  }

  /** Signs make sense only once the column of amounts is known. */
  ask(field: string, text: string, options: Choice[]): string {
    if (field !== 'signs' || !this.#dependsOnOpenQuestion(field))
      this.questions.push({ field, text, options })
    return options[0]?.value ?? ''
  }

  /** True if the question is open on which the field depends. */
  #dependsOnOpenQuestion(field: string): boolean {
    return field === 'date_format'
      ? this.isAsked('mapping.date')
      : amountFields.has(field) && this.isAsked('mapping.amount')
  }

  /** The settled formats of dates and numbers, and columns, as answers. */
  get formatAnswers(): Answers {
    const entries = Object.entries(this.settled).map(([field, { value }]) => [field, value])
    return Object.fromEntries(
      entries.filter(([field = '']) => /^(?:date_format|decimal_separator|mapping\..*)$/.test(field)),
    )
  }

  isAsked(field: string): boolean {
    return this.questions.some((question) => question.field === field)
  }
}
