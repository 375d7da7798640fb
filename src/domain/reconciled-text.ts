import type { CalendarDate } from './dates.ts'

/** The error of a change in a reconciled period; the day is in words. */
export const reconciledText = (day: string) => `The account is reconciled through ${day}.`

const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
/** 31 October 2026. */
export const dayInWords = (date: CalendarDate) => format.format(new Date(date))
