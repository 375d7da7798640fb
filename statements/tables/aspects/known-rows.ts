import { pluralize } from '../../../src/shared/pluralize.ts'
import type { Aspects } from '../../shared/aspect.ts'
import { type Entry, withFee } from './entry.ts'
import type { Proof } from './sign-questions.ts'

/** So many known rows must be in the file, and agree, to show which way its amounts go. */
const minKnown = 3

/**
 * Which way amounts go according to the known rows of the same day and amount, if all agree. Null if there are none yet, or
 * too few: the days of the file are those on which they are needed.
 */
export function signsByKnownRows(entries: Entry[], aspects: Aspects): Proof | null {
  if (!aspects.known) {
    const days = entries.flatMap(({ date }) => date ?? []).sort()
    const [from, to] = [days[0], days.at(-1)]
    if (from && to) aspects.needs = { from, to }
    return null
  }
  const keyOf = (date: string | null, amount: number) => `${date} ${Math.abs(amount)}`
  const known = Map.groupBy(aspects.known.rows, ({ date, amount }) => keyOf(date, amount))
  const agrees = entries.flatMap((entry) => {
    const amounts = new Set([entry.amount, withFee(entry)])
    const found = [...amounts].flatMap((amount) => known.get(keyOf(entry.date, amount)) ?? [])
    return found.map(({ amount }) => amount > 0 === entry.amount > 0)
  })
  if (agrees.length < minKnown || new Set(agrees).size > 1) return null
  const proof = `${pluralize(agrees.length, 'row')} that you have typed, of the same day and amount`
  return { value: agrees[0] ? 'as_written' : 'inverted', proof }
}
