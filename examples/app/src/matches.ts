import { type MatchList, unwrap } from 'purse-client'
import { client } from './session.ts'

export type Match = MatchList['matches'][number]

/** The most that the API joins in one call. */
const maxPairs = 100

export const isSure = ({ certainty }: Match): boolean => certainty === 'sure'

/** The possible matches of the days in a query, by default of the last 90. */
export const findMatches = async (query: Record<string, string> = {}): Promise<Match[]> =>
  (await unwrap(client.api.matches.$get({ query }))).matches

/** Joins pairs, and returns the transactions that remain of them. */
export async function join(matches: Match[]) {
  const pairs = matches.slice(0, maxPairs).map(({ kind, ids }) => ({ kind, ids }))
  if (pairs.length === 0) return []
  const result = await unwrap(client.api.matches.join.$post({ json: { pairs } }))
  return 'outcomes' in result ? result.outcomes.flatMap(({ transaction }) => transaction ?? []) : []
}
