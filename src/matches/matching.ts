import { dayMs, type Span } from '../domain/dates.ts'
import type { MatchKind, MatchReason, MatchRow } from '../domain/match-row.ts'
import { bookedDays } from '../domain/recurrence/links.ts'
import type { matchCertainties } from '../domain/types.ts'
import { distinctiveWords, payeeStems, shareWords } from '../domain/words.ts'
import { isNamedOccurrence, isSure, mayBeOccurrence } from './certainty.ts'
import {
  byDay,
  type Candidate,
  choose,
  type DatedRow,
  onlyCandidates,
  pairsWithin,
  poolOf,
  type RowPair,
} from './choice.ts'

/** Two rows that are, or look like, one event. */
export type Match = {
  kind: MatchKind
  /** First, of a duplicate, the typed row or else the one imported first; of a transfer, the outflow. Then the other. */
  ids: [number, number]
  /** From the first to the second; negative if the second is earlier. */
  daysApart: number
  /** `sure` if neither row has another candidate and, for a transfer, the words confirm it. */
  certainty: (typeof matchCertainties)[number]
  reasons: MatchReason[]
}

export type MatchOptions = {
  /** Both, if not given. */
  kind?: MatchKind | undefined
  /** The names of the user's accounts, by their ids. */
  accountNames: ReadonlyMap<number, string>
  /** The days that the file of each import covers, by its id; where they are missing, those of its rows count. */
  importDays?: ReadonlyMap<number, Span>
  /** True for a pair that the user has said is not a match. */
  isRejected: (kind: MatchKind, ids: [number, number]) => boolean
}

/**
 * A bank posts a payment from one day before to six days after the day that was typed. One posted two to four days before
 * is not a match, but casts doubt: people also type late what they had forgotten.
 */
const duplicateDays = { doubt: -4, from: -1, to: 6 }
/** Cards and wallets book the inflow up to three days before the outflow. */
const transferDays = { doubt: -4, from: -3, to: 5 }
/** No two rows further apart than this are compared. */
export const maxDaysApart = Math.max(
  ...[duplicateDays, transferDays].flatMap(({ doubt, to }) => [-doubt, to]),
)
/** Rows this near decide the matches of a row: its possible counterparts, and the counterparts of these. */
export const contextDays = 2 * maxDaysApart

/**
 * Finds the rows that are recorded twice (typed, and in the bank's file days later; or in two files) and those
 * that are the two legs of a transfer between the user's accounts. Each row is in at most one match. The order of the rows
 * does not matter. Apart from sorting them, the work is linear in the number of rows.
 */
export function findMatches(rows: readonly MatchRow[], options: MatchOptions): Match[] {
  const { kind, accountNames, importDays, isRejected } = options
  const dated = rows.map(datedRow).sort(byDay)
  const isAllowed =
    (kind: MatchKind) =>
    ({ first, second }: RowPair) =>
      !isRejected(kind, [first.id, second.id])

  const possibleDuplicates = unlessNamedOthers(
    duplicateCandidates(dated, importDays).filter(isAllowed('duplicate')),
  )
  const duplicates = choose(possibleDuplicates, (row) => !isSettled('duplicate', row))
  const duplicateMatches = duplicates.map(matchOf('duplicate', onlyCandidates(possibleDuplicates)))
  if (kind === 'duplicate') return eachRowOnce(duplicateMatches)

  const possibleTransfers = transferCandidates(dated, accountNames).filter(isAllowed('transfer'))
  // Money that is recorded twice moved once, so only the second row of a duplicate can be in a transfer; and not that one
  // if the first already is, or if the duplicate is returned as well and has to be settled first.
  const excluded = new Set(
    duplicates.flatMap(({ first, second }) =>
      kind === 'transfer' && !isSettled('transfer', first) ? [first] : [first, second],
    ),
  )
  const transfers = choose(possibleTransfers, (row) => !excluded.has(row) && !isSettled('transfer', row))
  const transferMatches = transfers.map(matchOf('transfer', onlyCandidates(possibleTransfers)))
  return eachRowOnce(kind === 'transfer' ? transferMatches : [...duplicateMatches, ...transferMatches])
}

/** Settled rows are not in any match, but keep others from being sure. */
function isSettled(kind: MatchKind, { settled }: DatedRow): boolean {
  return settled?.includes(kind) ?? false
}

function datedRow(row: MatchRow): DatedRow {
  let distinctive: Set<string> | undefined
  let payee: Set<string> | undefined
  return {
    ...row,
    day: Date.parse(`${row.date}T00:00:00Z`) / dayMs,
    distinctive: () => {
      distinctive ??= distinctiveWords(row.words)
      return distinctive
    },
    payee: () => {
      const texts = [row.words, ...(row.occurrence?.texts ?? [])]
      payee ??= new Set(texts.flatMap((words) => [...payeeStems(words)]))
      return payee
    },
  }
}

