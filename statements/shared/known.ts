import { addDays, type CalendarDate } from '../../src/domain/dates.ts'
import type { Minor } from '../../src/domain/money.ts'
import { pluralize } from '../../src/domain/pluralize.ts'
import type { Aspects, Proved } from './aspect.ts'
import type { SignConvention } from './options.ts'

/** So many known rows must be in the file, and agree, to show which way its amounts go. */
const minKnown = 3

type Dated = { date: CalendarDate | null; amount: Minor; fee?: Minor | null }

/**
 * Which way amounts go according to the known rows of the same day and amount, if all agree. Null if there are none yet, or
 * too few: the days of the file and the one before them are those on which they are needed.
 */
export function signsByKnownRows(entries: Dated[], aspects: Aspects): Proved<SignConvention> | null {
  if (!aspects.known?.rows) {
    needDays(entries, aspects)
    return null
  }
  const keyOf = (date: string | null, amount: number) => `${date} ${Math.abs(amount)}`
  const known = Map.groupBy(aspects.known.rows, ({ date, amount }) => keyOf(date, amount))
  const agrees = entries.flatMap(({ date, amount, fee }) => {
    const amounts = new Set([amount, amount - (fee ?? 0)])
    const found = [...amounts].flatMap((one) => known.get(keyOf(date, one)) ?? [])
    return found.map((one) => one.amount > 0 === amount > 0)
  })
  if (agrees.length < minKnown || new Set(agrees).size > 1) return null
  const proof = `${pluralize(agrees.length, 'recorded row')} of the same day and amount`
  return { value: agrees[0] ? 'as_written' : 'inverted', proof, yields: true }
}

/** Says that what is known of the days of the entries, and of the one before them, might settle a question. */
export function needDays(entries: Dated[], aspects: Aspects): void {
  const days = entries.flatMap(({ date }) => date ?? []).sort()
  const [from, to] = [days[0], days.at(-1)]
  if (from && to && !aspects.known?.rows) aspects.needs = { from: addDays(from, -1), to }
}

/** What the account is known to have held at the end of a day; null if that is unknown, or nothing. */
export function knownBalance({ known }: Aspects, day: CalendarDate): Minor | null {
  return known?.balances?.findLast(({ date }) => date <= day)?.amount || null
}
