import { type SQL, sql } from 'drizzle-orm'
import { lastChange } from '../database/change-numbers.ts'
import type { UserScope } from '../database/owner.ts'
import { changes } from '../database/schema.ts'
import { CursorExpired } from '../failures/failures.ts'
import type { FeedCursor } from './cursor.ts'

/** The part of a cursor that shows what the client has seen of the feed. */
export type FeedPosition = Pick<FeedCursor, 'epoch' | 'userId' | 'seq'>

type Found = { user: { id: number }; lastChange: number; logged: { noun: string }[] }

/**
 * Throws CursorExpired if the feed cannot continue from the cursor: the database has been restored since, the
 * cursor is another user's or ahead of the last change, or changes that follow it have been removed from the log.
 */
export function requireValid(cursor: FeedPosition, epoch: number, { user, lastChange, logged }: Found): void {
  const isForgotten = logged.some(({ noun }) => noun === 'forgotten')
  if (cursor.epoch !== epoch || cursor.userId !== user.id || cursor.seq > lastChange || isForgotten)
    throw new CursorExpired()
}

/** `requireValid` in SQL, for uploads, which must know before they write. */
export function canContinue(
  { id }: UserScope,
  { epoch, userId, seq }: FeedPosition,
  currentEpoch: number,
): SQL {
  if (epoch !== currentEpoch) return sql`false`
  const next = sql`select noun from ${changes} where user_id = ${id} and seq > ${seq} order by seq limit 1`
  return sql`(${userId} = ${id} and ${seq} <= ${lastChange(id)} and (${next}) is not 'forgotten')`
}
