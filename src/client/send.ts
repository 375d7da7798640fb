import { ConnectionError, notOurs, readJson } from './errors.ts'
import { defaultRetry, isPassing, type Repeated, type RetryPolicy, retryDelayMs } from './retry.ts'
import type { TokenStore } from './tokens.ts'

export type SendOptions = {
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Called when the service does not know the token any more. It is cleared by then. */
  onSignedOut: () => void
  /** Of one attempt, its answer included. */
  timeoutMs: number
  retry: RetryPolicy
  sleep: (ms: number, signal?: AbortSignal | null) => Promise<void>
  /** From 0 to 1. */
  random: () => number
  /** Milliseconds since 1970. */
  now: () => number
}

const defaults: SendOptions = {
  fetch: (url, init) => fetch(url, init),
  onSignedOut: () => {},
  timeoutMs: 30_000,
  retry: defaultRetry,
  sleep: wait,
  random: Math.random,
  now: Date.now,
}

/**
 * A `fetch` that brings the token, unless the caller brings one, gives each attempt its time, and tries again where
 * retry.ts says so. It answers once the whole answer is here. Throws ConnectionError, or the reason of the caller's
 * own signal.
 */
export function sender(tokens: TokenStore, options: Partial<SendOptions>) {
  const all = { ...defaults, ...options }
  return async (url: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    headers.set('Accept', 'application/json')
    const token = bearerOf(headers) ?? (await tokens.get())
    if (token !== null) headers.set('Authorization', `Bearer ${token}`)
    const request: Repeated & RequestInit = {
      ...init,
      method: init.method ?? 'GET',
      headers,
      body: init.body ?? null,
    }
    let mayBeDone = false
    for (let attempt = 1; ; attempt++) {
      const { answer, error } = await attemptOnce(url, request, all)
      const timing = { attempt, policy: all.retry, random: all.random(), now: all.now() }
      const delayMs = retryDelayMs(request, answer, timing)
      if (delayMs === undefined) {
        if (!answer) throw new ConnectionError(error)
        if (answer.status === 401 && token !== null) await forget(tokens, token, all.onSignedOut)
        // The row is gone, which is what was asked; most likely an attempt whose answer was lost removed it.
        const isGone = mayBeDone && request.method === 'DELETE' && answer.status === 404
        if (isGone) return new Response(null, { status: 204, headers: answer.headers })
        return answer
      }
      mayBeDone ||= answer?.status !== 429
      await all.sleep(delayMs, init.signal)
    }
  }
}

function bearerOf(headers: Headers): string | undefined {
  return /^Bearer (.+)$/.exec(headers.get('Authorization') ?? '')?.[1]
}

async function attemptOnce(
  url: string,
  request: RequestInit,
  { fetch, timeoutMs }: SendOptions,
): Promise<{ answer?: Response; error?: unknown }> {
  const { method, signal } = request
  // AbortSignal.timeout and AbortSignal.any are missing in React Native and in browsers of some years ago.
  const controller = new AbortController()
  const stop = () => controller.abort()
  const timer = setTimeout(() => controller.abort('No answer came in time.'), timeoutMs)
  signal?.addEventListener('abort', stop)
  if (signal?.aborted) stop()
  try {
    const answer = await fetch(url, { ...request, signal: controller.signal })
    // Read to its end here: a connection that breaks in the middle of an answer is one more reason to try again.
    const text = await answer.text()
    const { status, statusText, headers } = answer
    if (!isOfService(method, status, text)) return { error: notOurs }
    return { answer: new Response(text || null, { status, statusText, headers }) }
  } catch (error) {
    if (signal?.aborted) throw signal.reason ?? error
    return { error }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

/**
 * False of what somebody in between answers: a proxy, or a Wi-Fi that wants a sign-in (511, RFC 6585). The service
 * answers 204 to a DELETE and to nothing else, and says of a failure what is wrong, in JSON.
 */
function isOfService(method: string | undefined, status: number, text: string): boolean {
  if (status < 300) return (status === 204) === (method === 'DELETE')
  // A proxy that could not get through is as good as a service that is busy. The answer to a HEAD says nothing.
  if (status < 400 || isPassing(status) || method === 'HEAD') return true
  return (
    status !== 511 &&
    typeof (readJson(text) as { message?: unknown } | null | undefined)?.message === 'string'
  )
}

/** Another tab may have signed in meanwhile: only the token that was refused goes. */
async function forget(tokens: TokenStore, refused: string, onSignedOut: () => void): Promise<void> {
  if ((await tokens.get()) !== refused) return
  await tokens.clear()
  onSignedOut()
}

/** Ends early where the caller stops it: the next attempt is none then. */
export function wait(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
  })
}
