/** A request that is held up for longer, in milliseconds, is answered 503. */
export const requestMs = 8_000

/** Gives the one signal that ends whatever a request waits for. */
export type Deadline = () => AbortSignal

/**
 * A deadline for all that a request waits for together, which begins with the first of it: how slowly a client
 * uploads is not counted.
 */
export function deadlineAfter(milliseconds: number): Deadline {
  let signal: AbortSignal | undefined
  return () => {
    signal ??= AbortSignal.timeout(milliseconds)
    return signal
  }
}
