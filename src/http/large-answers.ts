import type { Context } from 'hono'
import { TooBusy } from '../domain/failures.ts'
import type { App } from './app-types.ts'
import { reservedMs } from './body-memory.ts'
import { userOf } from './known-tokens.ts'

/** With more rows than this, an answer can be megabytes, and take a tenth of a second of the isolate's processor. */
const manyRows = 100
/** An app rarely asks for more pages at once. */
const mostAtOnce = 4
/** A request that would have to wait longer is refused. */
const longestWaitMs = 2_000
const lookEveryMs = 25

const underWay = new Set<{ user: string; until: number }>()

/**
 * Makes an answer of at most so many rows. Of one user's large answers, an isolate makes a few at a time, so that others
 * need not wait for everything that one asks for. Throws TooBusy if the turn does not come soon.
 */
export async function answerInTurn<T>(c: Context<App>, rows: number, answer: () => Promise<T>): Promise<T> {
  if (rows <= manyRows) return answer()
  const { tokenKey } = c.var.owner
  const done = inTurnOf(String(userOf(tokenKey) ?? tokenKey), answer)
  // The request of a client that has gone ends all the same, and gives back its turn.
  c.executionCtx.waitUntil(done.catch(() => undefined))
  return done
}

/** Does the work once fewer than the most allowed are under way for the user. Throws TooBusy. */
export async function inTurnOf<T>(user: string, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + longestWaitMs
  while (countOf(user) >= mostAtOnce) {
    if (performance.now() >= deadline) throw new TooBusy()
    await scheduler.wait(lookEveryMs)
  }
  const turn = { user, until: performance.now() + reservedMs }
  underWay.add(turn)
  try {
    return await work()
  } finally {
    underWay.delete(turn)
  }
}

function countOf(user: string): number {
  const now = performance.now()
  let count = 0
  for (const turn of underWay) {
    if (turn.until < now) underWay.delete(turn)
    else if (turn.user === user) count += 1
  }
  return count
}
