import * as z from 'zod/mini'
import { type CalendarMonth, earliestDate, lastDayOf, latestDate, type Span } from '../shared/dates.ts'
import { doc, field } from '../shared/doc.ts'
import type { FieldErrors } from '../shared/failures.ts'
import { addError, checkMaxDays, checkOrder } from '../shared/field-errors.ts'
import { date, flagFromText, month } from '../shared/fields.ts'
import * as shown from '../shared/shown.ts'
import { accountTypes } from '../shared/types.ts'

// Other limits: shared/limits.ts.

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

const accountInSummary = shown.object('AccountInSummary', 'An account with its balance.', {
  id: shown.id(),
  name: z.string(),
  type: z.enum(accountTypes),
  starting_balance: shown.amount(),
  balance: shown.total(),
})

const monthlySummary = shown.object('MonthlySummary', 'What came in and went out, and the difference.', {
  income: shown.total(),
  expense: shown.total(),
  net: shown.total(),
})

const categoryTotal = shown.object(
  'CategoryTotal',
  'What was spent in a category. Expenses without one are `Uncategorized`, with the id null.',
  { category_id: z.nullable(shown.id()), category_name: z.string(), total: shown.total() },
)

const dayTotal = shown.object('DayTotal', 'What came in and went out on a day.', {
  date: shown.calendarDate(),
  income: shown.total(),
  expense: shown.total(),
})

export const summary = shown.object(
  'Summary',
  'The dashboard of a month or a range.',
  {
    total_balance: shown.total(),
    accounts: z.array(accountInSummary),
    monthly_summary: monthlySummary,
    category_breakdown: field(z.array(categoryTotal), doc('Expenses by category, the largest first.')),
    daily_breakdown: field(
      z.optional(z.array(dayTotal)),
      doc('Every day of the period, if the request has `daily=true`.'),
    ),
  },
  {
    total_balance: 1237.5,
    accounts: [
      { id: 1, name: 'Checking', type: 'bank' as const, starting_balance: '1250.00', balance: 1237.5 },
    ],
    monthly_summary: { income: 0, expense: 12.5, net: -12.5 },
    category_breakdown: [{ category_id: 1, category_name: 'Groceries', total: 12.5 }],
  },
)
export type ShownSummary = z.output<typeof summary>
