import { addDays, type CalendarDate } from '../dates.ts'
import type { FieldErrors } from '../field-errors.ts'
import { addError } from '../field-errors.ts'
import { nextOccurrence } from './dates.ts'
import { type Exception, maxDaysMoved } from './occurrences.ts'
import { storedRecurrenceRule } from './rule.ts'

/** The fields of a recurring transaction that depend on each other. */
export type LinkedRuleFields = {
  starts_on?: CalendarDate | undefined
  rrule?: string | undefined
  amount_tolerance?: number | undefined
  auto_record?: boolean | undefined
}

/** Adds the errors of the rules across these fields, where single fields have none. */
export function addRuleErrors(errors: FieldErrors, row: LinkedRuleFields): void {
  const { starts_on, rrule, amount_tolerance = 0, auto_record = false } = row
  const isValid = (field: string) => !(field in errors)
  if (auto_record && amount_tolerance > 0 && isValid('auto_record') && isValid('amount_tolerance'))
    addError(errors, 'amount_tolerance', 'The :field field must be 0 if auto record is true.')
  if (starts_on && rrule && isValid('starts_on') && isValid('rrule') && !hasOccurrence(starts_on, rrule))
    addError(errors, 'rrule', 'The :field field must have an occurrence on or after starts on.')
}

/** Adds an error if the day of a booking is too far from its occurrence. */
export function addDayErrors(
  errors: FieldErrors,
  {
    date,
    day,
    field = 'transaction_date',
  }: { date: CalendarDate; day: CalendarDate | null | undefined; field?: string },
): void {
  if (day && (day > addDays(date, maxDaysMoved) || day < addDays(date, -maxDaysMoved)))
    addError(errors, field, `The :field field must be within ${maxDaysMoved} days of the occurrence.`)
}

/** Adds the errors of days that are too far from the occurrences whose exceptions they are. */
export function addExceptionErrors(
  errors: FieldErrors,
  exceptions: Record<CalendarDate, Exception | null> = {},
): void {
  for (const [date, exception] of Object.entries(exceptions))
    addDayErrors(errors, {
      date,
      day: exception?.transaction_date,
      field: `exceptions.${date}.transaction_date`,
    })
}

function hasOccurrence(startsOn: CalendarDate, rrule: string): boolean {
  return nextOccurrence({ startsOn, rule: storedRecurrenceRule(rrule) }) !== null
}
