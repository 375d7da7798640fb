import { type CalendarDate, dayMs } from './dates.ts'
import { shareWords, tellingWords } from './match-words.ts'

export const matchKinds = ['duplicate', 'transfer'] as const
export type MatchKind = (typeof matchKinds)[number]
export const matchCertainties = ['sure', 'likely'] as const

/** Why two rows were matched, as the document explains it. */
export const matchReasons = {
  same_amount: 'The amounts are the same.',
  days_apart: 'The days are near enough to each other.',
  words_in_common: 'Descriptions or references have a word in common.',
  account_named: 'One of them names the account of the other.',
  only_candidate: 'Nothing else could be the same as either.',
} as const
export type MatchReason = keyof typeof matchReasons

/**
 * An income or expense that may have a counterpart; or a leg of a transfer, which stands once for each of its accounts
 * with the same id.
 */
export type MatchRow = {
  id: number
  accountId: number
  type: 'income' | 'expense'
  /** Minor units, positive. */
  amount: number
  date: CalendarDate
  /** Description and reference. */
  words: string
  /**
   * The import that brought it, or one whose row has been joined to it or absorbed by it. Null if somebody typed it, and
   * no bank's row is known to be the same.
   */
  importId: number | null
  /** True for a leg of a transfer, which is nobody's other leg but may stand in a bank's file as well. */
  isLeg?: boolean
}

/** Two rows that are one event. */
export type Match = {
  kind: MatchKind
  /** Of a duplicate the row that was there first, of a transfer the outflow; then the other. */
  ids: [number, number]
  /** From the first to the second; negative if the second is earlier. */
  daysApart: number
  /** `sure` if neither row could be matched with another one. */
  certainty: (typeof matchCertainties)[number]
  reasons: MatchReason[]
}

export type MatchOptions = {
  /** Both, if not given. */
  kind?: MatchKind | undefined
  /** The names of the user's accounts, by their ids. */
  accountNames: ReadonlyMap<number, string>
  /** True for a pair of which the user said that it is none. */
  isRejected: (kind: MatchKind, ids: [number, number]) => boolean
}

/** Of a duplicate, how many days after the typed date a bank posts. */
const duplicateDays = { from: -1, to: 6 }
/** Of a transfer, how many days after the outflow the inflow is posted. */
const transferDays = { from: -1, to: 5 }
/** Of each row, the first so many that could be its counterpart are looked at. */
const mostCandidates = 16

type Entry = MatchRow & { day: number; telling: () => Set<string> }
type Candidate = { first: Entry; second: Entry; daysApart: number; evidence: MatchReason[] }

/**
 * Finds the rows that stand twice (typed by hand, and in the bank's file days later; or in two files) and those that are
 * the two legs of a transfer between own accounts. Each row is in one match at most. The order of the rows does not
 * matter. The work is linear in the number of rows but for sorting them.
 */
export function findMatches(rows: readonly MatchRow[], options: MatchOptions): Match[] {
  const { kind, accountNames, isRejected } = options
  const entries = rows
    .map(entryOf)
    .sort((a, b) => a.day - b.day || a.id - b.id || a.type.localeCompare(b.type))
  const isOpen = (kind: MatchKind) => (one: Candidate) => !isRejected(kind, [one.first.id, one.second.id])
  const duplicates = choose('duplicate', duplicateCandidates(entries).filter(isOpen('duplicate')))
  if (kind === 'duplicate') return duplicates
  // What stands twice moves once: the row that came first, or all of its pair where that is answered as well.
  const taken = new Set(duplicates.flatMap(({ ids }) => (kind === 'transfer' ? [ids[0]] : ids)))
  const left = entries.filter(({ id, isLeg }) => !taken.has(id) && !isLeg)
  const transfers = choose('transfer', transferCandidates(left, accountNames).filter(isOpen('transfer')))
  return kind === 'transfer' ? transfers : [...duplicates, ...transfers]
}

function entryOf(row: MatchRow): Entry {
  let telling: Set<string> | undefined
  return {
    ...row,
    day: Date.parse(`${row.date}T00:00:00Z`) / dayMs,
    telling: () => {
      telling ??= tellingWords(row.words)
      return telling
    },
  }
}

