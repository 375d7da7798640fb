import type { Owner } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import { addDays, type CalendarDate, dayToContinueFrom, possibleDays, type Span } from '../shared/dates.ts'
import { type Draft, withErrors } from '../shared/draft.ts'
import type { FieldErrors } from '../shared/failures.ts'
import { checkMaxDays, checkOrder } from '../shared/field-errors.ts'
import type { Transaction } from '../transactions/read.ts'
import { matchesAmong, selectCandidates } from './candidates.ts'
import { defaultDays, type MatchQuery, maxDays, maxMatches } from './contract.ts'
import { contextDays, type Match } from './matching.ts'

/** Matches with their transactions; `searchedBackTo` is the day to continue from, null if no day is left. */
export type Matches = {
  matches: (Match & { transactions: Transaction[] })[]
  searchedBackTo: CalendarDate | null
}

/** Returns the matches with a row within the requested days: sure ones first, then the newest. Throws Invalid. */
export async function listMatches(owner: Owner, draft: Draft<MatchQuery>): Promise<Matches> {
  const { kind, ...days } = draft.values
  const span = spanOf(owner, days)
  await requireComplete(owner, withErrors(draft, errorsOf(span)))
  const found = await owner.run(selectCandidates(owner, span))
  const { matches, lookedBackTo } = matchesAmong(found, kind)
  const first = firstCompleteDay(span, lookedBackTo)
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

/** The first day whose matches are complete: of the day back to which rows were read, some may be missing. */
function firstCompleteDay({ from, to }: Span, lookedBackTo: CalendarDate | null): CalendarDate {
  const first = lookedBackTo ? addDays(lookedBackTo, contextDays + 1) : from
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
