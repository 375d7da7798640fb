import { earliestDate, latestDate } from '../domain/dates.ts'
import { addError, messageFor } from '../domain/draft.ts'
import { type FieldErrors, Invalid } from '../domain/failures.ts'
import { formatMoney, type MoneyProblem, maxAmount } from '../domain/money.ts'

const maxErrors = 100

/** Collects what is wrong with a file, so that all of it is said at once, though never more than 100 errors. */
export class Problems {
  private readonly errors: FieldErrors = {}
  private listed = 0
  private left = 0

  /** Adds an error of the file as a whole, or of a form field that would settle it. */
  add(field: string, text: string): void {
    this.record(field, messageFor(field, text))
  }

  /** Adds an error of one row: the key is `rows.7.amount`, the text speaks of the amount field. */
  addRow(line: number, field: string, text: string): void {
    this.record(`rows.${line}.${field}`, messageFor(field, text))
  }

  get any(): boolean {
    return this.listed > 0
  }

  /** Throws everything collected so far, if there is anything. */
  throwIfAny(): void {
    if (!this.any) return
    if (this.left > 0) {
      this.errors.file = [
        ...(this.errors.file ?? []),
        `The file has ${maxErrors + this.left} errors, of which the first ${maxErrors} are shown.`,
      ]
    }
    throw new Invalid(this.errors)
  }

  private record(key: string, message: string): void {
    if (this.listed >= maxErrors) this.left += 1
    else {
      this.listed += 1
      addError(this.errors, key, message)
    }
  }
}

/** Refuses the file as a whole. */
export function refuseFile(text: string): never {
  throw new Invalid({ file: [text] })
}

/** The file has more rows than an import takes. */
export const tooManyRows = 'The file must not have more than 10,000 rows.'

export const required = 'The :field field is required.'
export const notADate = 'The :field field must be a valid date.'
export const notInDateRange = `The :field field must be a date from ${earliestDate} to ${latestDate}.`

/** Why an amount cannot be taken, in the words of the other endpoints. */
export function moneyText(problem: MoneyProblem): string {
  if (problem === 'not a number') return 'The :field field must be a number.'
  if (problem === 'too many decimals') return 'The :field field must have 0-2 decimal places.'
  if (problem === 'too small') return `The :field field must be at least -${formatMoney(maxAmount)}.`
  return `The :field field must not be greater than ${formatMoney(maxAmount)}.`
}
