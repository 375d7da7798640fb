import type { MatchKind } from '../shared/match-row.ts'
import type { Candidate, DatedRow } from './choice.ts'

/** An inflow that is booked earlier than this before the outflow is never sure. */
const minSureDaysApart = -1

/**
 * True if a pair is sure: neither row has another candidate (`only` is from `onlyCandidates`) and, for a transfer, the days
 * and words confirm it.
 */
export function isSure(kind: MatchKind, one: Candidate, only: Set<Candidate>): boolean {
  return (
    only.has(one) && (kind === 'duplicate' || (one.daysApart >= minSureDaysApart && isClearlyTransfer(one)))
  )
}

/**
 * Equal amounts on two accounts may be what a friend paid back, or a refund: a transfer is sure only where an account is
 * named, or where both legs say no more than how money moved.
 */
function isClearlyTransfer({ first, second, evidence }: Candidate): boolean {
  const isPlain = ({ words, distinctive }: DatedRow) => words.trim() !== '' && distinctive().size === 0
  return evidence.includes('account_named') || (isPlain(first) && isPlain(second))
}
