import { type CalendarDate, earliestDate, latestDate } from '../../src/shared/dates.ts'
import { type FieldErrors, Invalid, Questions } from '../../src/shared/failures.ts'
import { addError, maxErrors, messageFor, moneyTexts, requiredText } from '../../src/shared/field-errors.ts'
import type { Minor, MoneyProblem } from '../../src/shared/money.ts'
import { type Aspects, errorsOf } from './aspect.ts'

/** A file with more rows is refused. */
export const maxRows = 10_000
/** No genuine file has more statements. */
const maxStatements = 20_000
export const tooManyRows = `The file must not have more than ${maxRows.toLocaleString('en')} rows.`

/** The questions on whose answers the values of rows depend. */
const deriving = {
  date: ['date_format', 'mapping.date', 'delimiter'],
  amount: ['decimal_separator', 'mapping.amount', 'mapping.debit', 'mapping.credit', 'delimiter'],
}

/**
 * Collects the errors of a file, so that they are reported together: the first `maxErrors`, and how many there are. Refuses
 * the file at the first row or statement too many.
 */
export class Problems {
  readonly #errors: FieldErrors = {}
  #found = 0
  #rows = 0
  #statements = 0

  countRow(): void {
    this.#rows += 1
    if (this.#rows > maxRows) refuseFile(tooManyRows)
  }

  countStatement(): void {
    this.#statements += 1
    if (this.#statements > maxStatements)
      refuseFile(`The file must not have more than ${maxStatements} statements.`)
  }

  /** Adds an error about the file as a whole: under the form field that would settle it, or under `file`. */
  add(field: string, text: string): void {
    this.#found += 1
    if (this.#found <= maxErrors) addError(this.#errors, field, text)
  }

  /** Adds an error about a field of one row, under a key such as `rows.7.amount`. */
  addRow(line: number, field: string, text: string): void {
    this.add(`rows.${line}.${field}`, messageFor(field, text))
  }

  /** Returns a row's date if it may be stored; otherwise adds an error and returns null. */
  checkDate(line: number, raw: string, date: CalendarDate | null): CalendarDate | null {
    if (date !== null && date >= earliestDate && date <= latestDate) return date
    const outOfRange = `The :field field must be a date from ${earliestDate} to ${latestDate}.`
    const invalid = date === null ? 'The :field field must be a valid date.' : outOfRange
    this.addRow(line, 'date', raw.trim() === '' ? requiredText : invalid)
    return null
  }

  /** Returns a row's amount if it could be read; otherwise adds an error and returns null. */
  checkAmount(line: number, raw: string, amount: Minor | MoneyProblem, field = 'amount'): Minor | null {
    if (typeof amount === 'number') return amount
    this.addRow(line, field, raw.trim() === '' ? requiredText : moneyTexts[amount])
    return null
  }

  get any(): boolean {
    return this.#found > 0
  }

  /** Throws the collected errors and the questions that remain, if there are any. */
  throwIfAny(aspects?: Aspects): void {
    const questions = aspects?.questions ?? []
    if (!this.any && questions.length === 0) return
    if (this.#found > maxErrors)
      addError(
        this.#errors,
        'file',
        `The file has ${this.#found} errors, of which the first ${maxErrors} are shown.`,
      )
    if (questions.length === 0) throw new Invalid(this.#errors)
    // What follows from the answer that a question was read with is no error of the file.
    const follows = (key: string) =>
      Object.entries(deriving).some(
        ([field, asked]) =>
          key.startsWith('rows.') && key.endsWith(`.${field}`) && asked.some((one) => aspects?.isAsked(one)),
      )
    const errors = Object.fromEntries(Object.entries(this.#errors).filter(([key]) => !follows(key)))
    for (const [key, texts] of Object.entries(errorsOf(questions)))
      errors[key] = [...(errors[key] ?? []), ...texts]
    const shown = questions.map(({ options, ...question }) => ({
      ...question,
      options: options.map((option) => ({ ...option, example: [] })),
    }))
    throw new Questions(errors, shown, aspects?.formatAnswers)
  }
}

/** Refuses the file as a whole. */
export function refuseFile(text: string): never {
  throw new Invalid({ file: [text] })
}
