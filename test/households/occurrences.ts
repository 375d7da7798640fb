import { addDays, type CalendarDate } from '../../src/domain/dates.ts'
import type { MatchRow } from '../../src/domain/match-row.ts'
import type { Minor } from '../../src/domain/money.ts'
import { bookingDay } from '../../src/domain/recurrence/dates.ts'
import {
  linkOccurrences,
  type OccurrenceLink,
  possibleOccurrences,
} from '../../src/domain/recurrence/links.ts'
import { halfInterval } from '../../src/domain/recurrence/occurrences.ts'
import { findRepeating } from '../../src/domain/recurrence/repeating.ts'
import { parseRecurrenceRule } from '../../src/domain/recurrence/rule.ts'
import { findMatches } from '../../src/matches/matching.ts'
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

/**
 * Imports the bank's bookings month by month, with a rule for each contract, whose amount its people correct a month late.
 * Returns the links, and the open occurrences that the rows which were not linked may be.
 */
export function measureLinks({ contracts, bookings }: BilledHousehold): { links: Hits; possible: Hits } {
  const recorded = new Map<string, Set<CalendarDate>>(contracts.map(({ name }) => [name, new Set()]))
  const links = { found: 0, right: 0 }
  const possible = { found: 0, right: 0 }
  const seen = new Set<string>()
  let unlinked: Paid[] = []
  let before = ''
  for (const today of downloads()) {
    const rows = bookings.filter(({ date }) => date > before && date <= today)
    const rules = () => contracts.map((contract, index) => ruleOf(contract, index, today, recorded))
    const settle = (of: Paid[], hits: typeof links, found: OccurrenceLink[]) => {
      const settled = found.flatMap(({ position, ruleId, date }) => {
        const [row, contract] = [of[position], contracts[ruleId]]
        const isRight = row?.contract === contract && row?.nominal === date
        hits.found += 1
        if (isRight) hits.right += 1
        if (hits === possible) seen.add(`${row?.reference} ${ruleId} ${date}`)
        if (hits === possible && !isRight) return []
        if (contract) recorded.get(contract.name)?.add(date)
        return row ? [row] : []
      })
      return of.filter((row) => !settled.includes(row))
    }
    const left = settle(rows, links, linkOccurrences(rows.map(bankRow), rules(), today))
    unlinked = [...unlinked.filter(({ date }) => date > addDays(today, -60)), ...left]
    const isNew = ({ position, ruleId, date }: OccurrenceLink) =>
      !seen.has(`${unlinked[position]?.reference} ${ruleId} ${date}`)
    unlinked = settle(
      unlinked,
      possible,
      possibleOccurrences(unlinked.map(bankRow), rules(), today, {
        isAllowed: isNew,
        isUnbooked: () => false,
      }),
    )
    before = today
  }
  const toFind = occurrencesBooked(contracts, bookings)
  return {
    links: { ...links, toFind, solved: links.right },
    possible: { ...possible, toFind: toFind - links.right, solved: possible.right },
  }
}

/**
 * Records the occurrences of contracts that have one amount on their days, as the job does, before the bank's bookings are
 * imported; returns the duplicates that are sure.
 */
export function measureRecorded({ contracts, bookings }: BilledHousehold): Hits {
  const fixed = contracts.filter(({ tolerance }) => tolerance === 0)
  const recorded = fixed.flatMap((contract, rule) =>
    contract.days.map((nominal, nth) => ({
      ...{ contract, nominal, rule, amount: contract.amountOf(Math.max(nth - 1, 0)) },
      date: bookingDay(nominal, contract.weekend),
    })),
  )
  const truth = new Map<number, { contract: Contract | null; nominal: CalendarDate | null }>()
  const rows: MatchRow[] = recorded.flatMap(({ contract, nominal, date, amount }, index) => {
    const id = index + 1
    truth.set(id, { contract, nominal })
    const schedule = { startsOn: contract.days[0] ?? '', rule: parseRecurrenceRule(contract.rrule) }
    const half = halfInterval(schedule, { from: date, to: date })
    const row = { id, amount, date, importId: null, words: contract.payee.typed[0] ?? '' }
    const occurrence = { half, texts: [contract.payee.booked] }
    const leg = (accountId: number, type: MatchRow['type'], counterpart: number | null): MatchRow => ({
      ...{ ...row, occurrence, accountId, type, counterpart },
      settled: counterpart === null ? [] : ['transfer'],
    })
    const { from, to } = contract
    if (from !== null && to !== null) return [leg(1, 'expense', 2), leg(2, 'income', 1)]
    return [leg(1, from === null ? 'income' : 'expense', null)]
  })
  for (const [nth, one] of bookings.entries()) {
    const id = recorded.length + 1 + nth
    truth.set(id, one)
    const importId = 1 + downloads().filter((day) => day < one.date).length
    rows.push({ ...bankRow(one), id, importId })
  }
  const found = findMatches(rows, { kind: 'duplicate', accountNames: new Map(), isRejected: () => false })
  const sure = found.filter(({ ids, certainty }) => certainty === 'sure' && ids[0] <= recorded.length)
  const isRight = ({ ids: [first, second] }: { ids: [number, number] }) => {
    const [one, other] = [truth.get(first), truth.get(second)]
    return one?.contract === other?.contract && one?.nominal === other?.nominal
  }
  const right = sure.filter(isRight).length
  const amounts = new Set(
    recorded.map(({ contract, nominal, amount }) => `${contract.name} ${nominal} ${amount}`),
  )
  const isAmount = ({ contract, nominal, amount }: Paid) =>
    amounts.has(`${contract?.name} ${nominal} ${Math.abs(amount)}`)
  const toFind = occurrencesBooked(fixed, bookings.filter(isAmount))
  return { found: sure.length, right, toFind, solved: right }
}

/** How many occurrences the bank has booked: both sides of a transfer are one. */
function occurrencesBooked(contracts: Contract[], bookings: Paid[]): number {
  const booked = bookings.flatMap(({ contract, nominal }) =>
    contract !== null && nominal !== null && contracts.includes(contract)
      ? [`${contract.name} ${nominal}`]
      : [],
  )
  return new Set(booked).size
}

const bankRow = (one: Paid) => ({
  ...{ accountId: accountOf(one), toAccountId: null, type: typeOf(one), amount: Math.abs(one.amount) },
  ...{ date: one.date, words: one.description },
})

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
  const isTransfer = contract.from !== null && contract.to !== null
  const type = isTransfer
    ? ('transfer' as const)
    : contract.from === null
      ? ('income' as const)
      : ('expense' as const)
  return {
    ...{ id, version: 1, accountId: 1, toAccountId: isTransfer ? 2 : null, type },
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
