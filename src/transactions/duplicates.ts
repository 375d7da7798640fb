import { type SQL, sql } from 'drizzle-orm'
import type { MatchReason } from '../domain/match-row.ts'
import { distinctiveWords, shareWords } from '../domain/words.ts'
import type { NewTransaction } from './contract.ts'

// Other limits: failures/limits.ts.

/** A new transaction is compared with at most this many others of its account, day and amount: the newest. */
export const maxCompared = 1_000

/**
 * Matches the potential duplicates of a transaction (docs/contract.md, Duplicates): those equal in everything that
 * moves money, unless both have a reference and the two differ. `absorbed` in bulk-duplicates.ts applies the same rule to
 * many rows at once.
 */
export function isDuplicateOf(userId: SQL, fields: NewTransaction): SQL {
  const { reference } = fields
  const mayHaveReference =
    reference == null ? sql`true` : sql`coalesce(transactions.reference, ${reference}) = ${reference}`
  // The plus keeps SQLite from scanning the user's whole history by its index.
  return sql`(transactions.id in (
      select id from transactions
       where account_id = ${fields.account_id} and transaction_date = ${fields.transaction_date}
         and amount = ${fields.amount}
       order by id desc limit ${maxCompared})
    and +transactions.user_id = ${userId} and transactions.type = ${fields.type}
    and transactions.to_account_id is ${fields.to_account_id ?? null} and ${mayHaveReference})`
}

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
