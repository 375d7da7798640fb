import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { type Allowance, TooManyAttempts } from '../domain/failures.ts'

/**
 * An exact limit, counted in the database across all isolates: at most so many attempts with one key within any
 * window of that length. A key always has the same window. `when` says, in SQL, which attempts the limit is for.
 */
export type Limit = { key: string | SQL; most: number; withinMs: number; when?: SQL }

type Counted = { used: number; oldest: number | null }

/**
 * The statements of one attempt, for the batch of the request that makes it. It counts with all of its limits, or with
 * none where one of them is used up; `taken` is true where a later statement of the batch may go on. The first limit
 * is for every attempt.
 */
export function attempt(db: Database, limits: readonly Limit[], now: Date, guard: SQL = sql`true`) {
  const nonce = crypto.randomUUID()
  const rows = limits.map(
    ({ key, most, withinMs, when = sql`true` }, position) =>
      sql`select ${`${nonce}/${position}`}, ${key}, ${when}, ${most}, ${now.getTime() - withinMs}`,
  )
  const withLimits = sql`
    with limits (nonce, "key", applies, most, since) as materialized (${sql.join(rows, sql` union all `)})`
  const used = sql`(select count(*) from attempts where attempts."key" = limits."key" and at > since)`
  const statements = [
    db.run(sql`${withLimits}
      delete from attempts where nonce in (
        select attempts.nonce from limits join attempts on attempts."key" = limits."key" and at <= since where applies)`),
    db.all<{ nonce: string }>(sql`${withLimits}
      insert into attempts (nonce, "key", at)
      select nonce, "key", ${now.getTime()} from limits
       where applies and ${guard} and not exists (select 1 from limits where applies and ${used} >= most)
      returning nonce`),
    db.all<Counted>(sql`${withLimits}
      select iif(applies, ${used}, 0) as used,
             (select min(at) from attempts where attempts."key" = limits."key" and at > since) as oldest
        from limits order by nonce`),
  ] as const
  const taken = sql`exists (select 1 from attempts where nonce = ${`${nonce}/0`})`
  return { statements, taken }
}

/**
 * Answers the first limit, with what the tightest of all leaves. Throws TooManyAttempts where one is used up, with the
 * time after which none of them is.
 */
export function demandAttempt(
  limits: readonly Limit[],
  now: Date,
  inserted: readonly unknown[],
  counted: readonly Counted[],
): Allowance {
  const states = limits.map(({ most, withinMs }, position) => {
    const { used, oldest } = counted[position] ?? { used: 0, oldest: null }
    return { limit: most, remaining: most - used, freeAt: (oldest ?? now.getTime()) + withinMs }
  })
  if (inserted.length > 0)
    return { limit: states[0]?.limit ?? 0, remaining: Math.min(...states.map(({ remaining }) => remaining)) }
  const [last] = states.filter(({ remaining }) => remaining <= 0).sort((a, b) => b.freeAt - a.freeAt)
  const waitMs = last ? last.freeAt - now.getTime() : 0
  throw new TooManyAttempts(last?.limit ?? 0, Math.max(1, Math.ceil(waitMs / 1000)))
}
