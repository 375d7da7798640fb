import { type SQL, sql } from 'drizzle-orm'
import { TooManyAttempts } from '../failures/failures.ts'
import type { Database } from './run.ts'

/**
 * An exact limit, counted by the database for all isolates (http/rate-limits.ts has the others): at most `max` attempts
 * with one key in any window of `windowMs`, which must be the same for all attempts with that key. `when`, in SQL,
 * restricts it to some attempts.
 */
export type Limit = { key: string | SQL; max: number; windowMs: number; when?: SQL }

/**
 * The results of `countAttempt`. `attempted` has a row for each limit that applies, or none if the attempt was not counted;
 * `counted` has a row for each limit.
 */
export type AttemptResults = {
  attempted: { nonce: string }[]
  counted: { used: number; oldest: number | null }[]
}

/**
 * The statements that count an attempt, to be run with those of its request. It counts against all limits that apply, or
 * against none if one of them is used up or `guard` does not hold. `isCounted` is a condition for later statements. The
 * first limit must apply to every attempt.
 */
export function countAttempt(db: Database, limits: readonly Limit[], now: Date, guard: SQL = sql`true`) {
  const nonce = crypto.randomUUID()
  const rows = limits.map(
    ({ key, max, windowMs, when = sql`true` }, position) =>
      sql`select ${`${nonce}/${position}`}, ${key}, ${when}, ${max}, ${now.getTime() - windowMs}`,
  )
  const withLimits = sql`
    with limits (nonce, "key", applies, max, since) as materialized (${sql.join(rows, sql` union all `)})`
  const used = sql`(select count(*) from attempts where attempts."key" = limits."key" and at > since)`
  const statements = {
    expired: db.run(sql`${withLimits}
      delete from attempts where nonce in (
        select attempts.nonce from limits join attempts on attempts."key" = limits."key" and at <= since where applies)`),
    attempted: db.all<AttemptResults['attempted'][number]>(sql`${withLimits}
      insert into attempts (nonce, "key", at)
      select nonce, "key", ${now.getTime()} from limits
       where applies and ${guard} and not exists (select 1 from limits where applies and ${used} >= max)
      returning nonce`),
    counted: db.all<AttemptResults['counted'][number]>(sql`${withLimits}
      select iif(applies, ${used}, 0) as used,
             (select min(at) from attempts where attempts."key" = limits."key" and at > since) as oldest
        from limits order by nonce`),
  }
  const isCounted = sql`exists (select 1 from attempts where nonce = ${`${nonce}/0`})`
  return { statements, isCounted }
}

/**
 * Returns the maximum of the first limit and the smallest remainder of all limits. Throws TooManyAttempts, with the time
 * until the next attempt is allowed, if the attempt was not counted.
 */
export function requireAttempt(limits: readonly Limit[], now: Date, { attempted, counted }: AttemptResults) {
  const states = limits.map(({ max, windowMs }, position) => {
    const { used, oldest } = counted[position] ?? { used: 0, oldest: null }
    return { limit: max, remaining: max - used, freeAt: (oldest ?? now.getTime()) + windowMs }
  })
  if (attempted.length > 0)
    return { limit: states[0]?.limit ?? 0, remaining: Math.min(...states.map(({ remaining }) => remaining)) }
  const [last] = states.filter(({ remaining }) => remaining <= 0).sort((a, b) => b.freeAt - a.freeAt)
  const waitMs = last ? last.freeAt - now.getTime() : 0
  throw new TooManyAttempts(last?.limit ?? 0, Math.max(1, Math.ceil(waitMs / 1000)))
}
