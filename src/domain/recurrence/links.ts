import { addDays, type CalendarDate, type Span } from '../dates.ts'
import type { transactionTypes } from '../types.ts'
import { payeeStems, shareWords } from '../words.ts'
import {
  bookedIn,
  halfInterval,
  type IsRecorded,
  type Occurrence,
  type Occurring,
  openUntil,
} from './occurrences.ts'

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

/** A row, by its position, that is an open occurrence of a rule. */
export type OccurrenceLink = { position: number; ruleId: number; version: number; date: CalendarDate }

/** Banks book from so many days before the booking day to so many after it, but never beyond half the interval. */
export const bookedDays = { before: 3, after: 6 }
/** Older occurrences are no candidates. */
const maxAge = 400

/** A row of the payee may be an occurrence whose amount has changed, by up to so many percent. */
export const maxChange = 50

/** With more pairs, rows and rules are so alike that none can be told from another: a file of a year has far fewer. */
const maxCandidates = 20_000

type Candidate = {
  position: number
  rule: LinkableRule
  date: CalendarDate
  /** The account on which the row moves money, and the direction. */
  place: string
  daysAway: number
  /** True if a word of the row names the payee. */
  isNamed: boolean
  /** True if the amount is not the expected one. Such a row names the payee. */
  isChanged: boolean
}

/** Finds the rows that are open occurrences beyond doubt. */
export function linkOccurrences(
  rows: readonly BankRow[],
  rules: readonly LinkableRule[],
  today: CalendarDate,
): OccurrenceLink[] {
  const isSound = ({ isNamed, isChanged }: Candidate) => isNamed && !isChanged
  const { candidates, isOpen } = candidatesOf(rows, rules, today, isSound)
  return sureOf(candidates).filter(isOpen).map(linkOf)
}

type Possible = {
  /** False for a row and an occurrence that the user has told apart. */
  isAllowed: (link: OccurrenceLink) => boolean
  /** True for a recorded occurrence of which no bank's row is known: it may be recorded with an old amount. */
  isUnbooked: (link: OccurrenceLink) => boolean
}

/**
 * Finds the rows that may be open occurrences, each of them once: those beyond doubt, then those that name the payee, then
 * the nearest. A row that names the payee of an occurrence that is not open is none that it does not name. Last come rows
 * of the payee with another amount, for occurrences that are open or unbooked; neither has a counterpart of its own amount.
 */
export function possibleOccurrences(
  rows: readonly BankRow[],
  rules: readonly LinkableRule[],
  today: CalendarDate,
  { isAllowed, isUnbooked }: Possible,
): (OccurrenceLink & { isSure: boolean })[] {
  const { candidates, isOpen } = candidatesOf(rows, rules, today, (one) => isAllowed(linkOf(one)))
  const sure = new Set(sureOf(candidates))
  const named = candidates.filter(({ isNamed, isChanged }) => isNamed && !isChanged)
  const closed = new Set(named.flatMap((one) => (isOpen(one) ? [] : [one.position])))
  const explained = new Set(named.flatMap((one) => [one.position, keyOf(one)]))
  const rankOf = (one: Candidate) => (sure.has(one) ? 0 : one.isChanged ? 3 : one.isNamed ? 1 : 2)
  const isPossible = (one: Candidate) =>
    one.isChanged
      ? !explained.has(one.position) && !explained.has(keyOf(one)) && (isOpen(one) || isUnbooked(linkOf(one)))
      : isOpen(one) && (one.isNamed || !closed.has(one.position))
  const open = candidates
    .filter(isPossible)
    .sort((a, b) => rankOf(a) - rankOf(b) || Math.abs(a.daysAway) - Math.abs(b.daysAway))
  const taken = new Set<string | number>()
  return open.flatMap((one) => {
    if (taken.has(one.position) || taken.has(keyOf(one))) return []
    taken.add(one.position).add(keyOf(one))
    return [{ ...linkOf(one), isSure: sure.has(one) }]
  })
}

const linkOf = ({ position, rule, date }: Candidate): OccurrenceLink => ({
  position,
  ruleId: rule.id,
  version: rule.version,
  date,
})

/**
 * The pairs of rows and occurrences, open or not, that agree in account, direction and day, and in the amount or, if the
 * row names the payee, nearly.
 */
