import { learnCategories, rowsLearnedFrom } from '../../src/domain/category-learning.ts'
import { Dice } from '../dice.ts'
import type { Household } from './household.ts'
import { accountIds } from './rows.ts'

/** How many categories were suggested, how many of these are right, and of how many rows the payee was known. */
export type Filed = { suggested: number; right: number; known: number; found: number }

/** The payee has been filed so often before that a suggestion can be expected. */
const timesKnown = 3
/** One row in a hundred is filed elsewhere than the others of its payee. */
const whims = 0.01

/**
 * Imports a household's files one after another. The household files each row under what it calls the payee; a row gets
 * its suggestion before that.
 */
export function measureFiling(household: Household, seed: number): Filed {
  const dice = new Dice(seed)
  const events = new Map(household.events.map((event) => [event.id, event]))
  const names: string[] = []
  const idOf = (name: string) => (names.includes(name) ? names.indexOf(name) : names.push(name) - 1)
  const timesFiled = new Map<string, number>()
  const seen = new Set<string>()
  const filed: Parameters<typeof learnCategories>[0] = []
  const measured = { suggested: 0, right: 0, known: 0, found: 0 }
  for (const { bank, bookings } of household.files) {
    const suggest = learnCategories(filed.slice(0, rowsLearnedFrom))
    const fresh = bookings.flatMap(({ event, amount, description, reference }) => {
      const of = events.get(event)
      // Money that the household moves between its own places has no category.
      if (seen.has(reference) || !of || (of.from && of.to)) return []
      seen.add(reference)
      const [usual = '', ...others] = of.payee.typed
      const name = others.length > 0 && dice.happens(whims) ? dice.oneOf(others) : usual
      const type = amount < 0 ? ('expense' as const) : ('income' as const)
      const row = { type, description, accountId: accountIds[bank] }
      return [{ ...row, payee: `${type} ${of.payee.booked}`, category: { id: idOf(name), name } }]
    })
    for (const { payee, category, ...row } of fresh) {
      const suggestion = suggest(row)
      const isRight = suggestion?.id === category.id
      const isKnown = (timesFiled.get(payee) ?? 0) >= timesKnown
      measured.suggested += Number(suggestion !== null)
      measured.right += Number(isRight)
      measured.known += Number(isKnown)
      measured.found += Number(isKnown && isRight)
    }
    for (const { payee, ...row } of fresh) {
      timesFiled.set(payee, (timesFiled.get(payee) ?? 0) + 1)
      filed.unshift(row)
    }
  }
  return measured
}
