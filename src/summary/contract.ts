import * as z from 'zod/mini'
import { type CalendarMonth, earliestDate, lastDayOf, latestDate, type Span } from '../domain/dates.ts'
import { doc, field } from '../domain/doc.ts'
import type { FieldErrors } from '../domain/field-errors.ts'
import { addError, checkMaxDays, checkOrder } from '../domain/field-errors.ts'
import { date, flagFromText, month } from '../domain/fields.ts'

// Other limits: failures/limits.ts.

/** The most days of a daily breakdown. */
export const maxDays = 366

/** The period of a dashboard: one month, or a range of days that may be open at either end. */
export const period = z.partial(
  z.object({
    month: field(month, doc('A month, by default the current one; not together with `from` or `to`.')),
    from: field(date, doc('The first day.')),
    to: field(date, doc('The last day.')),
    daily: field(
      flagFromText,
      doc({
        default: false,
        description: `Adds \`daily_breakdown\`; the period then has ${maxDays} days at most.`,
      }),
    ),
  }),
)
export type PeriodQuery = z.output<typeof period>

/** The days of a period, if `current` is the current month. */
export function daysOfPeriod({ month, from, to }: PeriodQuery, current: CalendarMonth): Span {
  const whole = month ?? (from || to ? undefined : current)
  if (whole) return { from: `${whole}-01`, to: lastDayOf(whole) }
  return { from: from ?? earliestDate, to: to ?? latestDate }
}

/**
 * The errors of a range that ends before it begins or has too many days for a daily breakdown, and of a month beside a
 * range: one of the two would be ignored.
 */
export function periodErrors({ month, from, to, daily }: PeriodQuery): FieldErrors {
  const errors: FieldErrors = {}
  if (month && (from || to))
    addError(errors, 'month', 'The :field field must not be given together with from or to.')
  checkOrder(errors, { from, to })
  if (daily && !month && (from || to))
    checkMaxDays(errors, { from: from ?? earliestDate, to: to ?? latestDate }, maxDays)
  return errors
}
