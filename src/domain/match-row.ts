import type { CalendarDate } from './dates.ts'
import type { matchKinds, matchModes } from './types.ts'

export type MatchKind = (typeof matchKinds)[number]
export type MatchMode = (typeof matchModes)[number]

/** Why two rows were matched, as the OpenAPI document explains it. */
export const matchReasons = {
  same_amount: 'The amounts are the same.',
  same_day: 'The days are the same.',
  days_apart: 'The days are near enough to each other.',
  same_reference: 'The references are the same.',
  same_client_id: 'The client ids are the same.',
  words_in_common: 'Descriptions or references have a word in common.',
  account_named: 'One of them names the account of the other.',
  only_candidate: 'Nothing else could be the same as either.',
} as const
export type MatchReason = keyof typeof matchReasons

/** An income, an expense, or one of the two legs of a transfer: one for each account, with the same id. */
export type MatchRow = {
  id: number
  accountId: number
  type: 'income' | 'expense'
  /** The account of the other leg of a transfer. */
  counterpart?: number | null
  /** Minor units, positive. */
  amount: number
  date: CalendarDate
  /** Description and reference. */
  words: string
  /** Null for a typed row. */
  importId: number | null
  /** Set if it was recorded as an occurrence of a rule: half the interval of that, in days, and the texts that name its payee. */
  occurrence?: { half: number; texts: readonly string[] } | undefined
  /** The kinds of match that are excluded: `duplicate` for a row that was joined as one, `transfer` if both legs exist. */
  settled?: readonly MatchKind[]
}
