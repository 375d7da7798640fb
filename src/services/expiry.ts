import { inArray, lte, or } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { attempts, failedMails, passwordResets, tokens, usedStates } from '../db/schema.ts'
import { absoluteTimeoutDays, idleTimeoutDays } from '../domain/tokens.ts'

const dayMs = 86_400_000
const failedMailsKeptDays = 90
/** So many tokens at once at most: the next hour takes the next ones. */
const tokensPerRun = 5_000

/** Removes what has expired and is refused already; nothing depends on when, or whether, this runs. */
export async function removeExpired(db: Database, now: Date): Promise<{ tokens: number; resets: number }> {
  const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs)
  const expired = db
    .select({ id: tokens.id })
    .from(tokens)
    .where(
      or(
        lte(tokens.lastUsedAt, daysAgo(idleTimeoutDays)),
        lte(tokens.createdAt, daysAgo(absoluteTimeoutDays)),
      ),
    )
    .limit(tokensPerRun)
  const [removedTokens, removedResets] = await db.batch([
    db.delete(tokens).where(inArray(tokens.id, expired)).returning({ id: tokens.id }),
    db
      .delete(passwordResets)
      .where(lte(passwordResets.expiresAt, now))
      .returning({ email: passwordResets.email }),
    db.delete(usedStates).where(lte(usedStates.expiresAt, now)),
    db.delete(attempts).where(lte(attempts.at, daysAgo(1))),
    db.delete(failedMails).where(lte(failedMails.failedAt, daysAgo(failedMailsKeptDays))),
  ])
  return { tokens: removedTokens.length, resets: removedResets.length }
}
