import type { MatchReason } from '../shared/match-row.ts'
import { distinctiveWords, shareWords } from '../shared/words.ts'

/** The words of a transaction. */
export type Words = { description: string | null; reference: string | null }

/** Why a row is taken for a duplicate of another that equals it in everything that moves money, the day included. */
export function duplicateReasons(one: Words, other: Words): MatchReason[] {
  const isSame = one.reference !== null && one.reference === other.reference
  const hasCommon = shareWords(distinctiveWords(wordsOf(one)), distinctiveWords(wordsOf(other)))
  return [
    'same_amount',
    'same_day',
    ...(isSame ? ['same_reference' as const] : []),
    ...(hasCommon ? ['words_in_common' as const] : []),
  ]
}

/** Description and reference as one text. */
export function wordsOf({ description, reference }: Words): string {
  return [description, reference].filter((text) => text !== null).join(' ')
}
