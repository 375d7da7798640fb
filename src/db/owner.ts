import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { dayMs } from '../domain/dates.ts'
import { Unauthenticated } from '../domain/failures.ts'
import { absoluteTimeoutDays, idleTimeoutDays } from '../domain/tokens.ts'
import { type ResultOf, type Results, type Runnable, runBatch, runOne, type Statements } from './batch.ts'
import { builder, type Database } from './client.ts'
import { type BoundOf, type InputOf, type NamedStatements, prepare, type Slots } from './prepared.ts'
import { tokens, users } from './schema.ts'

/** What a request knows about its user: everything except the password. */
export type User = Omit<typeof users.$inferSelect, 'passwordHash' | 'isPasswordProven'>
export const { passwordHash: _, isPasswordProven: __, ...userColumns } = getTableColumns(users)

/** What statements need of an owner. */
export type Scope = {
  /** The id of the user, NULL if the token is not good. */
  readonly id: SQL<number>
  /** True if the token is good: the guard of an insert that has no other. */
  readonly isKnown: SQL
  readonly db: typeof builder
}

/** What a good token is known by, and when it must have been made and used. */
type Credentials = { tokenId: number; secretHash: string; usedAfter: Date; createdAfter: Date; now: Date }

/**
 * The user behind a token, before the database has been asked who that is: `id` is an SQL expression for the user's id,
 * so that one batch, in one round trip, can both identify the user and do the work. If the token is unknown or expired,
 * the expression is NULL: no row matches, nothing is written and `run` throws.
 */
export class Owner implements Scope {
  readonly db: Database
  readonly now: Date
  readonly tokenId: number
  /** Identifies the token without revealing it. */
  readonly tokenKey: string
  /** The user's id, once `run` has found it. */
  userId: number | undefined
  readonly credentials: Credentials
  #lastUsedAt: Date | undefined
  #scope: Scope | undefined

  constructor(db: Database, { tokenId, secretHash }: { tokenId: number; secretHash: string }, now: Date) {
    this.db = db
    this.now = now
    this.tokenId = tokenId
    this.tokenKey = `${tokenId}|${secretHash}`
    const usedAfter = daysBefore(now, idleTimeoutDays)
    const createdAfter = daysBefore(now, absoluteTimeoutDays)
    this.credentials = { tokenId, secretHash, usedAfter, createdAfter, now }
  }

  get id() {
    this.#scope ??= scopeOf(this.credentials)
    return this.#scope.id
  }

  get isKnown() {
    this.#scope ??= scopeOf(this.credentials)
    return this.#scope.isKnown
  }

  /**
   * Runs statements in one transaction and one round trip, after the one that looks up the user, and returns that user
   * beside their results. Throws Unauthenticated if the token is unknown or expired.
   */
  async run<T extends Statements>(statements: T = {} as T): Promise<Results<T> & { user: User }> {
    const results = await runBatch(this.db, { ...identify({ by: this.credentials }), ...statements })
    const [found] = results.user as ResultOf<ReturnType<typeof identify>['user']>
    if (!found) throw new Unauthenticated()
    this.userId = found.user.id
    this.#lastUsedAt = found.lastUsedAt
    return { ...(results as Results<T>), user: found.user }
  }

  /** Runs a single statement, as `run` does, and returns its result. */
  async runOne<T extends Runnable>(statement: T): Promise<ResultOf<T>> {
    const { one } = await this.run({ one: statement as Runnable })
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

/**
 * Prepares statements of an owner (see `prepare`); their owner and its `now` are slots as well. Call it where a module
 * begins, and the function that it returns with the owner and the input, to get what `Owner.run` takes.
 */
export function prepareOwned<S extends object, T extends NamedStatements>(
  build: (owner: Scope & { now: SQL<Date> }, slots: S) => T,
): (owner: Owner, input: InputOf<S>) => BoundOf<T> {
  const prepared = prepare(({ by, input }: Slots<{ by: Credentials; input: InputOf<S> }>) =>
    build({ ...scopeOf(by), now: by.now }, input as unknown as S),
  )
  return ({ credentials: by }, input) => prepared({ by, input })
}

/** True for the row of the token, if it is good. */
function holdsToken({ tokenId, secretHash, usedAfter, createdAfter }: ValuesOrSlots): SQL {
  return sql`tokens.id = ${tokenId} and secret_hash = ${secretHash} and ${isUsedAfter(usedAfter, createdAfter)}`
}
type ValuesOrSlots = { [Name in keyof Credentials]: Credentials[Name] | SQL }

function scopeOf(by: ValuesOrSlots): Scope {
  const id = sql<number>`(select user_id from tokens where ${holdsToken(by)})`
  return { id, isKnown: sql`${id} is not null`, db: builder }
}

const identify = prepare(({ by }: Slots<{ by: Credentials }>) => ({
  user: builder
    .select({ user: userColumns, lastUsedAt: tokens.lastUsedAt })
    .from(tokens)
    .innerJoin(users, eq(users.id, tokens.userId))
    .where(holdsToken(by)),
}))

/** True for tokens that have not expired, by idleness or by age. */
export function isLive(now: Date): SQL {
  return isUsedAfter(daysBefore(now, idleTimeoutDays), daysBefore(now, absoluteTimeoutDays))
}

function isUsedAfter(usedAfter: Date | SQL, createdAfter: Date | SQL): SQL {
  return sql`last_used_at > ${usedAfter} and tokens.created_at > ${createdAfter}`
}

function daysBefore(instant: Date, days: number): Date {
  return new Date(instant.getTime() - days * dayMs)
}
