import { addDays, type CalendarDate, daysBetween, type Span } from './dates.ts'
import { bookedIn, type IsRecorded, type Occurrence, type Occurring, openUntil } from './occurrences.ts'
import type { transactionTypes } from './types.ts'
import { payeeStems, shareWords } from './words.ts'

type Type = (typeof transactionTypes)[number]

/** A row of a bank; an account is null if it is not known. */
export type BankRow = {
  accountId: number | null
  toAccountId: number | null
  type: Type
  amount: number
  date: CalendarDate
  words: string
}

/** A rule whose occurrences rows may be. `words` has its texts, and those of rows that were its occurrences. */
export type LinkableRule = Occurring & {
  id: number
  version: number
  accountId: number
  toAccountId: number | null
  type: Type
  amount: number
  /** In percent. */
  amountTolerance: number
  words: string[]
  isRecorded: IsRecorded
}

/** A row, by its position, that is an open occurrence of a rule beyond doubt. */
export type OccurrenceLink = { position: number; ruleId: number; version: number; date: CalendarDate }

/** Banks book from so many days before the booking day to so many after it, but never beyond half the interval. */
const bookedDays = { before: 3, after: 6 }
/** Older occurrences are no candidates. */
const maxAge = 400

/** With more pairs, rows and rules are so alike that none is sure: a file of a year has far fewer. */
const maxCandidates = 20_000

type PlacedRow = { row: BankRow; position: number; day: number }
type Candidate = { position: number; rule: LinkableRule; date: CalendarDate }

/**
 * Finds the rows that are open occurrences: on the account, in the direction and for about the amount of a rule, about its
 * day, and with a word that names the payee. A row that could be two occurrences, or an occurrence that could be two rows,
 * is left to a person.
 */
export function linkOccurrences(
  rows: readonly BankRow[],
  rules: readonly LinkableRule[],
  today: CalendarDate,
): OccurrenceLink[] {
  const days = rows.map(({ date }) => date).sort()
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined || rules.length === 0) return []
  const oldest = addDays(today, -maxAge)
  const span: Span = {
    from: addDays(first > oldest ? first : oldest, -bookedDays.after),
    to: addDays(last, bookedDays.before),
  }
  const placed = rows.flatMap((row, position) =>
    placesOf(row).map((place) => ({ row, position, place, day: daysBetween(today, row.date) })),
  )
  const byPlace = Map.groupBy(placed, ({ place }) => place)
  const stems = rows.map(({ words }) => payeeStems(words))
  const candidates: Candidate[] = []
  for (const rule of rules) {
    const near = placesOf(rule).flatMap((place) => byPlace.get(place) ?? [])
    if (rule.paused || near.length === 0) continue
    for (const one of candidatesOf(rule, near, stems, span, today)) candidates.push(one)
    if (candidates.length > maxCandidates) return []
  }
  const isOpen = openOccurrences(rules, today, span.to)
  return onlyCandidates(candidates)
    .filter(isOpen)
    .map(({ position, rule, date }) => ({ position, ruleId: rule.id, version: rule.version, date }))
}

/** The accounts on which money moves, with its direction: of a transfer, both sides. */
function placesOf({ accountId, toAccountId, type }: Pick<BankRow, 'accountId' | 'toAccountId' | 'type'>) {
  const from = accountId === null ? [] : [`${accountId} ${type === 'transfer' ? 'expense' : type}`]
  return toAccountId === null ? from : [...from, `${toAccountId} income`]
}

function candidatesOf(
  rule: LinkableRule,
  near: PlacedRow[],
  stems: Set<string>[],
  span: Span,
  today: CalendarDate,
): Candidate[] {
  const own = new Set(rule.words.flatMap((words) => [...payeeStems(words)]))
  const booked = bookedIn(rule, span)
  const half = Math.min(
    ...booked.slice(1).map(({ date }, nth) => Math.floor(daysBetween(booked[nth]?.date ?? date, date) / 2)),
  )
  const byDay = Map.groupBy(booked, (one) => daysBetween(today, one.day))
  const found = new Map<string, Candidate>()
  for (const { row, position, day } of near) {
    if (!shareWords(stems[position] ?? new Set(), own)) continue
    for (let late = -Math.min(bookedDays.before, half); late <= Math.min(bookedDays.after, half); late++)
      for (const one of byDay.get(day - late) ?? [])
        if (isAmountOf(rule, one, row))
          found.set(`${position} ${one.date}`, { position, rule, date: one.date })
  }
  return [...found.values()]
}

function isAmountOf(rule: LinkableRule, { exception }: Occurrence, { amount }: BankRow): boolean {
  const expected = exception.amount ?? rule.amount
  return !exception.skip && Math.abs(amount - expected) * 100 <= expected * rule.amountTolerance
}

/** The candidates neither whose row nor whose occurrence is in another. */
function onlyCandidates(candidates: Candidate[]): Candidate[] {
  const rowsOf = Map.groupBy(candidates, keyOf)
  const occurrencesOf = Map.groupBy(candidates, ({ position }) => position)
  return candidates.filter(
    (one) => rowsOf.get(keyOf(one))?.length === 1 && occurrencesOf.get(one.position)?.length === 1,
  )
}

const keyOf = ({ rule, date }: Pick<Candidate, 'rule' | 'date'>) => `${rule.id} ${date}`

function openOccurrences(rules: readonly LinkableRule[], today: CalendarDate, to: CalendarDate) {
  const open = new Set(
    rules.flatMap((rule) =>
      openUntil(rule, rule.isRecorded, today, to).map(({ date }) => keyOf({ rule, date })),
    ),
  )
  return (one: Candidate) => open.has(keyOf(one))
}
