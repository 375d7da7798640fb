import { presentTransaction } from '../transactions/present.ts'
import type { ShownJoined, ShownMatchList } from './contract.ts'
import type { JoinOutcome } from './join.ts'
import type { Matches, OccurrenceMatches } from './list.ts'

export function presentMatches(found: Matches | OccurrenceMatches): ShownMatchList {
  if ('occurrences' in found) return presentOccurrences(found)
  const { matches, searchedBackTo } = found
  return {
    matches: matches.map(({ kind, ids, daysApart, certainty, reasons, transactions }) => ({
      kind,
      ids,
      days_apart: daysApart,
      certainty,
      reasons,
      transactions: transactions.map(presentTransaction),
    })),
    searched_back_to: searchedBackTo,
  }
}

function presentOccurrences({ occurrences, searchedBackTo }: OccurrenceMatches): ShownMatchList {
  return {
    matches: [],
    occurrences: occurrences.map(({ transaction, recurringId, occurrenceDate, recordedId, isSure }) => ({
      kind: 'occurrence',
      transaction: presentTransaction(transaction),
      recurring_id: recurringId,
      occurrence_date: occurrenceDate,
      recorded_id: recordedId,
      certainty: isSure ? 'sure' : 'likely',
    })),
    searched_back_to: searchedBackTo,
  }
}

export function presentJoin({ transaction, ...outcome }: JoinOutcome): ShownJoined['outcomes'][number] {
  return { ...outcome, transaction: transaction && presentTransaction(transaction) }
}
