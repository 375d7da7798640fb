import { presentTransaction } from '../transactions/present.ts'
import type { ShownJoined, ShownMatchList } from './contract.ts'
import type { JoinOutcome } from './join.ts'
import type { Matches } from './list.ts'

export function presentMatches({ matches, searchedBackTo }: Matches): ShownMatchList {
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

export function presentJoin({ transaction, ...outcome }: JoinOutcome): ShownJoined['outcomes'][number] {
  return { ...outcome, transaction: transaction && presentTransaction(transaction) }
}
