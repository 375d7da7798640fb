import { and, eq, getTableColumns, gt, type SQL, sql } from 'drizzle-orm'
import { dayMs } from '../domain/dates.ts'
import { Unauthenticated } from '../domain/failures.ts'
import { absoluteTimeoutDays, idleTimeoutDays } from '../domain/tokens.ts'
import { type ResultOf, type Results, runBatch, runOne, type Statement, type Statements } from './batch.ts'
import type { Database } from './client.ts'
import { tokens, users } from './schema.ts'

/** What a request knows about its user: everything except the password. */
export type User = Omit<typeof users.$inferSelect, 'passwordHash' | 'isPasswordProven'>
export const { passwordHash: _, isPasswordProven: __, ...userColumns } = getTableColumns(users)

/**
 * The user behind a token, before the database has been asked who that is: `id` is an SQL expression for the user's id,
 * so that one batch, in one round trip, can both identify the user and do the work. If the token is unknown or expired,
 * the expression is NULL: no row matches, nothing is written and `run` throws.
 */
export class Owner {
  readonly id: SQL<number>
  /** True if the token is valid: the guard of an insert that has no other. */
  readonly isKnown: SQL
  readonly db: Database
  readonly now: Date
  readonly tokenId: number
  /** Identifies the token without revealing it. */
  readonly tokenKey: string
  /** The user's id, once `run` has found it. */
  userId: number | undefined
  #lastUsedAt: Date | undefined
  readonly #holdsToken: SQL

  constructor(db: Database, token: { tokenId: number; secretHash: string }, now: Date) {
    this.db = db
    this.now = now
    this.tokenId = token.tokenId
    this.tokenKey = `${token.tokenId}|${token.secretHash}`
    this.#holdsToken = and(
      eq(tokens.id, token.tokenId),
      eq(tokens.secretHash, token.secretHash),
      isLive(now),
    ) as SQL
    this.id = sql<number>`(select ${tokens.userId} from ${tokens} where ${this.#holdsToken})`
    this.isKnown = sql`${this.id} is not null`
  }

  /**
   * Runs statements in one transaction and one round trip, after the one that looks up the user, and returns that user
   * beside their results. Throws Unauthenticated if the token is unknown or expired.
   */
  async run<T extends Statements>(statements: T = {} as T): Promise<Results<T> & { user: User }> {
    const byToken = this.db
      .select({ user: userColumns, lastUsedAt: tokens.lastUsedAt })
      .from(tokens)
      .innerJoin(users, eq(users.id, tokens.userId))
      .where(this.#holdsToken)
    const results = await runBatch(this.db, { user: byToken, ...statements })
    const [found] = results.user as Awaited<typeof byToken>
    if (!found) throw new Unauthenticated()
    this.userId = found.user.id
    this.#lastUsedAt = found.lastUsedAt
    return { ...(results as Results<T>), user: found.user }
  }

  /** Runs a single statement, as `run` does, and returns its result. */
  async runOne<T extends Statement>(statement: T): Promise<ResultOf<T>> {
    const { one } = await this.run({ one: statement as Statement })
    return one as ResultOf<T>
  }

  /** True once `run` has seen that the token's last use was recorded a day ago or earlier. */
  get isUseStale(): boolean {
    return this.#lastUsedAt !== undefined && this.#lastUsedAt <= daysBefore(this.now, 1)
  }

  /** Records that the token is in use. Meant to be called once the response is on its way. */
  async noteUse(): Promise<void> {
    const isThis = eq(tokens.id, this.tokenId)
    await runOne(this.db, this.db.update(tokens).set({ lastUsedAt: this.now }).where(isThis))
  }
}

/** True for tokens that have not expired, by idleness or by age. */
export function isLive(now: Date): SQL {
  return and(
    gt(tokens.lastUsedAt, daysBefore(now, idleTimeoutDays)),
    gt(tokens.createdAt, daysBefore(now, absoluteTimeoutDays)),
  ) as SQL
}

function daysBefore(instant: Date, days: number): Date {
  return new Date(instant.getTime() - days * dayMs)
}
