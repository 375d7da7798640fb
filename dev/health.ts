import { setTimeout as sleep } from 'node:timers/promises'
import { DevError } from './dev-error.ts'

const askAgainMs = 250
const answerLimitMs = 5_000

/**
 * Waits until the address answers 200. Throws a DevError with the last answer once the limit has passed, and the
 * signal's reason if it aborts.
 */
export async function waitForHealth(url: string, limitMs: number, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + limitMs
  for (;;) {
    const answer = await ask(url)
    if (answer === '200') return
    signal.throwIfAborted()
    if (Date.now() > deadline)
      throw new DevError(
        `${url} did not answer 200 within ${limitMs / 1_000} seconds; the last answer: ${answer}`,
      )
    await sleep(askAgainMs)
  }
}

async function ask(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(answerLimitMs) })
    const body = await response.text()
    return response.status === 200 ? '200' : `${response.status} ${body.slice(0, 200)}`
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? 'none in 5 seconds' : 'no connection'
  }
}
