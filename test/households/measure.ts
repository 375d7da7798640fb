import type { CalendarDate } from '../../src/domain/dates.ts'
import type { MatchKind } from '../../src/domain/match-row.ts'
import { matchKinds } from '../../src/domain/types.ts'
import { findMatches, type Match } from '../../src/matches/matching.ts'
import type { Household } from './household.ts'
import type { Place } from './life.ts'
import { accountIds, type Row, rowsOf, subjectOf, truthOf } from './rows.ts'

/**
 * How many matches were found, how many are right, and how many name the wrong one of two equal rows that both exist twice:
 * Tuesday's coffee for Wednesday's, which makes no difference.
 */
export type Tally = { found: number; right: number; equal: number }
/** `toFind` is how many there were to find, tips and typing errors included. */
export type Measured = Record<MatchKind, { sure: Tally; likely: Tally; toFind: number; solved: number }>

/** Joining a match can make another one visible. */
const maxRounds = 4

/**
 * Goes through a household's files as they were downloaded. Sure matches are joined after each, right or wrong; likely
 * ones are confirmed or rejected by the household.
 */
export function measureAsFilesCome(household: Household): Measured {
  return new Ledger(household).run(household.files.map(({ downloaded }) => downloaded))
}

/** Imports all files at once, and then looks. */
export function measureAtOnce(household: Household): Measured {
  return new Ledger(household).run(household.files.map(({ downloaded }) => downloaded).slice(-1))
}

/** Adds up the measurements of many households. */
export function sumOf(all: Measured[]): Measured {
  return all.reduce((sum, one) => {
    for (const kind of matchKinds) {
      for (const certainty of ['sure', 'likely'] as const)
        for (const count of ['found', 'right', 'equal'] as const)
          sum[kind][certainty][count] += one[kind][certainty][count]
      sum[kind].toFind += one[kind].toFind
      sum[kind].solved += one[kind].solved
    }
    return sum
  }, nothing())
}

class Ledger {
  readonly #all: Row[]
  readonly #accountNames: Map<number, string>
  readonly #payees: Map<number, string>
  readonly #truth: Record<MatchKind, Set<string>>
  readonly #measured = nothing()
  readonly #seen = new Set<string>()
  readonly #solved = { duplicate: new Set<string>(), transfer: new Set<string>() }
  #rows: Row[] = []

  constructor(household: Household) {
    this.#all = rowsOf(household)
    const names = Object.entries(household.names) as [Place, string][]
    this.#accountNames = new Map(names.map(([place, name]) => [accountIds[place], name]))
    this.#payees = new Map(household.events.map(({ id, payee }) => [id, payee.booked]))
    this.#truth = { duplicate: truthOf('duplicate', this.#all), transfer: truthOf('transfer', this.#all) }
  }

  run(days: CalendarDate[]): Measured {
    let before = ''
    for (const day of days) {
      this.#rows.push(...this.#all.filter(({ arrives }) => before < arrives && arrives <= day))
      before = day
      for (let round = 1; round <= maxRounds && this.#look(); round++);
    }
    for (const kind of matchKinds) {
      const truth = [...this.#truth[kind]]
      this.#measured[kind].toFind = truth.length
      this.#measured[kind].solved = truth.filter((subject) => this.#solved[kind].has(subject)).length
    }
    return this.#measured
  }

  /** Looks for matches and settles them; false if there was nothing new. */
  #look(): boolean {
    const isRejected = (kind: MatchKind, ids: [number, number]) => this.#seen.has(`${kind} ${ids}`)
    const matches = findMatches(this.#rows, { accountNames: this.#accountNames, isRejected })
    for (const match of matches) this.#settle(match)
    return matches.length > 0
  }

  #settle(match: Match): void {
    const { kind, ids, certainty } = match
    this.#seen.add(`${kind} ${ids}`)
    const [first, second] = pairOf(this.#rows, match)
    const isRight = first.event === second.event
    const isEqual = !isRight && this.#areEqual(kind, first, second)
    const tally = this.#measured[kind][certainty]
    tally.found += 1
    if (isRight) tally.right += 1
    if (isEqual) tally.equal += 1
    if (isRight || isEqual) this.#solved[kind].add(subjectOf(kind, first))
    if (certainty === 'sure' || isRight || isEqual) this.#join(kind, first, second)
  }

  #areEqual(kind: MatchKind, first: Row, second: Row): boolean {
    const areTwice = [first, second].every((row) => this.#truth[kind].has(subjectOf(kind, row)))
    return areTwice && this.#payees.get(first.event) === this.#payees.get(second.event)
  }

  #join(kind: MatchKind, first: Row, second: Row): void {
    first.settled.push(kind)
    second.settled.push(kind)
    if (kind === 'transfer') return
    first.words = `${first.words} ${second.words}`
    this.#rows = this.#rows.filter((row) => row !== second)
  }
}

function nothing(): Measured {
  const tally = (): Tally => ({ found: 0, right: 0, equal: 0 })
  const kind = () => ({ sure: tally(), likely: tally(), toFind: 0, solved: 0 })
  return { duplicate: kind(), transfer: kind() }
}

/** The rows that a match names. A transfer has two legs with one id, one of which is like the other row. */
function pairOf(rows: Row[], { kind, ids }: Match): [Row, Row] {
  const [firsts = [], seconds = []] = ids.map((id) => rows.filter((row) => row.id === id))
  const pairs = firsts.flatMap((first) => seconds.map((second): [Row, Row] => [first, second]))
  const isAlike = ([first, second]: [Row, Row]) =>
    kind === 'transfer' || (first.accountId === second.accountId && first.type === second.type)
  return pairs.find(isAlike) as [Row, Row]
}
