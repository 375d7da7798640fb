import type { CalendarDate } from '../../src/domain/dates.ts'
import { findMatches, type Match, type MatchKind, type MatchRow } from '../../src/domain/matching.ts'
import type { Household } from './household.ts'
import type { Place } from './life.ts'

/** A row of the service, and the event that it is of. */
type Row = MatchRow & { event: number; arrives: CalendarDate; settled: MatchKind[] }
/** How many matches were found, how many of them are right, and how many there were to find. */
export type Tally = { found: number; right: number }
export type Measured = Record<MatchKind, { sure: Tally; likely: Tally; toFind: number; missed: string[] }>

const accountIds = { giro: 1, second: 2, cash: 3 }
/** Joining a match can make another one visible. */
const mostRounds = 4

/**
 * Goes through a household's files as they were downloaded. What is sure is joined after each; of what is likely the
 * household says truthfully whether it is so.
 */
export function measureAsFilesCome(household: Household): Measured {
  return new Ledger(household).run(household.files.map(({ downloaded }) => downloaded))
}

/** Imports all files at once, and then looks. */
export function measureAtOnce(household: Household): Measured {
  return new Ledger(household).run(household.files.map(({ downloaded }) => downloaded).slice(-1))
}

class Ledger {
  readonly #household: Household
  readonly #names: Map<number, string>
  readonly #measured: Measured
  readonly #seen = new Set<string>()
  readonly #solved = new Set<string>()
  readonly #toCome: Row[]
  #rows: Row[] = []

  constructor(household: Household) {
    this.#household = household
    this.#names = new Map(
      Object.entries(household.names).map(([place, name]) => [accountIds[place as Place], name]),
    )
    this.#measured = { duplicate: nothing(), transfer: nothing() }
    this.#toCome = rowsOf(household)
  }

  run(days: CalendarDate[]): Measured {
    for (const day of days) {
      this.#rows = [...this.#rows, ...this.#toCome.filter(({ arrives }) => arrives <= day)]
      this.#toCome.splice(0, Infinity, ...this.#toCome.filter(({ arrives }) => arrives > day))
      for (let round = 1; round <= mostRounds && this.#look(); round++);
    }
    for (const kind of ['duplicate', 'transfer'] as const) {
      const truth = truthOf(kind, rowsOf(this.#household))
      const { sure, likely } = this.#measured[kind]
      this.#measured[kind] = {
        sure,
        likely,
        toFind: truth.size,
        missed: [...truth].filter((key) => !this.#solved.has(key)),
      }
    }
    return this.#measured
  }

  /** Looks for matches and settles them; false if there was nothing new. */
  #look(): boolean {
    const isRejected = (kind: MatchKind, ids: [number, number]) => this.#seen.has(`${kind} ${ids}`)
    const matches = findMatches(this.#rows, { accountNames: this.#names, isRejected })
    for (const match of matches) this.#settle(match)
    return matches.length > 0
  }

  #settle(match: Match): void {
    const { kind, ids, certainty } = match
    this.#seen.add(`${kind} ${ids}`)
    const [first, second] = pairOf(this.#rows, match)
    const isRight = first.event === second.event
    const tally = this.#measured[kind][certainty]
    tally.found += 1
    if (isRight) tally.right += 1
    if (isRight) this.#solved.add(keyOf(kind, first))
    if (certainty === 'likely' && !isRight) return
    if (kind === 'duplicate') {
      first.settled.push('duplicate')
      first.words = `${first.words} ${second.words}`
      this.#rows = this.#rows.filter((row) => row !== second)
    } else {
      first.settled.push('transfer')
      second.settled.push('transfer')
    }
  }
}

const nothing = () => ({
  sure: { found: 0, right: 0 },
  likely: { found: 0, right: 0 },
  toFind: 0,
  missed: [],
})

/** The rows that a match names. A transfer has two legs with one id, one of which is like the other row. */
function pairOf(rows: Row[], { kind, ids }: Match): [Row, Row] {
  const [firsts, seconds] = ids.map((id) => rows.filter((row) => row.id === id)) as [Row[], Row[]]
  const pairs = firsts.flatMap((first) => seconds.map((second): [Row, Row] => [first, second]))
  const fits = ([first, second]: [Row, Row]) =>
    kind === 'transfer' || (first.accountId === second.accountId && first.type === second.type)
  return pairs.find(fits) as [Row, Row]
}

/** All rows: what was typed on its day, and what the files bring when they come, overlaps once. */
function rowsOf({ typed, files }: Household): Row[] {
  let id = 0
  const rows = typed.flatMap((note): Row[] => {
    id += 1
    const { event, amount, date, words } = note
    const row = (type: MatchRow['type'], place: Place) => ({
      ...{
        id,
        accountId: accountIds[place],
        type,
        amount,
        date,
        words,
        importId: null,
        event,
        arrives: date,
      },
      settled: note.to === null ? [] : ['transfer' as const],
    })
    if (note.to === null || note.type !== 'transfer')
      return [row(note.type as MatchRow['type'], note.account)]
    return [row('expense', note.account), row('income', note.to)]
  })
  const known = new Set<string>()
  for (const [index, { bank, bookings, downloaded }] of files.entries())
    for (const { event, date, amount, description, reference } of bookings) {
      if (known.has(reference)) continue
      known.add(reference)
      id += 1
      const type = amount < 0 ? 'expense' : 'income'
      const words = `${description} ${reference}`
      const ofFile = { id, accountId: accountIds[bank], importId: index + 1, arrives: downloaded }
      rows.push({ ...ofFile, type, amount: Math.abs(amount), date, words, event, settled: [] })
    }
  return rows
}

const keyOf = (kind: MatchKind, { event, accountId }: Row) =>
  kind === 'duplicate' ? `${kind} ${event} ${accountId}` : `${kind} ${event}`

/** What there is to find: events that were both typed and booked on an account, and those with a row for each leg. */
function truthOf(kind: MatchKind, rows: Row[]): Set<string> {
  const groups = Map.groupBy(rows, (row) => keyOf(kind, row))
  const isTwice = (group: Row[]) => {
    if (kind === 'duplicate') return new Set(group.map(({ importId }) => importId === null)).size === 2
    const legs = (type: MatchRow['type']) =>
      group.filter((row) => row.type === type && row.settled.length === 0)
    const isWhole = group.some(({ settled }) => settled.length > 0)
    // A transfer whose amounts differ by a fee is left to its owner.
    return (
      !isWhole && legs('expense').some((out) => legs('income').some((into) => into.amount === out.amount))
    )
  }
  return new Set([...groups].filter(([, group]) => isTwice(group)).map(([key]) => key))
}
