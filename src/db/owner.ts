import { and, eq, getTableColumns, gt, type SQL, sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import { Unauthenticated } from '../domain/failures.ts'
import { absoluteTimeoutDays, idleTimeoutDays } from '../domain/tokens.ts'
import type { Database } from './client.ts'
import { tokens, users } from './schema.ts'

/** What a request knows of its user: everything but the password. */
export type User = Omit<typeof users.$inferSelect, 'passwordHash' | 'isPasswordProven'>
export const { passwordHash: _, isPasswordProven: __, ...userColumns } = getTableColumns(users)

const dayMs = 86_400_000

/**
 * The bearer of a token, known before the database was asked: `id` is the user's id as an SQL expression,
 * so that one batch can find out who it is and do what was asked, in one round trip.
 * For a token that is unknown or expired the expression is NULL: no row matches, nothing is written, `run` throws.
 */
export class Owner {
  readonly id: SQL<number>
  /** True where the token is good: the guard of an insert that has no other. */
  readonly isKnown: SQL
  readonly db: Database
  readonly now: Date
  readonly tokenId: number
  /** Names this token and no other, without giving it away. */
  readonly tokenKey: string
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
   * Runs statements in one transaction and one round trip, after the one that finds the bearer.
   * Answers `[user, ...results]`; throws Unauthenticated when there is no such token.
   */
  async run<T extends readonly BatchItem<'sqlite'>[]>(
    ...statements: T
  ): Promise<[User, ...BatchResponse<T>]> {
    const bearer = this.db
      .select({ user: userColumns, lastUsedAt: tokens.lastUsedAt })
      .from(tokens)
      .innerJoin(users, eq(users.id, tokens.userId))
      .where(this.#holdsToken)
    const [found, ...results] = await this.db.batch([bearer, ...statements])
    const row = (found as { user: User; lastUsedAt: Date }[])[0]
    if (!row) throw new Unauthenticated()
    this.#lastUsedAt = row.lastUsedAt
    return [row.user, ...results] as unknown as [User, ...BatchResponse<T>]
  }

  /** The same for many statements: they run in the order of the object's keys, and answer under their names. */
  async runNamed<T extends Record<string, BatchItem<'sqlite'>>>(
    statements: T,
  ): Promise<{ user: User } & { [K in keyof T]: T[K]['_']['result'] }> {
    const [user, ...results] = await this.run(...Object.values(statements))
    const named = Object.keys(statements).map((name, index) => [name, results[index]])
    return { ...Object.fromEntries(named), user }
  }

  /** True once `run` has found the bearer. */
  get isFound(): boolean {
    return this.#lastUsedAt !== undefined
  }

  /** True once `run` has seen that the token's last use was noted a day ago or earlier. */
  get isUseStale(): boolean {
    return this.#lastUsedAt !== undefined && this.#lastUsedAt <= daysBefore(this.now, 1)
  }

  /** Notes that the token is in use; off the response path. */
  async noteUse(): Promise<void> {
    await this.db.batch([
      this.db.update(tokens).set({ lastUsedAt: this.now }).where(eq(tokens.id, this.tokenId)),
    ])
  }
}

/** Statements under numbered names, for `runNamed`: as many as there happen to be. */
export function numbered(db: Database, name: string, statements: SQL[]) {
  return Object.fromEntries(statements.map((statement, index) => [`${name}${index}`, db.run(statement)]))
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
