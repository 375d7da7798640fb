import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { NotModified, Unauthenticated } from '../domain/failures.ts'
import { lastChange } from './changes.ts'
import { builder, type Database } from './client.ts'
import { notModifiedMark } from './errors.ts'
import {
  type Bound,
  type BoundOf,
  type InputOf,
  type NamedStatements,
  prepare,
  type Slots,
} from './prepared.ts'
import { type ResultOf, type Results, type Runnable, runAll, type Statements } from './run.ts'
import { tokens, users } from './schema.ts'
import { isLive, lifetimeAt, recentAfter } from './token-lifetime.ts'

/** What a request knows about its user: everything except what concerns the password. */
export type User = Omit<typeof users.$inferSelect, 'passwordHash' | 'isPasswordProven'>
const { passwordHash: _, isPasswordProven: __, ...columns } = getTableColumns(users)
export const userColumns = columns

/** What statements need to know about their owner. */
export type Scope = {
  /** The id of the user, NULL if the token is not valid. */
  readonly id: SQL<number>
  /** True if the token is valid: for the guards of inserts, which have no row to match. */
  readonly isKnown: SQL
  readonly db: typeof builder
}

/** What the token of a request must match to be valid, and the time of the request. */
type TokenCheck = { tokenId: number; secretHash: string; usedAfter: Date; createdAfter: Date; now: Date }

/**
 * The user behind a token, before the database has been asked who that is: `id` is an SQL expression for the user's id,
 * so that one round trip can both identify the user and do the work. If the token is unknown or expired,
 * the expression is NULL: no row matches, nothing is written and `run` throws.
 */
export class Owner implements Scope {
  readonly db: Database
  readonly now: Date
  readonly tokenId: number
  /** Identifies the token without revealing it. */
  readonly tokenKey: string
  /** The user's id, once `run` or `lookUp` has found it. */
  userId: number | undefined
  readonly check: TokenCheck
  /** The user's id and the number of their last change, as `7-42`, once `lookUp` or a watched `run` has read them. */
  state: string | undefined
  #lastUsedAt: Date | undefined
  #watched: { clientState: string | undefined } | undefined
  #scope: Scope | undefined

  constructor(db: Database, { tokenId, secretHash }: { tokenId: number; secretHash: string }, now: Date) {
    this.db = db
    this.now = now
    this.tokenId = tokenId
    this.tokenKey = `${tokenId}|${secretHash}`
    this.check = { tokenId, secretHash, ...lifetimeAt(now), now }
  }

  get id() {
    this.#scope ??= scopeOf(this.check)
    return this.#scope.id
  }

  get isKnown() {
    this.#scope ??= scopeOf(this.check)
    return this.#scope.isKnown
  }

  /**
   * Looks up the user and then runs the statements, all in one transaction and one round trip. Returns the user and the
   * results. Throws Unauthenticated if the token is unknown or expired, and NotModified (see `watch`).
   */
  async run<T extends Statements>(statements: T = {} as T): Promise<Results<T> & { user: User }> {
    const isWatched = this.#watched !== undefined
    const identification = identify({ check: this.check, isWatched })
    const results = await this.#runUnlessUnchanged({ ...identification, ...statements })
    const { user } = this.#recognise(results.user as ResultOf<ReturnType<typeof identify>['user']>)
    return { ...(results as Results<T>), user }
  }

  /** Runs a lookup (`prepareLookup`) and returns what it has found. Throws Unauthenticated and NotModified as `run` does. */
  async lookUp<T>(lookup: Bound<Found<T>[]>): Promise<Found<T>> {
    const { found } = await this.#runUnlessUnchanged({ found: lookup })
    return this.#recognise(found)
  }

  #recognise<F extends { user: User; lastUsedAt: Date; lastChange: number | null }>([found]: F[]): F {
    if (!found) throw new Unauthenticated()
    this.userId = found.user.id
    this.#lastUsedAt = found.lastUsedAt
    if (found.lastChange !== null) this.state = `${found.user.id}-${found.lastChange}`
    return found
  }

  /**
   * Makes `run` read the user's state. If it is still `clientState`, the one that the client has, `run` and `lookUp`
   * throw NotModified before any other statement is executed. Once a day the request runs all the same, so that the
   * token's use is recorded.
   */
  watch(clientState: string | undefined): void {
    this.#watched = { clientState }
  }

  async #runUnlessUnchanged<T extends Statements>(statements: T): Promise<Results<T>> {
    const clientState = this.#watched?.clientState
    if (clientState === undefined) return runAll(this.db, statements)
    const stop = stopIfUnchanged({ check: this.check, clientState, recentAfter: recentAfter(this.now) })
    try {
      return (await runAll(this.db, { ...stop, ...statements })) as Results<T>
    } catch (error) {
      // The database has just found that what the client sent equals the owner's state, so it can be trusted.
      if (error instanceof NotModified) {
        this.state = clientState
        this.userId = Number(clientState.split('-')[0])
      }
      throw error
    }
  }

  /** Runs a single statement, as `run` does, and returns its result. */
  async runOne<T extends Runnable>(statement: T): Promise<ResultOf<T>> {
    const { one } = await this.run({ one: statement as Runnable })
    return one as ResultOf<T>
  }

  /** True once `run` or `lookUp` has seen that this use of the token should be recorded (`recordUse`). */
  get isUseStale(): boolean {
    return this.#lastUsedAt !== undefined && this.#lastUsedAt <= recentAfter(this.now)
  }
}

