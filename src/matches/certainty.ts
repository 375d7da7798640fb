import type { MatchKind } from '../shared/match-row.ts'
import { payeeStems, shareWords } from '../shared/words.ts'
import type { Candidate, DatedRow } from './choice.ts'

/** A transfer whose inflow is booked earlier or later than this is never sure. */
const sureTransferDays = { from: -1, to: 2 }

/**
 * True if a pair is sure: neither row has another candidate (`only` is from `onlyCandidates`), and the days and words
 * confirm it.
 */
export function isSure(kind: MatchKind, one: Candidate, only: Set<Candidate>): boolean {
  return only.has(one) && (kind === 'duplicate' ? isClearlyDuplicate(one) : isClearlyTransfer(one))
}

/** Within days, amounts repeat: a row that is booked on a later day is sure only where both name the payee. */
function isClearlyDuplicate({ first, second, daysApart }: Candidate): boolean {
  if (daysApart <= 0) return daysApart === 0
  return shareWords(payeeStems(first.words), payeeStems(second.words))
}

/**
 * Equal amounts on two accounts may be what a friend paid back, or a refund: a transfer is sure only where an account is
 * named, by each row that was typed, or where both legs say no more than how money moved.
 */
function isClearlyTransfer({ first, second, naming = [], daysApart }: Candidate): boolean {
  if (daysApart < sureTransferDays.from || daysApart > sureTransferDays.to) return false
  const isPlain = ({ words, distinctive }: DatedRow) => words.trim() !== '' && distinctive().size === 0
  const typed = [first, second].filter(({ importId }) => importId === null)
  const isNamed = naming.length > 0 && typed.every((row) => naming.includes(row))
  return isNamed || (isPlain(first) && isPlain(second))
}
