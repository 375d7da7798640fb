import { ConnectionError } from './errors.ts'
import { defaultRetry, type Repeated, type RetryPolicy, retryDelayMs } from './retry.ts'
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
  sleep,
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
    const { retry: policy, random, now } = all
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
      const timing = { attempt, policy, random: random(), now: now() }
      const delayMs = retryDelayMs(request, answer, timing)
      if (delayMs === undefined) {
        if (!answer) throw new ConnectionError(error)
        if (answer.status === 401 && token !== null) await forget(tokens, token, all.onSignedOut)
        // The row is gone, which is what was asked; most likely an attempt whose answer was lost removed it.
        const isGone = mayBeDone && request.method === 'DELETE' && answer.status === 404
        if (isGone) return new Response(null, { status: 204, headers: answer.headers })
        // The service answers 204 to a DELETE, and to nothing else.
        if (answer.ok && (answer.status === 204) !== (request.method === 'DELETE'))
          throw new ConnectionError(new TypeError(`A ${answer.status} is no answer to a ${request.method}.`))
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
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout
  try {
    const answer = await fetch(url, { ...request, signal })
    // Read to its end here: a connection that breaks in the middle of an answer is one more reason to try again.
    const body = await answer.arrayBuffer()
    const { status, statusText, headers } = answer
    return { answer: new Response(body.byteLength > 0 ? body : null, { status, statusText, headers }) }
  } catch (error) {
    request.signal?.throwIfAborted()
    return { error }
  }
}

/** Another tab may have signed in meanwhile: only the token that was refused goes. */
async function forget(tokens: TokenStore, refused: string, onSignedOut: () => void): Promise<void> {
  if ((await tokens.get()) !== refused) return
  await tokens.clear()
  onSignedOut()
}

function sleep(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
