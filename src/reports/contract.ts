import * as z from 'zod/mini'
import {
  addDays,
  addMonths,
  type CalendarDate,
  type CalendarMonth,
  datesBetween,
  earliestDate,
  lastDayOf,
  latestDate,
  monthOf,
  monthsBetween,
  type Span,
} from '../domain/dates.ts'
import { doc, field } from '../domain/doc.ts'
import type { FieldErrors } from '../domain/field-errors.ts'
import { addError, checkMaxDays, checkOrder } from '../domain/field-errors.ts'
import { date, id, month, oneOf } from '../domain/fields.ts'
import { reportIntervals } from '../domain/types.ts'
import { maxDays } from '../summary/contract.ts'

// Other limits: failures/limits.ts.

const maxMonths = 120
/** The number of months, weeks or days, unless the client names the first. */
const defaultMonths = 12
const defaultWeeks = 12
const defaultDays = 30

const [earliestMonth, latestMonth] = [monthOf(earliestDate), monthOf(latestDate)]
const reportedMonth = month.check(
  z.refine(
    (input) => input >= earliestMonth && input <= latestMonth,
    `The :field field must be a month from ${earliestMonth} to ${latestMonth}.`,
  ),
)

export const monthlyQuery = z.partial(
  z.object({
    from: field(reportedMonth, doc(`The first month; if left out, the report has ${defaultMonths} months.`)),
    to: field(
      reportedMonth,
      doc(`The last month, by default the current one; there are ${maxMonths} months at most.`),
    ),
    account_id: field(id, doc('One account alone.')),
  }),
)
export type MonthlyQuery = z.output<typeof monthlyQuery>

/** The months of a report, if `current` is the current one. */
export function monthsOfReport({ from, to }: MonthlyQuery, current: CalendarMonth): CalendarMonth[] {
  const last = to ?? (from && from > current ? from : current)
  return monthsBetween(from ?? addMonths(last, 1 - defaultMonths), last)
}

/** The errors of a report's months, if `current` is the current one. */
export function monthlyErrors(query: MonthlyQuery, current: CalendarMonth): FieldErrors {
  const errors: FieldErrors = {}
  checkOrder(errors, query)
  if (query.from && (query.to ?? current) >= addMonths(query.from, maxMonths))
    addError(errors, 'to', `The :field field must be a month within ${maxMonths} months from from.`)
  return errors
}

export const balancesQuery = z.partial(
  z.object({
    from: field(
      date,
      doc(
        `The first day; if left out, there are ${defaultDays} days, ${defaultWeeks} weeks or ${defaultMonths} months.`,
      ),
    ),
    to: field(
      date,
      doc(
        `The last day, by default today; the range has ${maxDays} days at most, or ${maxMonths} months with \`every=month\`.`,
      ),
    ),
    every: field(
      oneOf(reportIntervals),
      doc({
        default: 'day',
        description:
          '`week` counts back from the last day in steps of seven days; `month` is the last day of each month that the range touches.',
      }),
    ),
    account_id: field(id, doc('One account alone.')),
  }),
)
export type BalancesQuery = z.output<typeof balancesQuery>

/** The first and the last day of a report (with months, of whole ones), if `today` is the current date. */
export function daysOfReport({ from, to, every }: BalancesQuery, today: CalendarDate): Span {
  const last = to ?? (from && from > today ? from : today)
  if (every === 'month') {
    const lastMonth = monthOf(last)
    const firstMonth = from ? monthOf(from) : addMonths(lastMonth, 1 - defaultMonths)
    return { from: `${firstMonth}-01`, to: lastDayOf(lastMonth) }
  }
  const days = every === 'week' ? 7 * (defaultWeeks - 1) : defaultDays - 1
  return { from: from ?? addDays(last, -days), to: last }
}

/** The dates of a report's points, the earliest first, if `today` is the current date. */
export function datesOfReport(query: BalancesQuery, today: CalendarDate): CalendarDate[] {
  const { from, to } = daysOfReport(query, today)
  if (query.every === 'month') return monthsBetween(monthOf(from), monthOf(to)).map(lastDayOf)
  return datesBetween({ from, to }, query.every === 'week' ? 7 : 1)
}

/** The errors of a report's range, if `today` is the current date. */
export function balancesErrors(query: BalancesQuery, today: CalendarDate): FieldErrors {
  const errors: FieldErrors = {}
  checkOrder(errors, query)
  const { from, to } = daysOfReport(query, today)
  if (query.every !== 'month') checkMaxDays(errors, { from, to }, maxDays)
  else if (monthOf(to) >= addMonths(monthOf(from), maxMonths))
    addError(errors, 'to', `The :field field must be a date within ${maxMonths} months from from.`)
  return errors
}

/** How many days a forecast looks ahead, unless the client says it, and at most. */
export const defaultForecastDays = 90
/** The most days that a forecast looks ahead. */
export const maxForecastDays = 366

export const forecastQuery = z.partial(
  z.object({
    to: field(
      date,
      doc(
        `The last day, at most ${maxForecastDays} days ahead; ${defaultForecastDays} days ahead if left out.`,
      ),
    ),
    every: field(
      oneOf(reportIntervals),
      doc({
        default: 'day',
        description: 'How far apart the points are. Today and the last day are always among them.',
      }),
    ),
    account_id: field(id, doc('One account alone.')),
  }),
)
export type ForecastQuery = z.output<typeof forecastQuery>

/** The days of a forecast, if `today` is the current date. */
export function daysOfForecast({ to }: ForecastQuery, today: CalendarDate): Span {
  return { from: today, to: to ?? addDays(today, defaultForecastDays) }
}

/** The errors of a forecast's last day. */
export function forecastErrors({ to }: ForecastQuery, today: CalendarDate): FieldErrors {
  const errors: FieldErrors = {}
  if (to && to < today) addError(errors, 'to', 'The :field field must not be before today.')
  if (to && to > addDays(today, maxForecastDays))
    addError(errors, 'to', `The :field field must be a date within ${maxForecastDays} days.`)
  return errors
}
