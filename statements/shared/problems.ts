import { type CalendarDate, earliestDate, latestDate } from '../../src/domain/dates.ts'
import { maxErrors, messageFor, moneyTexts, requiredText } from '../../src/domain/field-errors.ts'
import type { Minor, MoneyProblem } from '../../src/domain/money.ts'
import type { Aspects } from './aspect.ts'
import { type Problem, refuseFile, Unreadable } from './unreadable.ts'

/** A file with more rows is refused. */
export const maxRows = 10_000
/** No genuine file has more statements. */
const maxStatements = 20_000
/** The most characters of a cell that a problem shows. */
const maxCell = 100
export const tooManyRows = `The file must not have more than ${maxRows.toLocaleString('en')} rows.`

/** The questions on whose answers the values of rows depend. */
const deriving: Record<string, string[]> = {
  date: ['date_format', 'mapping.date', 'delimiter'],
  amount: ['decimal_separator', 'mapping.amount', 'mapping.debit', 'mapping.credit', 'delimiter'],
}

/**
 * Collects the errors of a file, so that they are reported together: the first `maxErrors`, and how many there are. Refuses
 * the file at the first row or statement too many.
 */
export class Problems {
  readonly #listed: Problem[] = []
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

  /** Adds an error about the file as a whole: under the answer that would settle it, or under `file`. */
  add(field: string, text: string): void {
    this.#list({ line: null, field, text: messageFor(field, text) })
  }

  /** Adds an error about a field of one row. */
  addRow(line: number, field: string, text: string, cell = ''): void {
    const shown = cell.trim().slice(0, maxCell)
    this.#list({ line, field, text: messageFor(field, text), ...(shown && { cell: shown }) })
  }

  #list(problem: Problem): void {
    this.#found += 1
    const isSame = ({ line, field, text }: Problem) =>
      line === problem.line && field === problem.field && text === problem.text
    if (this.#found <= maxErrors && !this.#listed.some(isSame)) this.#listed.push(problem)
  }

  /** Returns a row's date if it may be stored; otherwise adds an error and returns null. */
  checkDate(line: number, raw: string, date: CalendarDate | null): CalendarDate | null {
    if (date !== null && date >= earliestDate && date <= latestDate) return date
    const outOfRange = `The :field field must be a date from ${earliestDate} to ${latestDate}.`
    const invalid = date === null ? 'The :field field must be a valid date.' : outOfRange
    this.addRow(line, 'date', raw.trim() === '' ? requiredText : invalid, raw)
    return null
  }

  /** Returns a row's amount if it could be read; otherwise adds an error and returns null. */
  checkAmount(line: number, raw: string, amount: Minor | MoneyProblem, field = 'amount'): Minor | null {
    if (typeof amount === 'number') return amount
    this.addRow(line, field, raw.trim() === '' ? requiredText : moneyTexts[amount], raw)
    return null
  }

  get any(): boolean {
    return this.#found > 0
  }

  /** Throws Unreadable with the collected errors and the questions that remain, if there are any. */
  throwIfAny(aspects?: Aspects): void {
    const questions = aspects?.questions ?? []
    if (!this.any && questions.length === 0) return
    if (this.#found > maxErrors)
      this.#listed.push({
        ...{ line: null, field: 'file' },
        text: `The file has ${this.#found} errors, of which the first ${maxErrors} are shown.`,
      })
    if (questions.length === 0) throw new Unreadable({ problems: this.#listed })
    // What follows from the answer that a question was read with is no error of the file.
    const follows = ({ line, field }: Problem) =>
      line !== null && deriving[field]?.some((one) => aspects?.isAsked(one))
    throw new Unreadable({
      problems: this.#listed.filter((problem) => !follows(problem)),
      questions: questions.map(({ options, ...question }) => ({
        ...question,
        options: options.map((option) => ({ ...option, example: [] })),
      })),
      settled: aspects?.formatAnswers,
      needs: aspects?.needs,
    })
  }
}
