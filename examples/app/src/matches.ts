import { type Ledger, type MatchList, unwrap, type WriteOptions } from 'purse-client'
import { counted, dayAfter } from './format.ts'
import { client } from './session.ts'
import { observable } from './store.ts'
import { confirmOverride, writeOrAsk } from './ui/override.tsx'

export type Match = MatchList['matches'][number]
export type OccurrenceMatch = NonNullable<MatchList['occurrences']>[number]

/** The most that the API joins in one call, and the most days that it looks at. */
const [maxPairs, maxDays] = [100, 366]

export const isSure = ({ certainty }: Match): boolean => certainty === 'sure'

/** How many matches were open when they were last looked for. */
export const openMatches = observable(0)

/** The possible matches of the days in a query, by default of the last 90. */
export const findMatches = async (query: Record<string, string> = {}): Promise<Match[]> =>
  (await unwrap(client.api.matches.$get({ query }))).matches

/** Counts the open matches of a query, in one request. If it fails, the number of before stays. */
export const countMatches = (query: Record<string, string>): Promise<void> =>
  findMatches(query).then(
    ({ length }) => openMatches.set(length),
    () => undefined,
  )

/** All possible matches, the newest first: a call for each year with transactions. */
async function findAllMatches(ledger: Ledger): Promise<Match[]> {
  const found = new Map<string, Match>()
  for (let span = yearBefore(ledger); span; span = yearBefore(ledger, dayAfter(span.from, -1))) {
    let to: string | null = span.to
    while (to) {
      const list: MatchList = await unwrap(client.api.matches.$get({ query: { from: span.from, to } }))
      for (const match of list.matches) found.set(`${match.kind} ${match.ids.join()}`, match)
      to = list.searched_back_to
    }
  }
  return [...found.values()].sort((a, b) => (newestDay(a) < newestDay(b) ? 1 : -1))
}

/** All possible matches, and the transactions that may be open occurrences of recurring ones. */
export async function findAllOpen(ledger: Ledger) {
  const query = { kind: 'occurrence' } as const
  const [matches, { occurrences = [] }] = await Promise.all([
    findAllMatches(ledger),
    unwrap(client.api.matches.$get({ query })),
  ])
  openMatches.set(matches.length + occurrences.length)
  return { matches, occurrences }
}

const newestDay = ({ transactions }: Match): string =>
  transactions
    .map(({ transaction_date }) => transaction_date)
    .sort()
    .at(-1) ?? ''

/** The year that ends with the newest transaction up to a day; undefined if there is none. */
function yearBefore(ledger: Ledger, to?: string): { from: string; to: string } | undefined {
  const [newest] = ledger.transactions({ ...(to && { to }), per_page: 1 }).data
  return newest && { from: dayAfter(newest.transaction_date, 1 - maxDays), to: newest.transaction_date }
}

/** Joins pairs, and returns the transactions that remain of them. */
export async function join(matches: Match[], options: WriteOptions = {}): Promise<Joined[]> {
  const pairs = matches.slice(0, maxPairs).map(({ kind, ids }) => ({ kind, ids, ...options }))
  if (pairs.length === 0) return []
  const result = await unwrap(client.api.matches.join.$post({ json: { pairs } }))
  const outcomes = 'outcomes' in result ? result.outcomes : []
  const joined = outcomes.flatMap(({ transaction }) => (transaction ? [{ ...transaction, ...options }] : []))
  // Only a reconciled period refuses a pair for its day.
  const refused = matches.filter((_, at) => outcomes[at]?.errors?.transaction_date)
  if (refused.length === 0) return joined
  const refusal = outcomes.flatMap(({ errors }) => errors?.transaction_date ?? [])
  const change = `This joins ${counted(refused.length, 'pair')} of transactions.`
  const isOverride = await confirmOverride({ refusal: [...new Set(refusal)].join(' '), change })
  return isOverride ? [...joined, ...(await join(refused, { override_reconciled: true }))] : joined
}

type Joined = { id: number } & WriteOptions

/** Takes a join back. One that has overridden a reconciled period needs no further question. */
export const separate = ({ id, override_reconciled }: Joined) =>
  writeOrAsk(
    (options) => unwrap(client.api.matches.separate.$post({ json: { id, override_reconciled, ...options } })),
    'This makes two transactions of one again.',
  )
