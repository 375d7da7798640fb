import { addDays, type CalendarDate, type Span } from './dates.ts'
import { formatMoney, type MoneyProblem, maxAmount } from './money.ts'

/** Messages per field; keys are dotted paths such as `transactions.0.amount`. */
export type FieldErrors = Record<string, string[]>

/** Texts of several rules. `:field`, after `The` or `The selected`, is replaced by the field's name. */
export const requiredText = 'The :field field is required.'
export const invalidText = 'The selected :field is invalid.'
export const takenText = 'The :field has already been taken.'
export const mustDifferText = 'The :field field and account id must be different.'
export const onlyForTransfersText = 'The :field field must be empty unless type is transfer.'
export const notAfterToday = 'The :field field must not be after today.'
export const noMatchingCheckText = 'There is no matching balance check on this day.'
export const otherBalanceText = 'The account already has another balance on this day.'
export const moneyTexts: Record<MoneyProblem, string> = {
  'not a number': 'The :field field must be a number.',
  'too many decimals': 'The :field field must have 0-2 decimal places.',
  'too large': `The :field field must not be greater than ${formatMoney(maxAmount)}.`,
  'too small': `The :field field must be at least -${formatMoney(maxAmount)}.`,
}

/** Replaces the first `:field` of a text by the field's name, in words. Others may be quoted from a file. */
export function messageFor(field: string, text: string): string {
  return text.replace(/(?<=^The (?:selected )?):field/, field.replaceAll('_', ' '))
}

/** Adds an error to a field, if it is new. */
export function addError(errors: FieldErrors, field: string, text: string): void {
  const message = messageFor(field, text)
  const messages = errors[field] ?? []
  if (!messages.includes(message)) errors[field] = [...messages, message]
}

// Other limits: failures/limits.ts.

/** The most fields whose errors a response lists, and the most errors that are listed for an import. */
export const maxErrors = 100

/** Returns the errors of the first hundred fields, with a note under `list` if there are more. */
export function firstErrors(errors: FieldErrors, list: string): FieldErrors {
  const fields = Object.entries(errors)
  if (fields.length <= maxErrors) return errors
  const note = { [list]: [`Only the first ${maxErrors} errors are listed.`] }
  return { ...Object.fromEntries(fields.slice(0, maxErrors)), ...note }
}

const filters = ['account_id', 'category_id', 'type', 'from', 'to', 'month', 'q']

/** The errors of filters that a query does not have, for figures and files: ignoring one would change what these mean. */
export function filterErrors(supported: object, query: object): FieldErrors {
  const errors: FieldErrors = {}
  for (const name of filters)
    if (name in query && !(name in supported))
      addError(errors, name, 'The :field field must be empty: there is no such filter here.')
  return errors
}

/** Adds an error if a range of days ends before it begins. */
export function checkOrder(errors: FieldErrors, { from, to }: { from?: CalendarDate; to?: CalendarDate }) {
  if (from && to && from > to)
    addError(errors, 'to', 'The :field field must be a date after or equal to from.')
}

/** Adds an error if a range has more than `maxDays` days. */
export function checkMaxDays(errors: FieldErrors, { from, to }: Span, maxDays: number): void {
  if (to >= addDays(from, maxDays))
    addError(errors, 'to', `The :field field must be a date within ${maxDays} days from from.`)
}

/** Groups stored errors by field. An empty field, for the whole item, becomes `whole`. */
export function errorsByField(pairs: [field: string, message: string][], whole = ''): FieldErrors {
  const errors: FieldErrors = {}
  for (const [field, message] of pairs) {
    const name = field || whole
    errors[name] = [...(errors[name] ?? []), message]
  }
  return errors
}
