import { ResendError } from './resend-error.ts'

const keptMs = 24 * 60 * 60 * 1000
const keysKept = 10_000

/** An idempotency key, a fingerprint of its request, and the answer that it got. */
export type UsedKey = { scope: string; fingerprint: string; answer: unknown; usedAt: string }

type Use = { fingerprint: string; done?: UsedKey }

/** The idempotency keys of the last 24 hours, the newest 10,000 at most. */
export class UsedKeys {
  #uses = new Map<string, Use>()

  /** The answer to repeat; undefined if the key is new, which the caller now holds. */
  take(scope: string, fingerprint: string, now: Date): UsedKey | undefined {
    this.#forget(now)
    const use = this.#uses.get(scope)
    if (!use) {
      this.#uses.set(scope, { fingerprint })
      return undefined
    }
    if (use.fingerprint !== fingerprint) throw reused()
    if (!use.done) throw inProgress()
    return use.done
  }

  /** Keeps the answer of the request that took the key. */
  complete(key: UsedKey): void {
    this.#uses.set(key.scope, { fingerprint: key.fingerprint, done: key })
  }

  /** Releases a key whose request has failed, so that it can be tried again. */
  release(scope: string): void {
    if (!this.#uses.get(scope)?.done) this.#uses.delete(scope)
  }

  /** The keys that have an answer, oldest first. */
  all(now: Date): UsedKey[] {
    this.#forget(now)
    return [...this.#uses.values()].flatMap((use) => use.done ?? [])
  }

  clear(): void {
    this.#uses.clear()
  }

  #forget(now: Date): void {
    for (const [scope, { done }] of this.#uses) {
      const isOld = done !== undefined && now.getTime() - Date.parse(done.usedAt) >= keptMs
      if (!isOld && this.#uses.size <= keysKept) break
      this.#uses.delete(scope)
    }
  }
}

function reused(): ResendError {
  return new ResendError(
    409,
    'invalid_idempotent_request',
    'This idempotency key has been used with this HTTP method and endpoint within the last 24 hours, but ' +
      "the request body was modified and doesn't match the original request.",
  )
}

function inProgress(): ResendError {
  return new ResendError(
    409,
    'concurrent_idempotent_requests',
    'There is another request in progress with the same idempotency key.',
  )
}
