import type { Context, MiddlewareHandler } from 'hono'
import { TooBusy } from '../domain/failures.ts'
import type { App } from './app-types.ts'
import { userOf } from './known-tokens.ts'

/** A request that would have to wait longer is refused. */
const longestWaitMs = 2_000
const lookEveryMs = 25
/** A turn expires after this, longer than any request takes: one whose client has gone may never end its own. */
export const turnMs = 12_000

/** With more rows than this, an answer can be megabytes, and take a tenth of a second of processor time. */
const manyRows = 100
/** An app rarely asks for more pages at once. */
export const largeAnswersAtOnce = 4
/** An app may ask for a year of summaries at once. */
const usuallySmallAtOnce = 12

const turns = new Set<{ of: string; until: number }>()

/** Waits until `take` has taken what it needs and returned true. Throws TooBusy if that takes too long. */
export async function waitForTurn(take: () => boolean): Promise<void> {
  const deadline = performance.now() + longestWaitMs
  while (!take()) {
    if (performance.now() >= deadline) throw new TooBusy()
    await scheduler.wait(lookEveryMs)
  }
}

/**
 * Builds an answer of up to this many rows. An isolate builds only a few large ones of a user at a time, so that one
 * user cannot hold up the rest. Throws TooBusy.
 */
export function answerInTurn<T>(c: Context<App>, rows: number, answer: () => Promise<T>): Promise<T> {
  return rows > manyRows ? inUsersTurn(c, 'large answers', largeAnswersAtOnce, answer) : answer()
}

/** The same for a route without pages or with long texts, whose answers are small unless somebody means harm. */
export function inTurns(kind: string, atOnce = usuallySmallAtOnce): MiddlewareHandler<App> {
  return (c, next) => inUsersTurn(c, kind, atOnce, next)
}

/** Does the work once fewer than `atOnce` of its kind are under way for the user. Throws TooBusy. */
export function inUsersTurn<T>(
  c: Context<App>,
  kind: string,
  atOnce: number,
  work: () => Promise<T>,
): Promise<T> {
  const { tokenKey } = c.var.owner
  const done = inTurn(`${kind} of ${userOf(tokenKey) ?? tokenKey}`, atOnce, work)
  // Even if the client goes away, the work continues and ends its turn.
  c.executionCtx.waitUntil(done.catch(() => undefined))
  return done
}

/** Does the work once fewer than `atOnce` of the same name are under way. Throws TooBusy. */
export async function inTurn<T>(of: string, atOnce: number, work: () => Promise<T>): Promise<T> {
  const turn = { of, until: 0 }
  await waitForTurn(() => {
    const now = performance.now()
    for (const other of turns) if (other.until < now) turns.delete(other)
    if ([...turns].filter((other) => other.of === of).length >= atOnce) return false
    turn.until = now + turnMs
    turns.add(turn)
    return true
  })
  try {
    return await work()
  } finally {
    turns.delete(turn)
  }
}
