import { ConnectionError, notFromService, readJson } from './errors.ts'
import { notify } from './notify.ts'
import { defaultRetry, isPassing, type Repeated, type RetryPolicy, retryDelayMs } from './retry.ts'
import { clearEnded, type TokenStore } from './tokens.ts'

export type SendOptions = {
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Called when the service no longer accepts the token, which has been cleared by then. */
  onSignedOut: () => void
  /** Timeout per attempt, including reading the response. */
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
 * Returns a `fetch` that sends the token, unless the caller sends one, limits the time of each attempt, and retries
 * by the rule of retry.ts. It resolves once the whole response has arrived. Throws ConnectionError, or the reason of the
 * caller's own signal.
 */
export function sender(tokens: TokenStore, options: Partial<SendOptions>) {
  const all = { ...defaults, ...options }
  return async (url: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    headers.set('Accept', 'application/json')
    const [, given] = /^Bearer (.+)$/.exec(headers.get('Authorization') ?? '') ?? []
    const token = given ?? (await tokens.get())
    if (token !== null) headers.set('Authorization', `Bearer ${token}`)
    const { method = 'GET', body = null } = init
    const request: Repeated & RequestInit = { ...init, method, headers, body }
    let mayBeDone = false
    for (let attempt = 1; ; attempt++) {
      const { response, error } = await attemptOnce(url, request, all)
      const timing = { attempt, policy: all.retry, random: all.random(), now: all.now() }
      const delayMs = retryDelayMs(request, response, timing)
      if (delayMs === undefined) {
        if (!response) throw new ConnectionError(error)
        const isEnded = response.status === 401 && token !== null && (await clearEnded(tokens, token))
        if (isEnded) notify([all.onSignedOut])
        // The row is gone, as requested; most likely an attempt whose response was lost removed it.
        const isGone = mayBeDone && request.method === 'DELETE' && response.status === 404
        if (isGone) return new Response(null, { status: 204, headers: response.headers })
        return response
      }
      mayBeDone ||= response?.status !== 429
      await all.sleep(delayMs, init.signal)
    }
  }
}

async function attemptOnce(url: string, request: RequestInit, { fetch, timeoutMs }: SendOptions) {
  const { method, signal } = request
  // AbortSignal.timeout and AbortSignal.any are missing in React Native and in older browsers.
  const controller = new AbortController()
  const stop = () => controller.abort()
  const timer = setTimeout(() => controller.abort('No response came in time.'), timeoutMs)
  signal?.addEventListener('abort', stop)
  // Not every fetch obeys its signal.
  const ended = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason))
  })
  if (signal?.aborted) stop()
  try {
    const read = async () => {
      const response = await fetch(url, { ...request, signal: controller.signal })
      // Read to its end here, so that a response that breaks off halfway is retried too.
      return { response, text: await response.text() }
    }
    const { response, text } = await Promise.race([ended, read()])
    const { status, statusText, headers } = response
    if (!isFromService(url, method, status, text)) return { error: notFromService }
    return { response: new Response(text || null, { status, statusText, headers }) }
  } catch (error) {
    if (signal?.aborted) throw signal.reason ?? error
    return { error }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

/**
 * False for a response from something in between: a proxy, or a Wi-Fi network that wants a sign-in (511, RFC 6585). The
 * service responds with 204 only to a DELETE and to the rejection of a match, and its failures are JSON.
 */
function isFromService(url: string, method: string | undefined, status: number, text: string): boolean {
  if (status < 300) return (status === 204) === (method === 'DELETE' || url.endsWith('/matches/reject'))
  // A proxy that could not get through is treated like a busy service. The response to a HEAD has no body.
  if (status < 400 || isPassing(status) || method === 'HEAD') return true
  const failure = readJson(text) as { message?: unknown } | null | undefined
  return status !== 511 && typeof failure?.message === 'string'
}

/** Waits, but ends early if the caller aborts; the next attempt then ends at once. */
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
