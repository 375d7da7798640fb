import { type SQL, sql } from 'drizzle-orm'
import { type Rule, rule } from './rules.ts'
import { spentClientIds } from './schema.ts'

type KeyedNoun = 'account' | 'category'

/** True if the account or category that was created with this key has been deleted. */
export function isSpentKey(userId: SQL, noun: KeyedNoun, key: SQL): SQL {
  return sql`exists (
    select 1 from ${spentClientIds} spent
     where spent.user_id = ${userId} and spent.noun = ${sql.raw(`'${noun}'`)} and spent.client_id = ${key})`
}

/** The rule that a late retry must not recreate an account or a category that has been deleted. */
export function keyRules(userId: SQL, noun: KeyedNoun, key: string | undefined): Rule[] {
  if (!key) return []
  const text = `The :field belongs to ${noun === 'account' ? 'an account' : 'a category'} that was deleted.`
  return [rule('Idempotency-Key', text, sql`not ${isSpentKey(userId, noun, sql`${key}`)}`)]
}
