import { type SQL, sql } from 'drizzle-orm'
import type { ImportAnswer } from '../database/schema.ts'
import { type FoundCandidates, matchesAmong } from '../matches/candidates.ts'
import { mostDays } from '../matches/contract.ts'
import type { Match } from '../matches/matching.ts'
import { addDays, type CalendarDate, type Span } from '../shared/dates.ts'
import type { MatchKind } from '../shared/match-row.ts'
import { mostJoined } from './contract.ts'
import type { ImportFile } from './import-file.ts'

/** How many matches the rows of a file are in, and the days that these span, or the last `mostDays` of them. */
type Possible = ImportAnswer['possible']

/** The first and last day of a file; empty texts if it has no rows. */
export const daysOf = ({ rows }: ImportFile): Span =>
  spanOf(rows.map(({ transaction_date }) => transaction_date))

function spanOf(days: CalendarDate[]): Span {
  const sorted = days.toSorted()
  return { from: sorted.at(0) ?? '', to: sorted.at(-1) ?? '' }
}

/** The days of a file in SQL; null if the import created nothing, or if its answer is already known. */
export function daysIfCreated({ from, to }: Span, importId: SQL) {
  const ifCreated = (day: CalendarDate) =>
    sql<string>`(select ${day} from imports where id = ${importId} and created > 0 and answer is null)`
  return { from: ifCreated(from), to: ifCreated(to) }
}

/** The matches in which rows of an import take part; null if none. */
export function possibleMatches(importId: number, found: FoundCandidates): Possible {
  const rows = new Map(found.candidates.map(({ row }) => [row.id, row]))
  const matches = matchesOfImport(importId, found)
  if (matches.length === 0) return null
  const { from, to } = spanOf(
    matches.flatMap(({ ids }) => ids.flatMap((id) => rows.get(id)?.transactionDate ?? [])),
  )
  const earliest = addDays(to, 1 - mostDays)
  return { count: matches.length, days: { from: from < earliest ? earliest : from, to } }
}

function matchesOfImport(importId: number, found: FoundCandidates): Match[] {
  const imported = new Set(
    found.candidates.filter(({ row }) => row.importId === importId).map(({ row }) => row.id),
  )
  return matchesAmong(found).matches.filter(({ ids }) => ids.some((id) => imported.has(id)))
}

/** A pair to be joined: its kind and two ids. Ids below 0 are rows that the file will create: -1 is the file's first. */
export type SurePair = [kind: MatchKind, first: number, second: number]

/** The sure matches of an import that was tried in a dry run. The rows of its file get ids below 0. */
export function surePairs({ id, firstId, rows }: Tried, found: FoundCandidates): SurePair[] {
  const imported = new Set(found.candidates.filter(({ row }) => row.importId === id).map(({ row }) => row.id))
  const named = (one: number) => (imported.has(one) && one < firstId + rows ? firstId - 1 - one : one)
  const sure = matchesOfImport(id, found).filter(({ certainty }) => certainty === 'sure')
  return sure
    .slice(0, mostJoined)
    .map(({ kind, ids: [first, second] }) => [kind, named(first), named(second)])
}

type Tried = { id: number; firstId: number; rows: number }

/** A list of such pairs, as JSON, with the real ids of the rows that the import has created. */
export function pairsWithIds(pairs: string, importId: SQL): SQL {
  const id = (place: number) => {
    const named = sql.raw(`value ->> ${place}`)
    return sql`iif(${named} < 0, (select first_id from imports where id = ${importId}) - 1 - (${named}), ${named})`
  }
  return sql`(
    select json_group_array(json_array(value ->> 0, ${id(1)}, ${id(2)})) from json_each(${pairs}))`
}