/**
 * Prepares statements that have an owner (see `prepare`): the owner's token and the time of the request become slots
 * too. Call it once, when the module loads: what it returns turns an owner and an input into what `Owner.run` takes.
 */
export function prepareOwned<S extends object, T extends NamedStatements>(
  build: (owner: Scope & { now: SQL<Date> }, slots: S) => T,
): (owner: Owner, input: InputOf<S>) => BoundOf<T> {
  const prepared = prepare(({ check, input }: Slots<{ check: TokenCheck; input: InputOf<S> }>) =>
    build({ ...scopeOf(check), now: check.now }, input as unknown as S),
  )
  return ({ check }, input) => prepared({ check, input })
}

/** A user, the time of the token's last recorded use, the number of the user's last change, and the columns of a lookup. */
export type Found<T> = { user: User; lastUsedAt: Date; lastChange: number } & T

/**
 * Prepares a statement for the most frequent requests: on its own, it identifies the user and reads all that the request
 * needs, so that no row is read twice. `build` makes its columns (see `rowsOf`).
 */
export function prepareLookup<S extends object, C extends Record<string, SQL>>(
  build: (owner: typeof ownerOfLookup, slots: S) => C,
): (owner: Owner, input: InputOf<S>) => Bound<Found<{ [Name in keyof C]: C[Name]['_']['type'] }>[]> {
  const prepared = prepare(({ check, input }: Slots<{ check: TokenCheck; input: InputOf<S> }>) => ({
    found: builder
      .select({
        user: selectedUser,
        lastUsedAt: sql`users.token_used_at`.mapWith(tokens.lastUsedAt),
        lastChange: ownerOfLookup.lastChange,
        ...build(ownerOfLookup, input as unknown as S),
      })
      .from(userWithLastChange(check))
      // Always true. Without a condition, SQLite would merge the subquery, although it has a LIMIT, into this query, and
      // compute the last change anew wherever it is used.
      .where(sql`users.id is not null`),
  }))
  return ({ check }, input) => prepared({ check, input }).found as Bound<never>
}

/** The owner as the columns of a lookup see it: identified by the query that they belong to. */
const ownerOfLookup = {
  id: sql<number>`users.id`,
  isKnown: sql`true`,
  db: builder,
  lastChange: sql<number>`users.last_change`,
}

/**
 * The columns of a user, for a query from a subquery called `users`: Drizzle's own columns would require the table
 * itself.
 */
const selectedUser = Object.fromEntries(
  Object.entries(userColumns).map(([name, column]) => [name, sql`${column}`.mapWith(column)]),
) as unknown as typeof userColumns

const userWithLastChange = (check: ValuesOrSlots) => sql`(
  select users.*, last_used_at as token_used_at, ${lastChange(sql`users.id`)} as last_change
    from tokens join users on users.id = tokens.user_id where ${isValidToken(check)} limit 1) users`

/** Matches the row of the token if it is valid. */
function isValidToken({ tokenId, secretHash, ...lifetime }: ValuesOrSlots): SQL {
  return sql`tokens.id = ${tokenId} and secret_hash = ${secretHash} and ${isLive(lifetime)}`
}
type ValuesOrSlots = { [Name in keyof TokenCheck]: TokenCheck[Name] | SQL }

function scopeOf(check: ValuesOrSlots): Scope {
  const id = sql<number>`(select user_id from tokens where ${isValidToken(check)})`
  return { id, isKnown: sql`${id} is not null`, db: builder }
}

const identify = prepare(({ check, isWatched }: Slots<{ check: TokenCheck; isWatched: boolean }>) => ({
  user: builder
    .select({
      user: userColumns,
      lastUsedAt: tokens.lastUsedAt,
      lastChange: isWatched ? lastChange(sql`users.id`) : sql<number | null>`null`,
    })
    .from(tokens)
    .innerJoin(users, eq(users.id, tokens.userId))
    .where(isValidToken(check)),
}))

/**
 * Fails on purpose if the token is valid, its use was recorded within the last day, and the state is still the client's.
 * The mark is not a JSON path, so SQLite raises an error that quotes it, which db/errors.ts turns into NotModified.
 */
const stopIfUnchanged = prepare(
  ({
    check,
    clientState,
    recentAfter,
  }: Slots<{ check: TokenCheck; clientState: string; recentAfter: Date }>) => ({
    stop: builder.all(sql`
      select json_extract('{}', ${sql.raw(`'${notModifiedMark}'`)}) from tokens
       where ${isValidToken(check)} and last_used_at > ${recentAfter}
         and user_id || '-' || ${lastChange(sql`tokens.user_id`)} = ${clientState}`),
  }),
)
