import type { MatchReason, MatchRow } from '../domain/match-row.ts'

/** A row with its day as a number, its distinctive words, and those that name its payee. */
export type DatedRow = MatchRow & { day: number; distinctive: () => Set<string>; payee: () => Set<string> }
/** Two rows that may be one event. With `isDoubt` they are too far apart, but keep others from being sure. */
export type RowPair = { first: DatedRow; second: DatedRow; daysApart: number; isDoubt: boolean }
/** Of a transfer, `naming` has the rows that name the account of the other. */
export type Candidate = RowPair & { evidence: MatchReason[]; naming?: DatedRow[] }
/** How many days after the first row of a pair the second may be posted; from `doubt` to `from`, it only casts doubt. */
export type Days = { doubt: number; from: number; to: number }

/** At most this many possible counterparts of a row are compared, the earliest. */
const maxCandidates = 24
/** The worth of a pair, less its days off the usual: high enough that more pairs beat nearer ones. */
const worthOfPair = 1_000

export function byDay(a: DatedRow, b: DatedRow): number {
  return a.day - b.day || a.id - b.id || a.type.localeCompare(b.type)
}

/** Pairs each of the firsts with the seconds that `days` allows. Both lists must be in the order of their days. */
export function pairsWithin(firsts: DatedRow[], seconds: DatedRow[], days: Days): RowPair[] {
  const pairs: RowPair[] = []
  let start = 0
  for (const first of firsts) {
    while ((seconds[start]?.day ?? Infinity) < first.day + days.doubt) start++
    for (const second of seconds.slice(start, start + maxCandidates)) {
      const daysApart = second.day - first.day
      if (daysApart > days.to) break
      pairs.push({ first, second, daysApart, isDoubt: daysApart < days.from })
    }
  }
  return pairs
}

/**
 * Takes the best candidates whose rows are both free, each row once: first those that name an account, then those
 * with words in common, then the others. Among equals, seconds come in the order of the firsts, each about as many days
 * later as is usual for its account.
 */
export function choose(candidates: Candidate[], isFree: (row: DatedRow) => boolean): Candidate[] {
  const usualDays = usualDaysOf(candidates)
  const taken = new Set<DatedRow>()
  const isOpen = ({ first, second, isDoubt }: Candidate) =>
    !isDoubt && !taken.has(first) && !taken.has(second) && isFree(first) && isFree(second)
  const take = (some: Candidate[]) => {
    const alike = Map.groupBy(
      some.filter(isOpen),
      ({ first, second }) => `${poolOf(first)} ${poolOf(second)}`,
    )
    const best = [...alike.values()].flatMap((group) => bestInOrder(group, usualDays)).filter(isOpen)
    for (const { first, second } of best) taken.add(first).add(second)
    return best
  }
  return [
    ...take(candidates.filter(({ evidence }) => evidence.includes('account_named'))),
    ...take(candidates.filter(({ evidence }) => evidence.length > 0)),
    ...take(candidates),
  ]
}

/** The candidates neither of whose rows is in another. A second that has a proper candidate casts no doubt on others. */
export function onlyCandidates(candidates: Candidate[]): Set<Candidate> {
  const proper = candidates.filter(({ isDoubt }) => !isDoubt)
  const explained = new Set(proper.map(({ second }) => second))
  const doubts = candidates.filter(({ isDoubt, second }) => isDoubt && !explained.has(second))
  const count = new Map<DatedRow, number>()
  const add = (row: DatedRow) => count.set(row, (count.get(row) ?? 0) + 1)
  for (const { first, second } of [...proper, ...doubts]) {
    add(first)
    add(second)
  }
  const isOnly = (row: DatedRow) => count.get(row) === 1
  return new Set(proper.filter(({ first, second }) => isOnly(first) && isOnly(second)))
}

/** The same for rows of one account, type and amount. */
export const poolOf = ({ accountId, type, amount }: DatedRow) => `${accountId} ${type} ${amount}`

/** How many days an account's bank usually takes: the median of the `onlyCandidates`. */
function usualDaysOf(candidates: Candidate[]): (of: Candidate) => number {
  const known = Map.groupBy(onlyCandidates(candidates), ({ second }) => second.accountId)
  const medians = new Map(
    [...known].map(([account, of]) => {
      const days = of.map(({ daysApart }) => daysApart).sort((a, b) => a - b)
      return [account, days[days.length >> 1] ?? 0]
    }),
  )
  return ({ second }) => medians.get(second.accountId) ?? 0
}

/** The best of some candidates for pairs, linked from the last to the first. */
type Chain = { worth: number; one: Candidate; rest: Chain | undefined }

/**
 * As many candidates as possible with seconds in the order of firsts and, among such choices, those nearest the usual days.
 */
function bestInOrder(candidates: Candidate[], usualDays: (of: Candidate) => number): Candidate[] {
  const seconds = [...new Set(candidates.map(({ second }) => second))].sort(byDay)
  const places = new Map(seconds.map((second, place) => [second, place]))
  // At each place, the best chain of the seconds before it. Those of later places are added when they are reached.
  const chains: (Chain | undefined)[] = [undefined]
  for (const ofFirst of Map.groupBy(candidates, ({ first }) => first).values()) {
    const found = ofFirst.map((one) => {
      const place = places.get(one.second) ?? 0
      while (chains.length <= place + 1) chains.push(chains.at(-1))
      const rest = chains[place]
      const worth = (rest?.worth ?? 0) + worthOfPair - Math.abs(one.daysApart - usualDays(one))
      return { place, chain: { worth, one, rest } }
    })
    for (const { place, chain } of found)
      for (let at = place + 1; at < chains.length; at++)
        if (chain.worth > (chains[at]?.worth ?? 0)) chains[at] = chain
  }
  const best: Candidate[] = []
  for (let chain = chains.at(-1); chain; chain = chain.rest) best.push(chain.one)
  return best.reverse()
}
