import type { Context, MiddlewareHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { Owner } from '../database/owner.ts'
import type { Deps } from '../deps.ts'
import { defaultBudgets } from '../failures/budgets.ts'
import type { App } from './app-types.ts'
import { discard, maxShortBytes, receiveShort, withTimeouts } from './body-timeouts.ts'
import { isKnownToken } from './known-tokens.ts'
import { Memory } from './memory.ts'

// Other limits: failures/limits.ts.

/** The largest JSON body, unless an endpoint has its own limit (batches, uploads, imports). */
export const maxJsonBytes = 512 * 1024
/** A body up to this size may be read before the token is validated. */
export const maxAnonymousBytes = 64 * 1024

/**
 * Receives a body of at most `maxBytes`, or of 64 KiB on a public route. On other routes, the token is validated before a
 * body that is larger or of unknown length is received. `memory` counts it, unless it is short, until the response is
 * ready. Throws Unauthenticated, TooBusy, 400, 413 and, if the body is compressed, 415.
 */
export function receiveBody(
  maxBytes: number,
  tooLarge = 'The request body is too large.',
): MiddlewareHandler<App> {
  return async (c, next) => {
    refuseCompressed(c)
    const owner: Owner | undefined = c.get('owner')
    const allowedBytes = owner ? maxBytes : Math.min(maxBytes, maxAnonymousBytes)
    const refuseAbove = (bytes: number) => {
      if (bytes > allowedBytes) throw new HTTPException(413, { message: tooLarge })
    }
    const length = contentLength(c)
    if (Number.isFinite(length)) refuseAbove(length)
    if (owner && length > maxAnonymousBytes && !isKnownToken(owner.tokenKey)) await owner.run()
    const { budgets } = c.get('deps').config
    const memory = new Memory(owner, budgets)
    c.set('memory', memory)
    const isShort = length <= maxShortBytes
    const { body } = c.req.raw
    if (body && !isShort) {
      const onProgress = (bytes: number) => {
        refuseAbove(bytes)
        memory.countReceived(bytes)
      }
      c.req.raw = new Request(c.req.raw, { body: withTimeouts(body, budgets, onProgress) })
    }
    try {
      const received = c.req.arrayBuffer()
      await (isShort ? receiveShort(received, budgets) : received)
      // A slow upload does not count.
      c.get('deadline').start()
      await next()
    } finally {
      memory.release()
    }
  }
}

/**
 * Discards what a response has left unread of the request's body: while the client still writes, closing the connection would
 * lose the response (RFC 9112 §9.6), and a Worker cannot read after it has responded.
 */
export const discardRest: MiddlewareHandler<App> = async (c, next) => {
  const { body } = c.req.raw
  await next()
  // Without valid settings, there are no dependencies.
  const budgets = (c.get('deps') as Deps | undefined)?.config.budgets ?? defaultBudgets
  if (body && !body.locked) await discard(body, budgets)
}

function refuseCompressed(c: Context<App>): void {
  const encoding = c.req.header('Content-Encoding') ?? 'identity'
  if (encoding.trim().toLowerCase() !== 'identity')
    throw new HTTPException(415, {
      message: 'The request body must not be compressed: send it without Content-Encoding.',
    })
}

/** True if the Content-Length allows reading the body before the token is validated. */
export const hasSmallContentLength = (c: Context<App>) => contentLength(c) <= maxAnonymousBytes

/** In bytes; infinite if the request does not tell the length of its body. */
function contentLength(c: Context<App>): number {
  return c.req.raw.body ? Number(c.req.header('Content-Length') ?? Number.POSITIVE_INFINITY) : 0
}

/** True for any content type of JSON, such as `application/vnd.api+json; charset=utf-8`. */
export function isJson(c: Context<App>): boolean {
  return /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(c.req.header('Content-Type') ?? '')
}

/** Parses a received JSON body. Throws 415 for another content type, 400 for malformed JSON, TooBusy without memory. */
export async function parseJsonBody(c: Context<App>): Promise<unknown> {
  const bytes = await c.req.arrayBuffer()
  if (!isJson(c) && bytes.byteLength > 0)
    throw new HTTPException(415, {
      message: 'The request body must be JSON, sent with Content-Type: application/json.',
    })
  c.get('memory').countJson(bytes.byteLength)
  return parseJson(jsonText(bytes))
}

/** Parses JSON. Throws 400 if it is malformed. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new HTTPException(400, { message: 'Malformed JSON in request body' })
  }
}

/** The text of a JSON body; an empty one counts as `{}`. Throws 400 if it is not UTF-8 (RFC 8259). */
export function jsonText(bytes: ArrayBuffer | Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
    return text.trim() === '' ? '{}' : text
  } catch {
    throw new HTTPException(400, { message: 'Malformed JSON in request body: it is not UTF-8.' })
  }
}
