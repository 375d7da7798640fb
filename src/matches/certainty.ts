import type { MatchKind } from '../domain/match-row.ts'
import { bookedDays } from '../domain/recurrence/links.ts'
import { shareWords } from '../domain/words.ts'
import type { Candidate, DatedRow, RowPair } from './choice.ts'

/** A transfer whose inflow is booked earlier or later than this is never sure. */
const sureTransferDays = { from: -1, to: 2 }

/**
 * True if a pair is sure: neither row has another candidate (`only` is from `onlyCandidates`), and the days and words
 * confirm it.
 */
export function isSure(kind: MatchKind, one: Candidate, only: Set<Candidate>): boolean {
  return only.has(one) && (kind === 'duplicate' ? isClearlyDuplicate(one) : isClearlyTransfer(one))
}

/**
 * Within days, amounts repeat: a row that is booked on another day is sure only where both name the payee, and on an earlier
 * one only if the first was recorded as an occurrence, which it must be near to.
 */
function isClearlyDuplicate(one: Candidate): boolean {
  const { first, second, daysApart } = one
  if (first.occurrence && !mayBeOccurrence(one)) return false
  if (daysApart === 0) return true
  return (daysApart > 0 || first.occurrence !== undefined) && shareWords(first.payee(), second.payee())
}

/** True if the first was recorded as an occurrence, and a bank may have booked that on the day of the second. */
export function mayBeOccurrence({ first: { occurrence }, daysApart }: RowPair): boolean {
  if (!occurrence || Math.abs(daysApart) > occurrence.half) return false
  return daysApart >= -bookedDays.before && daysApart <= bookedDays.after
}

/** True if the second also names the payee of the occurrence that the first was recorded as. */
export const isNamedOccurrence = (one: RowPair): boolean =>
  mayBeOccurrence(one) && shareWords(one.first.payee(), one.second.payee())

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
