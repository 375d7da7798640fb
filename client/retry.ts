import { retryAfterSeconds } from './errors.ts'

/** How often, and how long apart, a request is tried. */
export type RetryPolicy = {
  /** Attempts for one request, the first included. */
  attempts: number
  /** Before the second attempt; doubles with each. */
  firstDelayMs: number
  /** The longest wait. If `Retry-After` is longer, the caller gets the failure and can show it. */
  maxDelayMs: number
}

export const defaultRetry: RetryPolicy = { attempts: 4, firstDelayMs: 500, maxDelayMs: 20_000 }

/** The parts of a request that decide whether it can be repeated. */
export type Repeated = { method: string; headers: Headers; body: unknown }

/** True if another attempt may succeed; any other failure would only repeat. */
export function isPassing(status: number): boolean {
  return [408, 429, 502, 503, 504].includes(status)
}

/**
 * The one rule of retrying: milliseconds to wait before the next attempt, or undefined if there is to be none. `response`
 * is undefined if none arrived. `random` is from 0 to 1, and spreads clients that failed together.
 */
export function retryDelayMs(
  request: Repeated,
  response: { status: number; headers: Headers } | undefined,
  { attempt, policy, random, now }: { attempt: number; policy: RetryPolicy; random: number; now: number },
): number | undefined {
  if (attempt >= policy.attempts || !isRepeatable(request)) return undefined
  if (response && !isPassing(response.status)) return undefined
  const requested = response && retryAfterSeconds(response.headers, now)
  if (requested !== undefined) return requested * 1000 <= policy.maxDelayMs ? requested * 1000 : undefined
  const longest = Math.min(policy.firstDelayMs * 2 ** (attempt - 1), policy.maxDelayMs)
  return longest * (0.5 + random / 2)
}

/**
 * True if sending the request twice does no more than sending it once: for anything but a POST (here PATCH sets fields,
 * as PUT does), for a POST that the service recognises by an `Idempotency-Key` or by client ids, and for an upload of
 * operations, which may set fields again, but creates and deletes nothing twice.
 */
export function isRepeatable({ method, headers, body }: Repeated): boolean {
  return method !== 'POST' || headers.has('Idempotency-Key') || isRecognised(body)
}

function isRecognised(body: unknown): boolean {
  if (typeof body !== 'string') return false
  const parsed = JSON.parse(body) as { transactions?: unknown; ops?: unknown }
  if (Array.isArray(parsed.ops)) return true
  const items = parsed.transactions ?? [parsed]
  return Array.isArray(items) && items.every(hasClientId)
}

function hasClientId(item: { client_id?: unknown } | null): boolean {
  return typeof item?.client_id === 'string' && item.client_id.trim() !== ''
}
