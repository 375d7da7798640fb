/** A request that is held up for longer, in milliseconds, is answered 503. */
export const requestMs = 8_000

/** Gives the one signal that ends whatever a request waits for. */
export type Deadline = () => AbortSignal

/** One whose time can begin anew, after something that is not counted. */
export type RequestDeadline = Deadline & { restart: () => void }

/**
 * A deadline for all that a request waits for together, which begins with the first of it: how slowly a client
 * uploads is not counted.
 */
export function deadlineAfter(milliseconds: number): RequestDeadline {
  let signal: AbortSignal | undefined
  const deadline = () => {
    signal ??= AbortSignal.timeout(milliseconds)
    return signal
  }
  const restart = () => {
    signal = undefined
  }
  return Object.assign(deadline, { restart })
}

/** What a promise comes to, if it does so in time. Throws the signal's reason; whatever comes later is not heard of. */
export async function within<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => reject(signal.reason)
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
  })
  return Promise.race([promise, late])
}
