import { type SQL, sql } from 'drizzle-orm'
import type { StoredImportResponse } from '../database/schema.ts'
import { addDays, type CalendarDate, type Span } from '../domain/dates.ts'
import { type FoundCandidates, matchesAmong } from '../matches/candidates.ts'
import { maxDays } from '../matches/contract.ts'
import type { Match } from '../matches/matching.ts'
import type { ImportFile } from './import-file.ts'

/** How many matches the rows of a file are in, and the days that these span, or the last `maxDays` of them. */
type Possible = StoredImportResponse['possible']

/** The first and last day of a file; empty texts if it has no rows. */
export const daysOf = ({ rows }: Pick<ImportFile, 'rows'>): Span =>
  spanOf(rows.map(({ transaction_date }) => transaction_date))

function spanOf(days: CalendarDate[]): Span {
  const sorted = days.toSorted()
  return { from: sorted.at(0) ?? '', to: sorted.at(-1) ?? '' }
}

/** The days of a file in SQL; null if the import created nothing, or if its response is already stored. */
export function daysIfCreated({ from, to }: Span, importId: SQL) {
  const ifCreated = (day: CalendarDate) =>
    sql<string>`(select ${day} from imports where id = ${importId} and created > 0 and response is null)`
  return { from: ifCreated(from), to: ifCreated(to) }
}

/** The matches in which rows of an import take part; null if none. */
export function possibleMatches(importId: number, found: FoundCandidates): Possible {
  const rows = new Map(found.candidates.map(({ row }) => [row.id, row]))
  const matches = matchesOfImport(importId, found)
  if (matches.length === 0) return null
  const days = spanOf(matches.flatMap(({ ids }) => ids.flatMap((id) => rows.get(id)?.transactionDate ?? [])))
  return { count: matches.length, days: latestDays(days) }
}

/** The last `maxDays` of the days, which a list of matches may span. */
export function latestDays({ from, to }: Span): Span {
  const earliest = addDays(to, 1 - maxDays)
  return { from: from < earliest ? earliest : from, to }
}

function matchesOfImport(importId: number, found: FoundCandidates): Match[] {
  const imported = new Set(
    found.candidates.filter(({ row }) => row.importId === importId).map(({ row }) => row.id),
  )
  return matchesAmong(found).matches.filter(({ ids }) => ids.some((id) => imported.has(id)))
}

/** For each row of a file that was tried, another transaction that may be the same event, or the other leg of a transfer. */
export function possibleByPosition({ id, firstId, rows }: Tried, found: FoundCandidates) {
  const possible = new Map<number, number>()
  for (const { ids } of matchesOfImport(id, found))
    for (const [i, one] of ids.entries())
      if (one >= firstId && one < firstId + rows) possible.set(one - firstId, ids[1 - i] as number)
  return possible
}

type Tried = { id: number; firstId: number; rows: number }
