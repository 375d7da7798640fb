import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { HTTPException } from 'hono/http-exception'
import type { Owner } from '../database/owner.ts'
import type { App } from './app-types.ts'
import { withTimeouts } from './body-timeouts.ts'
import { isRemembered } from './known-tokens.ts'
import { Memory } from './memory.ts'

/** The largest JSON body, except where an endpoint sets a limit of its own (batches, uploads, imports). */
export const maxJsonBytes = 512 * 1024
/** A body up to this size may be read before it is known who sends it. */
export const maxAnonymousBytes = 64 * 1024

/**
 * Receives a body of at most `maxBytes`, or of 64 KiB on a public route. On the other routes, a body that is larger, or
 * of unknown length, is received only if the token is valid. Throws Unauthenticated, TooBusy, 400 and 413. Its memory is
 * counted as `c.get('memory')` until the response is ready.
 */
export function receiveBody(
  maxBytes: number,
  tooLarge = 'The request body is too large.',
): MiddlewareHandler<App> {
  const onError = () => {
    throw new HTTPException(413, { message: tooLarge })
  }
  const limit = bodyLimit({ maxSize: maxBytes, onError })
  const anonymousLimit = bodyLimit({ maxSize: Math.min(maxBytes, maxAnonymousBytes), onError })
  return async (c, next) => {
    const owner: Owner | undefined = c.get('owner')
    if (owner && !isAnnouncedSmall(c) && !isRemembered(owner.tokenKey)) await owner.run()
    const memory = new Memory(owner)
    c.set('memory', memory)
    const { body } = c.req.raw
    if (body)
      c.req.raw = new Request(c.req.raw, { body: withTimeouts(body, (size) => memory.countArrived(size)) })
    try {
      await (owner ? limit : anonymousLimit)(c, async () => {
        await c.req.arrayBuffer()
        // The time of the upload does not count.
        c.get('deadline').restart()
        c.get('deadline')()
        await next()
      })
    } finally {
      memory.release()
    }
  }
}

/** True if the client has announced a body that may be read before it is known who sends it. */
export function isAnnouncedSmall(c: Context<App>): boolean {
  if (!c.req.raw.body) return true
  return Number(c.req.header('Content-Length') ?? Number.POSITIVE_INFINITY) <= maxAnonymousBytes
}

/** True for any content type of JSON, such as `application/vnd.api+json; charset=utf-8`. */
export function saysJson(c: Context<App>): boolean {
  return /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(c.req.header('Content-Type') ?? '')
}

/**
 * Parses a JSON body that has been received. Throws 415 for another content type, 400 for malformed JSON, TooBusy if
 * there is no memory.
 */
export async function parseJsonBody(c: Context<App>): Promise<unknown> {
  const bytes = await c.req.arrayBuffer()
  if (!saysJson(c) && bytes.byteLength > 0)
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

/**
 * The text of a JSON body; an empty one counts as `{}`. Throws 400 if it is not UTF-8 (RFC 8259): characters would be
 * replaced silently.
 */
export function jsonText(bytes: ArrayBuffer | Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
    return text.trim() === '' ? '{}' : text
  } catch {
    throw new HTTPException(400, { message: 'Malformed JSON in request body: it is not UTF-8.' })
  }
}
