import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { TokenScope } from '../domain/types.ts'
import { InsufficientScope, NotModified, Unauthenticated } from '../failures/failures.ts'
import { lastChange } from './change-numbers.ts'
import { type Database, type ResultOf, type Results, runAll, type Statement, type Statements } from './run.ts'
import { tokens, users } from './schema.ts'
import { isLive, recentUseAfter } from './token-lifetime.ts'

/** A user without the columns that concern the password. */
export type User = Omit<typeof users.$inferSelect, 'passwordHash' | 'isPasswordProven'>
const { passwordHash: _, isPasswordProven: __, ...columns } = getTableColumns(users)
export const userColumns = columns

/** Scopes statements to a user. */
export type UserScope = {
  /** The id of the user; NULL if the token is not valid. */
  readonly id: SQL<number>
  /** True if the token is valid, for the guards of inserts, which have no row to match. */
  readonly isValid: SQL
  readonly db: Database
}

/** True for the tokens whose scope includes the required one. A scope that is not listed includes nothing. */
const scopeIncludes: Record<TokenScope, SQL<boolean>> = {
  read: sql`scope in ('read', 'write', 'session')`.mapWith(Boolean),
  write: sql`scope in ('write', 'session')`.mapWith(Boolean),
  session: sql`scope in ('session')`.mapWith(Boolean),
}

/** A bearer token, and the scope that the request needs. */
type Credential = { tokenId: number; secretHash: string; requiredScope: TokenScope }

/**
 * The user of a token. `id` is an SQL expression, so one round trip both identifies the user and runs the statements. If
 * the token is unknown or expired, or its scope is insufficient, `id` is NULL: no row matches, nothing is written and `run`
 * throws.
 */
export class Owner implements UserScope {
  readonly db: Database
  readonly now: Date
  readonly tokenId: number
  /** The token's id and the hash of its secret. */
  readonly tokenKey: string
  /** The user's id, once `run` has read it. */
  userId: number | undefined
  /** The user's id and the number of their last change, as `7-42`, once a `run` after `compareState` has read them. */
  state: string | undefined
  readonly #matchesToken: SQL
  #requiredScope: TokenScope
  #readsState = false
  #clientState: string | undefined
  #lastUsedAt: Date | undefined

  constructor(db: Database, { tokenId, secretHash, requiredScope }: Credential, now: Date) {
    this.db = db
    this.now = now
    this.tokenId = tokenId
    this.tokenKey = `${tokenId}|${secretHash}`
    this.#matchesToken = sql`tokens.id = ${tokenId} and secret_hash = ${secretHash} and ${isLive(now)}`
    this.#requiredScope = requiredScope
  }

  get id(): SQL<number> {
    const hasScope = scopeIncludes[this.#requiredScope]
    return sql<number>`(select user_id from tokens where ${this.#matchesToken} and ${hasScope} ${this.#unlessUnchanged})`
  }

  get isValid(): SQL {
    return sql`${this.id} is not null`
  }

  /** Makes `id` NULL, so that statements read nothing, if the client has the state and the token's use is recorded. */
  get #unlessUnchanged(): SQL {
    if (this.#clientState === undefined) return sql``
    const state = sql`user_id || '-' || ${lastChange(sql`tokens.user_id`)}`
    return sql`and not (last_used_at > ${recentUseAfter(this.now)} and ${state} = ${this.#clientState})`
  }

  /** For a request that turns out to do less than its route may. To be called before `id` is used. */
  requireOnly(scope: TokenScope): void {
    this.#requiredScope = scope
  }

  /** Makes `run` read the user's state, and throw NotModified if it equals `clientState`. To be called before `id` is used. */
  compareState(clientState: string | undefined): void {
    this.#readsState = true
    this.#clientState = clientState
  }

  /**
   * Reads the user and runs the statements, in one transaction and one round trip. Returns the user and the results. Throws
   * Unauthenticated if the token is unknown or expired, InsufficientScope, and NotModified (see `compareState`).
   */
  async run<T extends Statements>(statements: T = {} as T): Promise<Results<T> & { user: User }> {
    const { identified, ...results } = await runAll(this.db, { identified: this.#identify(), ...statements })
    const [found] = identified
    if (!found) throw new Unauthenticated()
    this.userId = found.user.id
    this.#lastUsedAt = found.lastUsedAt
    if (!found.hasScope) throw new InsufficientScope()
    if (found.lastChange !== null) this.state = `${found.user.id}-${found.lastChange}`
    if (this.#clientState !== undefined && this.state === this.#clientState && !this.isUseStale)
      throw new NotModified()
    return { ...(results as Results<T>), user: found.user }
  }

  /** Runs a single statement, as `run` does, and returns its result. */
  async runOne<T extends Statement>(statement: T): Promise<ResultOf<T>> {
    const { one } = await this.run({ one: statement })
    return one
  }

  #identify() {
    return this.db
      .select({
        user: userColumns,
        hasScope: scopeIncludes[this.#requiredScope],
        lastUsedAt: tokens.lastUsedAt,
        lastChange: this.#readsState ? lastChange(sql`users.id`) : sql<number | null>`null`,
      })
      .from(tokens)
      .innerJoin(users, eq(users.id, tokens.userId))
      .where(this.#matchesToken)
  }

  /** True if `run` has found that this use of the token should be recorded (`recordUse`). */
  get isUseStale(): boolean {
    return this.#lastUsedAt !== undefined && this.#lastUsedAt <= recentUseAfter(this.now)
  }
}
