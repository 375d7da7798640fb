import type { Context } from 'hono'
import { TooBusy } from '../domain/failures.ts'
import type { App } from './app-types.ts'
import { userOf } from './known-tokens.ts'

/** A request that would have to wait longer for memory, or for a turn in `inTurn`, is refused. */
const longestWaitMs = 2_000
const lookEveryMs = 25
/**
 * A turn in `inTurn` or `withTurnIfFree`, or a share of memory, expires after this long, since a request whose client
 * has gone may never give it up. It is longer than any request can wait for its turn and the database together.
 */
export const turnMs = 20_000

/** An answer with more rows than this can be megabytes long, and take a tenth of a second of processor time. */
const manyRows = 100
/** An app rarely asks for more pages at once. */
export const largeAnswersAtOnce = 4
/** A waiting request that is later than this for its next look at the line counts as gone. */
const overdueMs = 1_000

/** What is under way or waits for its turn, in order of arrival. */
const line = new Set<Turn>()

/** A place among all turns of the same name, from the first `take` until `end`. */
class Turn {
  readonly #name: string
  readonly #atOnce: number
  /** When it stops counting. A held turn counts for everybody, a waiting one only for those behind it. */
  #until = 0
  /** False while it waits. */
  #isHeld = false
  #isOver = false

  constructor(name: string, atOnce: number) {
    this.#name = name
    this.#atOnce = atOnce
  }

  /**
   * Waits until fewer than `atOnce` are ahead and returns true: from then on, the turn counts for `lastsMs`. Returns
   * false if that takes longer than `longestMs`, or the turn ends meanwhile. Throws the signal's reason if it aborts.
   */
  async take(lastsMs: number, longestMs: number, signal?: AbortSignal): Promise<boolean> {
    const deadline = performance.now() + longestMs
    while (!this.#isOver) {
      line.add(this)
      const now = performance.now()
      const ahead = this.#countAhead(now)
      this.#isHeld = ahead < this.#atOnce
      if (this.#isHeld) {
        this.#until = now + lastsMs
        return true
      }
      if (now >= deadline) break
      // Hundreds may wait, and each look costs, so those further back look less often.
      const pause = lookEveryMs * Math.floor(ahead / this.#atOnce)
      this.#until = now + pause + overdueMs
      await scheduler.wait(pause, signal && { signal })
    }
    this.end()
    return false
  }

  end(): void {
    this.#isOver = true
    line.delete(this)
  }

  /** Counts those who have a turn, and those who wait and came before. */
  #countAhead(now: number): number {
    let ahead = 0
    let cameBefore = true
    for (const other of line) {
      if (other === this) cameBefore = false
      else if (other.#until + turnMs < now) line.delete(other)
      else if (other.#name === this.#name && other.#until >= now && (other.#isHeld || cameBefore)) ahead += 1
    }
    return ahead
  }
}

/** Calls `take` again and again until it returns true. Throws TooBusy if that takes too long. */
export async function waitForTurn(take: () => boolean): Promise<void> {
  const deadline = performance.now() + longestWaitMs
  while (!take()) {
    if (performance.now() >= deadline) throw new TooBusy()
    await scheduler.wait(lookEveryMs)
  }
}

/** Builds an answer of up to `rows` rows, in a turn if these are many. Throws TooBusy if the turn comes too late. */
export function answerInTurn<T>(c: Context<App>, rows: number, answer: () => Promise<T>): Promise<T> {
  return rows > manyRows ? inUsersTurn(c, 'large answers', largeAnswersAtOnce, answer) : answer()
}

/** Does the work once the user has fewer than `atOnce` of its kind under way. Throws TooBusy if that takes too long. */
export function inUsersTurn<T>(
  c: Context<App>,
  kind: string,
  atOnce: number,
  work: () => Promise<T>,
): Promise<T> {
  return outliving(c, inTurn(`${kind} of ${userOfRequest(c)}`, atOnce, work))
}

/** Does the work without waiting, and tells it whether it has the user's only turn of its kind in this isolate. */
export function withTurnIfFree<T>(
  c: Context<App>,
  kind: string,
  work: (hasTurn: boolean) => Promise<T>,
): Promise<T> {
  const turn = new Turn(`${kind} of ${userOfRequest(c)}`, 1)
  const done = turn.take(turnMs, 0).then(work)
  return outliving(
    c,
    done.finally(() => turn.end()),
  )
}

/** Even if the client goes away, the work continues and ends its turn. */
function outliving<T>(c: Context<App>, done: Promise<T>): Promise<T> {
  c.executionCtx.waitUntil(done.catch(() => undefined))
  return done
}

/** Does the work once fewer than `atOnce` of the same name are under way. Throws TooBusy if that takes too long. */
export async function inTurn<T>(name: string, atOnce: number, work: () => Promise<T>): Promise<T> {
  const turn = new Turn(name, atOnce)
  if (!(await turn.take(turnMs, longestWaitMs))) throw new TooBusy()
  try {
    return await work()
  } finally {
    turn.end()
  }
}

/** The user's id, or what identifies a token that this isolate does not know yet. */
function userOfRequest(c: Context<App>): number | string {
  const { tokenKey } = c.get('owner')
  return userOf(tokenKey) ?? tokenKey
}