function duplicateCandidates(rows: DatedRow[], importDays: MatchOptions['importDays']): Candidate[] {
  const alike = Map.groupBy(rows, poolOf)
  const isInBoth = overlaps(rows, importDays)
  return [...alike.values()].flatMap((group) => {
    const typed = group.filter(({ importId }) => importId === null)
    const imported = group.filter(({ importId }) => importId !== null)
    const pairs = [
      ...pairsWithin(typed, imported, duplicateDays).map(withDaysOfOccurrence),
      ...pairsWithin(imported, imported, duplicateDays).filter(isInBoth),
    ]
    return pairs.filter(haveSameCounterpart).map((pair) => ({ ...pair, evidence: wordsInCommon(pair) }))
  })
}

/** A bank may book an occurrence earlier than what was typed on the day. */
function withDaysOfOccurrence(pair: RowPair): RowPair {
  return mayBeOccurrence(pair) ? { ...pair, isDoubt: pair.daysApart < -bookedDays.before } : pair
}

/** Leaves out rows that do not name the payee of a recorded occurrence, if it or the row has a candidate that does. */
function unlessNamedOthers(candidates: Candidate[]): Candidate[] {
  const named = new Set(candidates.filter(isNamedOccurrence))
  const rows = new Set([...named].flatMap(({ first, second }) => [first, second]))
  const hasOther = ({ first, second }: Candidate) => rows.has(first) || rows.has(second)
  return candidates.filter((one) => !one.first.occurrence || named.has(one) || !hasOther(one))
}

/** False for the legs of two transfers that lead to, or come from, different accounts. */
function haveSameCounterpart({ first, second }: RowPair): boolean {
  return !first.counterpart || !second.counterpart || first.counterpart === second.counterpart
}

/**
 * Tells whether two rows of different imports may be the same: each is within the days of the other's import, as only
 * what two files both cover can be in both.
 */
function overlaps(rows: DatedRow[], importDays: MatchOptions['importDays']): (pair: RowPair) => boolean {
  const keyOf = ({ accountId, importId }: DatedRow) => `${accountId} ${importId}`
  const spans = new Map<string, { from: number; to: number }>()
  for (const row of rows) {
    // Rows come in the order of their days.
    const from = spans.get(keyOf(row))?.from ?? row.day
    spans.set(keyOf(row), { from, to: row.day })
  }
  const covers = (one: DatedRow, other: DatedRow) => {
    const days = importDays?.get(one.importId ?? 0)
    if (days) return days.from <= other.date && other.date <= days.to
    const span = spans.get(keyOf(one))
    return span !== undefined && span.from <= other.day && other.day <= span.to
  }
  return ({ first, second }) =>
    (first.importId ?? 0) < (second.importId ?? 0) && covers(first, second) && covers(second, first)
}

function transferCandidates(rows: DatedRow[], accountNames: ReadonlyMap<number, string>): Candidate[] {
  const names = namingWords(accountNames)
  const isNamed = (one: DatedRow, other: DatedRow) =>
    shareWords(one.distinctive(), names.get(other.accountId) ?? new Set())
  const alike = Map.groupBy(rows, ({ amount }) => amount)
  return [...alike.values()].flatMap((group) => {
    const outflows = group.filter(({ type }) => type === 'expense')
    const inflows = group.filter(({ type }) => type === 'income')
    return pairsWithin(outflows, inflows, transferDays)
      .filter(({ first, second }) => first.accountId !== second.accountId)
      .map((pair) => {
        const { first, second } = pair
        const naming = [isNamed(first, second) ? [first] : [], isNamed(second, first) ? [second] : []].flat()
        const named = naming.length > 0 ? ['account_named' as const] : []
        return { ...pair, naming, evidence: [...named, ...wordsInCommon(pair)] }
      })
  })
}

/** For each account, the words of its name that are in no other account's name. */
function namingWords(accountNames: ReadonlyMap<number, string>): Map<number, Set<string>> {
  const names = new Map([...accountNames].map(([id, name]) => [id, distinctiveWords(name)]))
  const uses = Map.groupBy(
    [...names.values()].flatMap((words) => [...words]),
    (word) => word,
  )
  const isOwn = (word: string) => uses.get(word)?.length === 1
  return new Map([...names].map(([id, words]) => [id, new Set([...words].filter(isOwn))]))
}

function wordsInCommon({ first, second }: RowPair): MatchReason[] {
  const areNamed = first.occurrence && shareWords(first.payee(), second.payee())
  return areNamed || shareWords(first.distinctive(), second.distinctive()) ? ['words_in_common'] : []
}

function matchOf(kind: MatchKind, only: Set<Candidate>) {
  return (one: Candidate): Match => {
    const { first, second, daysApart, evidence } = one
    return {
      kind,
      ids: [first.id, second.id],
      daysApart,
      certainty: isSure(kind, one, only) ? 'sure' : 'likely',
      reasons: [
        'same_amount',
        'days_apart',
        ...evidence,
        ...(only.has(one) ? ['only_candidate' as const] : []),
      ],
    }
  }
}

/** Both legs of a transfer have its id, and each may have a duplicate: only the first match with an id is returned. */
function eachRowOnce(matches: Match[]): Match[] {
  const seen = new Set<number>()
  return matches.filter(({ ids }) => {
    if (ids.some((id) => seen.has(id))) return false
    for (const id of ids) seen.add(id)
    return true
  })
}
