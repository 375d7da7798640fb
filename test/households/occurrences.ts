import { addDays, type CalendarDate } from '../../src/shared/dates.ts'
import type { Minor } from '../../src/shared/money.ts'
import { linkOccurrences } from '../../src/shared/occurrence-links.ts'
import { parseRecurrenceRule } from '../../src/shared/recurrence-rule.ts'
import { findRepeating } from '../../src/shared/repeating.ts'
import type { BilledHousehold, Contract, Paid } from './bills.ts'

/** How many were found, how many of them are right, how many there were to find, and how many of these were found. */
export type Hits = { found: number; right: number; toFind: number; solved: number }

const lastDay: CalendarDate = '2026-07-03'
const accountOf = ({ account }: Paid) => (account === 'giro' ? 1 : 2)
const typeOf = ({ amount }: Paid) => (amount < 0 ? ('expense' as const) : ('income' as const))

/** What is suggested after a year, by the contracts of the household. A suggestion is right if it has rows of one alone. */
export function measureSuggestions({ contracts, bookings }: BilledHousehold): Hits {
  const booked = bookings.filter(({ date }) => date <= lastDay)
  const rows = booked.map((one, index) => ({
    ...{ id: index, accountId: accountOf(one), toAccountId: null, categoryId: null, type: typeOf(one) },
    ...{ amount: Math.abs(one.amount) as Minor, date: one.date, description: one.description },
    ...{ words: `${one.description} ${one.reference}`, isLinked: false },
  }))
  const suggested = findRepeating(rows, lastDay).map((one) => {
    const names = new Set(one.rows.map(({ id }) => booked[id]?.contract?.name))
    return names.size === 1 ? [...names][0] : undefined
  })
  const right = suggested.filter((name) => name !== undefined)
  return {
    found: suggested.length,
    right: right.length,
    toFind: contracts.length,
    solved: contracts.filter(({ name }) => right.includes(name)).length,
  }
}

/** Imports the bank's bookings month by month, with a rule for each contract, whose amount its people correct a month late. */
export function measureLinks({ contracts, bookings }: BilledHousehold): Hits {
  const recorded = new Map<string, Set<CalendarDate>>(contracts.map(({ name }) => [name, new Set()]))
  const hits = { found: 0, right: 0, toFind: 0 }
  let before = ''
  for (const today of downloads()) {
    const rows = bookings.filter(({ date }) => date > before && date <= today)
    const rules = contracts.map((contract, index) => ruleOf(contract, index, today, recorded))
    const bankRows = rows.map((one) => ({
      ...{ accountId: accountOf(one), toAccountId: null, type: typeOf(one), amount: Math.abs(one.amount) },
      ...{ date: one.date, words: one.description },
    }))
    for (const { position, ruleId, date } of linkOccurrences(bankRows, rules, today)) {
      const [row, contract] = [rows[position], contracts[ruleId]]
      hits.found += 1
      if (row?.contract === contract && row?.nominal === date) hits.right += 1
      if (contract) recorded.get(contract.name)?.add(date)
    }
    hits.toFind += rows.filter(
      ({ contract, nominal }) => nominal !== null && contract !== null && contracts.includes(contract),
    ).length
    before = today
  }
  return { ...hits, solved: hits.right }
}

/** A file a month, some days into the next. */
const downloads = (): CalendarDate[] =>
  Array.from({ length: 12 }, (_, nth) => addDays('2025-08-04', Math.round(30.4 * nth)))

function ruleOf(
  contract: Contract,
  id: number,
  today: CalendarDate,
  recorded: Map<string, Set<CalendarDate>>,
) {
  const paid = contract.days.filter((day) => day <= today).length
  const type = contract.from === null ? ('income' as const) : ('expense' as const)
  return {
    ...{ id, version: 1, accountId: 1, toAccountId: null, type },
    ...{ amount: contract.amountOf(Math.max(paid - 2, 0)), amountTolerance: contract.tolerance },
    ...{
      words: [contract.payee.booked],
      isRecorded: (date: CalendarDate) => recorded.get(contract.name)?.has(date) === true,
    },
    ...{
      startsOn: contract.days[0] ?? '',
      rule: parseRecurrenceRule(contract.rrule),
      weekend: contract.weekend,
    },
    ...{ paused: false, openFrom: '2025-07-01', exceptions: {} },
  }
}
