import type { Context, MiddlewareHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { App } from './app-types.ts'
import { BodyMemory } from './body-memory.ts'
import { BodyStream } from './body-stream.ts'
import { isRemembered } from './known-tokens.ts'

/** The largest JSON body, except where an endpoint sets a limit of its own (batches, uploads, imports). */
export const maxJsonBytes = 512 * 1024
/** JSON up to this size, about four hundred transactions, is read before its sender is known. */
export const maxSmallJsonBytes = 64 * 1024
/** The memory of a body of at most this size, about a hundred transactions, is not counted: apps rarely send more. */
const fewBytes = 16 * 1024
/** The most memory that a byte of JSON takes once parsed: a list of empty objects is the worst. */
const memoryPerByte = 12
/** Without a token that is known to be good, memory is given only while no more than this is in use. */
const strangersBytes = 8 * 1024 * 1024
/** The memory of a list of at most this many items is not counted either. */
const fewItems = 100
/**
 * The most memory, in bytes, that an item takes until it has been stored: five hundred times the `{},` of an empty one.
 */
const memoryPerItem = 1_536

/** True for any content type of JSON, such as `application/vnd.api+json; charset=utf-8`. */
export function saysJson(c: Context<App>): boolean {
  return /^application\/([\w.-]+\+)?json\s*(;|$)/i.test(c.req.header('Content-Type') ?? '')
}

/**
 * Requires a JSON body of at most `maxBytes`: 413 or 415 otherwise, 400 if it breaks off or is not UTF-8, 503 if it
 * arrives too slowly or finds no memory or no turn. A large body with an invalid token is a 401. Malformed JSON is
 * left to validate.ts.
 */
export function jsonBody(maxBytes: number): MiddlewareHandler<App> {
  return async (c, next) => {
    // A large batch holds up all other writers while it is stored, so the large bodies of one sender take turns.
    const memory = new BodyMemory(c.get('owner')?.tokenKey)
    try {
      const text = await readText(c, maxBytes, memory)
      // Hono keeps promises in its cache, whatever the type says.
      c.req.bodyCache.text = Promise.resolve(text) as unknown as string
      // Parsing takes the processor as well, so it belongs to the turn.
      // The deadline starts now: neither the upload nor the wait for a turn counts.
      c.get('deadline').restart()
      c.get('deadline')()
      await next()
    } finally {
      memory.release()
    }
  }
}

/**
 * The memory in bytes that JSON takes if it is read before its sender is known. Three things are held until the
 * answer is ready: the text (up to two bytes a character), what was read from it, and what was sent to the database.
 */
export function memoryForSmallJson(size: number): number {
  return size > fewBytes ? size * memoryPerByte : 0
}

/** The memory in bytes that a list of `count` items takes until they have been stored. */
export function memoryForItems(count: number): number {
  return count > fewItems ? count * memoryPerItem : 0
}

/**
 * Does the work while holding memory for `count` items. Throws TooBusy at once if there is none, since a request that
 * waits takes memory too.
 */
export async function withMemoryForItems<T>(
  c: Context<App>,
  count: number,
  work: () => Promise<T>,
): Promise<T> {
  const memory = new BodyMemory()
  try {
    memory.hold(memoryForItems(count), mostMemoryFor(c))
    return await work()
  } finally {
    memory.release()
  }
}

/** The most memory that all may use, this request included; undefined (all there is) if its token is known good. */
export function mostMemoryFor(c: Context<App>): number | undefined {
  const owner = c.get('owner')
  const isGood = owner && (owner.userId !== undefined || isRemembered(owner.tokenKey))
  return isGood ? undefined : strangersBytes
}

/** The body as text. A function of its own, so that the bytes are not held while the request waits. */
async function readText(c: Context<App>, maxBytes: number, memory: BodyMemory): Promise<string> {
  const body = await readBody(c, maxBytes, memory)
  if (!saysJson(c) && body.byteLength > 0)
    refuse(415, 'The request body must be JSON, sent with Content-Type: application/json.')
  return jsonText(body)
}

/** On routes that need a token, a large body is read only once the token is known to be valid. */
async function readBody(c: Context<App>, maxBytes: number, memory: BodyMemory) {
  const tooLarge = 'The request body is too large.'
  if (Number(c.req.header('Content-Length')) > maxBytes) refuse(413, tooLarge)
  const stream = new BodyStream(c, maxBytes, tooLarge)
  if (await stream.readTo(maxSmallJsonBytes)) {
    const body = stream.takeBytes()
    memory.hold(memoryForSmallJson(body.byteLength), mostMemoryFor(c))
    return body
  }

  const owner = c.get('owner')
  if (owner && !isRemembered(owner.tokenKey)) await owner.run()
  const most = mostMemoryFor(c)
  await stream.readTo(Number.POSITIVE_INFINITY, (size) => memory.hold(size, most))
  const body = stream.takeBytes()
  await memory.holdToRead(body.byteLength * memoryPerByte, most)
  return body
}

/**
 * The text of a JSON body; an empty one counts as `{}`. Throws 400 if it is not UTF-8 (RFC 8259): characters would be
 * replaced silently.
 */
export function jsonText(body: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(body)
    return text.trim() === '' ? '{}' : text
  } catch {
    return refuse(400, 'Malformed JSON in request body: it is not UTF-8.')
  }
}

function refuse(status: 400 | 413 | 415, message: string): never {
  throw new HTTPException(status, { message })
}
