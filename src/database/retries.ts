import { abortable } from '../failures/deadline.ts'
import { ResponseTooLarge } from '../failures/failures.ts'
import { isBusy, isConnectionLost } from './errors.ts'

type Mode = 'read' | 'write'

/** Pauses double from the first to the longest. */
const firstPauseMs = 25
const longestPauseMs = 800

/** Runs statements, and retries them after a pause while that is safe and the signal is not aborted. */
export async function withRetries<T>(run: () => Promise<T>, mode: Mode, signal: AbortSignal): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await run()
    } catch (error) {
      if (retries >= maxRetries(error, mode) || !(await pause(retries, signal))) throw error
    }
  }
}

/**
 * A busy server has executed nothing. A response that was too large was rolled back, and may fit next time, since responses
 * share the server's memory. A write whose response was lost may have been executed, so only the client may repeat it.
 */
function maxRetries(error: unknown, mode: Mode): number {
  if (isBusy(error)) return Number.POSITIVE_INFINITY
  if (error instanceof ResponseTooLarge) return 2
  return mode === 'read' && isConnectionLost(error) ? 1 : 0
}

/** Waits for a random time, so that retries spread out. Returns false if the signal is aborted. */
async function pause(retries: number, signal: AbortSignal): Promise<boolean> {
  const longest = Math.min(firstPauseMs * 2 ** retries, longestPauseMs)
  const wait = new Promise((done) => setTimeout(done, longest * (0.5 + Math.random() / 2)))
  await abortable(signal, wait).catch(() => undefined)
  return !signal.aborted
}
