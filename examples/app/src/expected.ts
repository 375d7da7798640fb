import type { Ledger } from 'purse-client'
import { daysBetween, lastDay } from './format.ts'
import { keptRead } from './store.ts'

/** The balances of the days up to one, with all that is expected. */
export const forecastUntil = keptRead((ledger: Ledger, to: string) => ledger.forecast({ to, every: 'day' }))

/** Income and expenses, in cents, of occurrences that are still expected until the end of the month of a day; undefined if there are none. */
export const stillToCome = keptRead((ledger: Ledger, today: string) => {
  const end = lastDay(today.slice(0, 7))
  const days = Math.max(1, daysBetween(today, end))
  const types = new Map(ledger.recurring().map(({ key, type }) => [key, type]))
  const open = ledger
    .upcoming({ days })
    .occurrences.filter(
      ({ state, transaction_date: day, possible_key }) =>
        (state === 'due' || state === 'upcoming') && possible_key === null && day <= end,
    )
  const sum = (type: string) =>
    open
      .filter(({ recurring_key }) => types.get(recurring_key) === type)
      .reduce((cents, { amount }) => cents + Number(amount.replace('.', '')), 0)
  const [income, expense] = [sum('income'), sum('expense')]
  return income + expense > 0 ? { income, expense } : undefined
})