function candidatesOf(
  rows: readonly BankRow[],
  rules: readonly LinkableRule[],
  today: CalendarDate,
  isWanted: (one: Candidate) => boolean,
) {
  const days = rows.map(({ date }) => date).sort()
  const [first = today, last = today] = [days[0], days.at(-1)]
  const oldest = addDays(today, -maxAge)
  const span: Span = {
    from: addDays(first > oldest ? first : oldest, -bookedDays.after),
    to: addDays(last, bookedDays.before),
  }
  const stems = rows.map(({ words }) => payeeStems(words))
  const byPlace = Map.groupBy(
    rows.flatMap((row, position) => placesOf(row).map((place) => ({ row, position, place }))),
    ({ place }) => place,
  )
  const candidates: Candidate[] = []
  for (const rule of rules) {
    const near = placesOf(rule).flatMap((place) => byPlace.get(place) ?? [])
    if (rule.paused || near.length === 0) continue
    const payee = new Set(rule.words.flatMap((words) => [...payeeStems(words)]))
    const occurrencesOn = occurrencesByDay(rule, span)
    for (const { row, position, place } of near)
      for (const { date, daysAway, exception } of occurrencesOn.get(row.date) ?? []) {
        const expected = exception.amount ?? rule.amount
        if (exception.skip || !isSameMovement(rule, row) || !isWithin(maxChange, expected, row)) continue
        const isNamed = shareWords(stems[position] ?? new Set(), payee)
        const isChanged = !isWithin(rule.amountTolerance, expected, row)
        const one = { position, rule, date, place, daysAway, isNamed, isChanged }
        if ((isNamed || !isChanged) && isWanted(one)) candidates.push(one)
      }
    if (candidates.length > maxCandidates) return { candidates: [], isOpen: () => false }
  }
  return { candidates, isOpen: openOccurrences(rules, today, span.to) }
}

/** The accounts on which money moves, with its direction: of a transfer, both sides. */
function placesOf({ accountId, toAccountId, type }: Pick<BankRow, 'accountId' | 'toAccountId' | 'type'>) {
  const from = accountId === null ? [] : [`${accountId} ${type === 'transfer' ? 'expense' : type}`]
  return toAccountId === null ? from : [...from, `${toAccountId} income`]
}

/** The occurrences that a bank may book on a day, by that day. */
function occurrencesByDay(rule: LinkableRule, span: Span) {
  const half = halfInterval(rule, span)
  const found = new Map<CalendarDate, (Occurrence & { daysAway: number })[]>()
  for (const one of bookedIn(rule, span))
    for (let away = -Math.min(bookedDays.before, half); away <= Math.min(bookedDays.after, half); away++) {
      const day = addDays(one.day, away)
      found.set(day, [...(found.get(day) ?? []), { ...one, daysAway: away }])
    }
  return found
}

/** False for a transfer between other accounts than those of the rule, or one that the rule is not. */
const isSameMovement = (rule: LinkableRule, row: BankRow) =>
  row.type !== 'transfer' ||
  (rule.type === 'transfer' && rule.accountId === row.accountId && rule.toAccountId === row.toAccountId)

const isWithin = (percent: number, expected: number, { amount }: BankRow): boolean =>
  Math.abs(amount - expected) * 100 <= expected * percent

/**
 * The candidates of the expected amount that name the payee and neither whose row nor whose occurrence is in another such one. Both sides of a
 * transfer are one occurrence: the outflow is taken.
 */
function sureOf(candidates: Candidate[]): Candidate[] {
  const named = candidates.filter(({ isNamed, isChanged }) => isNamed && !isChanged)
  const occurrencesOf = Map.groupBy(named, ({ position }) => position)
  const rowsOf = Map.groupBy(named, (one) => `${keyOf(one)} ${one.place}`)
  const sure = named.filter(
    (one) =>
      new Set(occurrencesOf.get(one.position)?.map(keyOf)).size === 1 &&
      rowsOf.get(`${keyOf(one)} ${one.place}`)?.length === 1,
  )
  const byOccurrence = Map.groupBy(sure, keyOf)
  return [...byOccurrence.values()].flatMap((sides) => sides.find(isOutflow) ?? sides.slice(0, 1))
}

const isOutflow = ({ place }: Candidate) => place.endsWith('expense')

const keyOf = ({ rule, date }: Pick<Candidate, 'rule' | 'date'>) => `${rule.id} ${date}`

function openOccurrences(rules: readonly LinkableRule[], today: CalendarDate, to: CalendarDate) {
  const open = new Set(
    rules.flatMap((rule) =>
      openUntil(rule, rule.isRecorded, today, to).map(({ date }) => keyOf({ rule, date })),
    ),
  )
  return (one: Candidate) => open.has(keyOf(one))
}
