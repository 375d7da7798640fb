/** Exact to the cent: amounts are texts, and stay texts. */
export const money = (amount: string | number): string => twoDecimals.format(amount as `${number}`)
const twoDecimals = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** An amount as people type it, with a comma or a point, in the form of the API: `3,2` is `3.20`. */
export function typedAmount(text: string): string {
  const [all, whole, cents = ''] = /^\s*(-?\d+)(?:[.,](\d{1,2}))?\s*$/.exec(text) ?? []
  return all === undefined ? text : `${whole}.${cents.padEnd(2, '0')}`
}

const dateOf = (date: string): Date => new Date(`${date}T00:00:00Z`)
const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeZone: 'UTC' })
const shortFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const monthFormat = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** A date such as `2026-11-22` in words. */
export const longDay = (date: string): string => dayFormat.format(dateOf(date))
export const shortDay = (date: string): string => shortFormat.format(dateOf(date))
/** A month such as `2026-11` in words. */
export const monthName = (month: string): string => monthFormat.format(dateOf(`${month}-01`))

/** The date in a time zone, `YYYY-MM-DD`. */
export function today(timeZone = 'UTC'): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(new Date())
}

/** The month that is so many months after another. */
export function monthAfter(month: string, count: number): string {
  const date = dateOf(`${month}-01`)
  date.setUTCMonth(date.getUTCMonth() + count)
  return date.toISOString().slice(0, 7)
}

/** `2 changes`, `1 change`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
