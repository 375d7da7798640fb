import type { Span } from '../../src/domain/dates.ts'
import type { Answers, Known, ReadOptions, Remembered } from './options.ts'
import { quoted } from './text.ts'
import { refuseFile } from './unreadable.ts'

/** The answer to `statement_account` that all rows are of one account. */
export const allRows = '*'

/** One of the values that may settle an aspect, and what it means for a person. */
export type Choice = { value: string; label: string }

/** The answers to whether amounts with a mark came in or were spent. */
export const directionChoices = (mark: string): Choice[] => [
  { value: 'out', label: `${mark} was spent` },
  { value: 'in', label: `${mark} came in` },
]

/**
 * A value, and what proves it in a row. One that `yields` is known of the account, not shown by the file: an answer says more.
 */
export type Proved<Value extends string = string> = {
  value: Value
  proof: string
  line?: number
  yields?: boolean
}

/** A value that evidence proves, or a question with the values that may answer it; null if the file does not depend on it. */
export type Aspect = Proved | Asked | null

/** A question; without a `code` of its own, that is the aspect. */
export type Asked = { question: string; options: Choice[]; code?: string }

/**
 * How each aspect of a file was settled, by the field that would have answered its question. A value that holds `once` says
 * nothing of the next file of the layout, and one that was `seen` with names of accounts nothing of others.
 */
export type Settled = Record<string, { value: string; proof: string } & Reach>
type Reach = { once?: boolean; seen?: string[] }

/** The proof of an answer that was used. */
export const asTold = 'as the request says'

/** If it `dependsOn` another question, it is asked with the first option of that. */
export type Question = {
  field: string
  code: string
  text: string
  dependsOn: string | null
  options: Choice[]
}

/** Marks tell the direction only where they are asked about, and a word has no other answers than those offered. */
function isPossible(field: string, told: string | undefined, found: Aspect): boolean {
  const options = found !== null && 'question' in found ? found.options : null
  const isListed = options?.some(({ value }) => value === told) ?? false
  if (told?.startsWith('by_mark')) return isListed
  return isListed || options === null || !/^(?:states|marks)\./.test(field)
}

const amountColumns = ['mapping.amount', 'mapping.debit', 'mapping.credit']

/** Refuses an answer that a row contradicts. */
export function refuseAnswer(field: string, told: string, { proof, line }: Omit<Proved, 'value'>): never {
  const row = line === undefined ? 'The file' : `Row ${line}`
  refuseFile(`${row} contradicts ${field}=${quoted(told)}: ${proof}.`, field.split('.', 1)[0])
}

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
    const found = find()
    const told = isPossible(field, this.told[field], found) ? this.told[field] : undefined
    if (told !== undefined) {
      const isOpen = this.#openQuestionBefore(field) !== null
      if (found !== null && 'value' in found && found.value !== told && !found.yields && !isOpen)
        refuseAnswer(field, told, { ...found, proof: `it shows ${found.value} (${found.proof})` })
      return found === null ? told : this.record(field, told, asTold)
    }
    const kept = this.kept?.values[field]
    if (found === null) return kept ?? fallback
    if ('question' in found) {
      if (kept !== undefined && found.options.some(({ value }) => value === kept))
        return this.record(field, kept, this.kept?.source ?? '')
      return this.ask(field, found.question, found.options, found.code)
    }
    // That marks hold where signs contradict them says nothing of a file in which they agree.
    const isComparable = kept !== undefined && !kept.startsWith('by_mark')
    if (!isComparable || kept === found.value) return this.record(field, found.value, found.proof)
    const text = `The file shows ${found.value} (${found.proof}), but it was ${kept} ${this.kept?.source}.`
    return this.ask(field, text, [
      { value: found.value, label: `${found.value}, as this file shows` },
      ...(found.yields ? [{ value: kept, label: `${kept}, ${this.kept?.source}` }] : []),
    ])
  }

  /** The value of the request or, without one, of an earlier import. */
  answer(field: string): { value: string; proof: string } | null {
    const [told, kept] = [this.told[field], this.kept?.values[field]]
    if (told !== undefined) return { value: told, proof: asTold }
    return kept === undefined ? null : { value: kept, proof: this.kept?.source ?? '' }
  }

  /** Records a value, unless it was read with the first option of an open question. */
  record(field: string, value: string, proof: string, reach: Reach = {}): string {
    if (this.#openQuestionBefore(field) === null) this.settled[field] = { value, proof, ...reach }
    return value
  }

  ask(field: string, text: string, options: Choice[], code = field.split('.', 1)[0] ?? ''): string {
    this.questions.push({ field, code, text, dependsOn: this.#openQuestionBefore(field), options })
    return options[0]?.value ?? ''
  }

  /** The open question on which the field depends: how the table is split or, for most, which column is meant. */
  #openQuestionBefore(field: string): string | null {
    const column = field === 'date_format' ? ['mapping.date'] : field === 'mapping.date' ? [] : amountColumns
    return ['delimiter', ...column].find((one) => one !== field && this.isAsked(one)) ?? null
  }

  /** The settled formats of dates and numbers, and columns, as answers: without those of debits and credits, which say more. */
  get formatAnswers(): Answers {
    const entries = Object.entries(this.settled).map(([field, { value }]) => [field, value])
    return Object.fromEntries(
      entries.filter(([field = '']) =>
        /^(?:date_format|decimal_separator|mapping\.(?!debit|credit).*)$/.test(field),
      ),
    )
  }

  isAsked(field: string): boolean {
    return this.questions.some((question) => question.field === field)
  }
}
