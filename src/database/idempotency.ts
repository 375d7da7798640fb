import { and, eq, type SQL, sql } from 'drizzle-orm'
import { hasLiveAccount } from './live-accounts.ts'
import type { UserScope } from './owner.ts'
import { type Rule, rule } from './rules.ts'
import {
  type accounts,
  balanceChecks,
  type batches,
  type categories,
  type imports,
  type recurringRules,
  spentClientIds,
} from './schema.ts'

type KeyedTable =
  | typeof accounts
  | typeof categories
  | typeof recurringRules
  | typeof balanceChecks
  | typeof imports
  | typeof batches

/**
 * Conditions for a request with an Idempotency-Key: `earlier` matches the row that an earlier request with the key has
 * created, `isFirst` is true if there is none. A request without a key is always the first. The key of an account, a
 * category, a recurring transaction or a balance check is its client id. A key expires with its import, or 30 days after
 * its batch (jobs/expiry.ts).
 */
export function idempotency(owner: UserScope, table: KeyedTable, key: string | SQL | null | undefined) {
  if (!key) return { earlier: sql`false`, isFirst: sql`true` }
  const column = 'clientId' in table ? table.clientId : table.idempotencyKey
  const earlier = and(eq(table.userId, owner.id), eq(column, key)) as SQL
  return { earlier, isFirst: sql`not exists (select 1 from ${table} where ${earlier})` }
}

/** The nouns whose client ids are also Idempotency-Keys, as error texts name them. */
const keyedNouns = {
  account: 'an account',
  category: 'a category',
  recurring: 'a recurring transaction',
  balance_check: 'a balance check',
} as const
type KeyedNoun = keyof typeof keyedNouns

/** True if the row that was created with this key has been deleted, alone or with its account. */
function isSpentKey(userId: SQL, noun: KeyedNoun, key: SQL): SQL {
  const isSpent = sql`exists (
    select 1 from ${spentClientIds} spent
     where spent.user_id = ${userId} and spent.noun = ${sql.raw(`'${noun}'`)} and spent.client_id = ${key})`
  if (noun !== 'balance_check') return isSpent
  return sql`(${isSpent} or exists (
    select 1 from ${balanceChecks} where user_id = ${userId} and client_id = ${key} and not ${hasLiveAccount}))`
}

/** The rule that a late retry must not recreate a row that has been deleted. */
export function keyRules(userId: SQL, noun: KeyedNoun, key: string | undefined): Rule[] {
  if (!key) return []
  const text = `The :field belongs to ${keyedNouns[noun]} that was deleted.`
  return [rule('Idempotency-Key', text, sql`not ${isSpentKey(userId, noun, sql`${key}`)}`)]
}
