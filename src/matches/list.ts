import type { Owner } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import { addDays, type CalendarDate, dayToContinueFrom, possibleDays, type Span } from '../domain/dates.ts'
import type { FieldErrors } from '../domain/field-errors.ts'
import { checkMaxDays, checkOrder } from '../domain/field-errors.ts'
import { type Draft, withErrors } from '../failures/draft.ts'
import type { Transaction } from '../transactions/read.ts'
import { matchesAmong, selectCandidates } from './candidates.ts'
import { defaultDays, type MatchQuery, maxDays, maxMatches } from './contract.ts'
import { contextDays, type Match } from './matching.ts'
import { findOccurrenceMatches, type OccurrenceMatch } from './occurrences.ts'

/** Matches with their transactions; `searchedBackTo` is the day to continue from, null if no day is left. */
export type Matches = {
  matches: (Match & { transactions: Transaction[] })[]
  searchedBackTo: CalendarDate | null
}

/** Transactions that may be open occurrences, like `Matches`. */
export type OccurrenceMatches = { occurrences: OccurrenceMatch[]; searchedBackTo: CalendarDate | null }

/** Returns the matches with a row within the requested days: sure ones first, then the newest. Throws Invalid. */
export async function listMatches(
  owner: Owner,
  draft: Draft<MatchQuery>,
): Promise<Matches | OccurrenceMatches> {
  const { kind, ...days } = draft.values
  const span = spanOf(owner, days)
  await requireComplete(owner, withErrors(draft, errorsOf(span)))
  if (kind === 'occurrence') return listOccurrences(owner, span)
  const found = await owner.run(selectCandidates(owner, span))
  const { matches, lookedBackTo } = matchesAmong(found, kind)
  const first = firstWithin(span, lookedBackTo && addDays(lookedBackTo, contextDays + 1))
  const rows = new Map(found.candidates.map(({ row }) => [row.id, row]))
  const shown = matches
    .map((match) => ({ ...match, transactions: match.ids.flatMap((id) => rows.get(id) ?? []) }))
    .filter(({ transactions }) =>
      transactions.some(({ transactionDate: day }) => first <= day && day <= span.to),
    )
    .sort((a, b) => rankOf(a) - rankOf(b) || (newestDay(a) < newestDay(b) ? 1 : -1))
  return {
    matches: shown.slice(0, maxMatches),
    searchedBackTo: first === span.from ? null : dayToContinueFrom(first, span),
  }
}

async function listOccurrences(owner: Owner, span: Span): Promise<OccurrenceMatches> {
  const { matches, completeFrom } = await findOccurrenceMatches(owner, span)
  const first = firstWithin(span, completeFrom)
  const isSure = (one: OccurrenceMatch) => Number(one.isSure)
  const shown = matches
    .filter(({ transaction: { transactionDate: day } }) => first <= day && day <= span.to)
    .sort(
      (a, b) =>
        isSure(b) - isSure(a) || (a.transaction.transactionDate < b.transaction.transactionDate ? 1 : -1),
    )
  return {
    occurrences: shown.slice(0, maxMatches),
    searchedBackTo: first === span.from ? null : dayToContinueFrom(first, span),
  }
}

/** The first day whose matches are complete: of the day back to which rows were read, some may be missing. */
function firstWithin({ from, to }: Span, complete: CalendarDate | null): CalendarDate {
  const first = complete ?? from
  return first <= from ? from : first < to ? first : to
}

const rankOf = ({ certainty }: Match) => (certainty === 'sure' ? 0 : 1)
const newestDay = ({ transactions }: Matches['matches'][number]) =>
  transactions.reduce((newest, { transactionDate: day }) => (day > newest ? day : newest), '')

/**
 * The requested days. The last is by default the last possible one after `from` or, without `from`, tomorrow,
 * which may have begun where the user is.
 */
function spanOf({ now }: Owner, { from, to }: Pick<MatchQuery, 'from' | 'to'>): Span {
  const last = to ?? (from ? addDays(from, maxDays - 1) : addDays(now.toISOString().slice(0, 10), 1))
  const first = from ?? addDays(last, -defaultDays)
  return possibleDays({ from: first, to: last })
}

function errorsOf({ from, to }: Span): FieldErrors {
  const errors: FieldErrors = {}
  checkOrder(errors, { from, to })
  checkMaxDays(errors, { from, to }, maxDays)
  return errors
}
