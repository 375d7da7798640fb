import { within } from '../shared/deadline.ts'
import { AnswerTooLarge } from '../shared/failures.ts'
import { isLost, isTurnedAway } from './errors.ts'

type Mode = 'read' | 'write'

/** Pauses double from the first to the longest. */
const firstPauseMs = 25
const longestPauseMs = 800

/** Runs statements, and retries them after a pause for as long as that is safe and useful and there is time. */
export async function withRetries<T>(run: () => Promise<T>, mode: Mode, signal: AbortSignal): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await run()
    } catch (error) {
      if (retries >= retriesAllowed(error, mode) || !(await pause(retries, signal))) throw error
    }
  }
}

/**
 * How many times statements that failed this way may be retried. If a busy server turned them away, it executed none. If
 * the answer was too large, the server rolled them back, and the answer may fit next time: others share the memory for
 * it. But nobody knows whether a write whose answer was lost was executed, so it is up to the client to send it again.
 */
function retriesAllowed(error: unknown, mode: Mode): number {
  if (isTurnedAway(error)) return Number.POSITIVE_INFINITY
  if (error instanceof AnswerTooLarge) return 2
  return mode === 'read' && isLost(error) ? 1 : 0
}

/** Waits for a random time, so that calls turned away together do not come back together. False once time is up. */
async function pause(retries: number, signal: AbortSignal): Promise<boolean> {
  const longest = Math.min(firstPauseMs * 2 ** retries, longestPauseMs)
  const wait = new Promise((done) => setTimeout(done, longest * (0.5 + Math.random() / 2)))
  await within(signal, wait).catch(() => undefined)
  return !signal.aborted
}