function duplicateCandidates(entries: Entry[]): Candidate[] {
  const alike = Map.groupBy(entries, ({ accountId, type, amount }) => `${accountId} ${type} ${amount}`)
  return [...alike.values()].flatMap((group) => {
    const typed = group.filter(({ importId }) => importId === null)
    const imported = group.filter(({ importId }) => importId !== null)
    const pairs = [
      ...pairsWithin(typed, imported, duplicateDays),
      ...pairsWithin(imported, imported, duplicateDays),
    ]
    return pairs
      .filter(({ first, second }) => (first.importId ?? 0) < (second.importId ?? 0))
      .map((pair) => ({ ...pair, evidence: wordsInCommon(pair) }))
  })
}

function transferCandidates(entries: Entry[], accountNames: ReadonlyMap<number, string>): Candidate[] {
  const names = new Map([...accountNames].map(([id, name]) => [id, tellingWords(name)]))
  const isNamed = (one: Entry, other: Entry) =>
    shareWords(one.telling(), names.get(other.accountId) ?? new Set())
  const alike = Map.groupBy(entries, ({ amount }) => amount)
  return [...alike.values()].flatMap((group) => {
    const outflows = group.filter(({ type }) => type === 'expense')
    const inflows = group.filter(({ type }) => type === 'income')
    return pairsWithin(outflows, inflows, transferDays)
      .filter(({ first, second }) => first.accountId !== second.accountId)
      .map((pair) => {
        const named = isNamed(pair.first, pair.second) || isNamed(pair.second, pair.first)
        return { ...pair, evidence: [...(named ? ['account_named' as const] : []), ...wordsInCommon(pair)] }
      })
  })
}

function wordsInCommon({ first, second }: { first: Entry; second: Entry }): MatchReason[] {
  return shareWords(first.telling(), second.telling()) ? ['words_in_common'] : []
}

/** Each of the firsts with the seconds of the days around it; both come in the order of their days. */
function pairsWithin(firsts: Entry[], seconds: Entry[], days: { from: number; to: number }) {
  const pairs: { first: Entry; second: Entry; daysApart: number }[] = []
  let start = 0
  for (const first of firsts) {
    while ((seconds[start]?.day ?? Infinity) < first.day + days.from) start++
    for (const second of seconds.slice(start, start + mostCandidates)) {
      if (second.day > first.day + days.to) break
      pairs.push({ first, second, daysApart: second.day - first.day })
    }
  }
  return pairs
}

/** Takes the best candidates, each row once. */
function choose(kind: MatchKind, candidates: Candidate[]): Match[] {
  const count = new Map<Entry, number>()
  const entries = candidates.flatMap(({ first, second }) => [first, second])
  for (const entry of entries) count.set(entry, (count.get(entry) ?? 0) + 1)
  const taken = new Set<number>()
  const chosen = candidates.toSorted(byRank).filter(({ first, second }) => {
    if (taken.has(first.id) || taken.has(second.id)) return false
    taken.add(first.id).add(second.id)
    return true
  })
  return chosen.map(({ first, second, daysApart, evidence }) => {
    const isOnly = count.get(first) === 1 && count.get(second) === 1
    const reasons: MatchReason[] = ['same_amount', 'days_apart', ...evidence]
    return {
      kind,
      ids: [first.id, second.id],
      daysApart,
      certainty: isOnly ? 'sure' : 'likely',
      reasons: isOnly ? [...reasons, 'only_candidate'] : reasons,
    }
  })
}

/** Account names first, then words, then the nearest; of what is as good, the oldest. */
function byRank(a: Candidate, b: Candidate): number {
  const hasMore = (reason: MatchReason) =>
    Number(b.evidence.includes(reason)) - Number(a.evidence.includes(reason))
  return (
    hasMore('account_named') ||
    hasMore('words_in_common') ||
    Math.abs(a.daysApart) - Math.abs(b.daysApart) ||
    a.first.day - b.first.day ||
    a.first.id - b.first.id ||
    a.second.id - b.second.id
  )
}
