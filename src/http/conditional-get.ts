import type { Context, Input, MiddlewareHandler } from 'hono'
import type * as z from 'zod/mini'
import { ifNoneMatch } from '../domain/versions.ts'
import type { App } from './app-types.ts'
import { checkByHandler } from './validate.ts'

/**
 * Sets the `ETag` of a GET and handles `If-None-Match`. If the header has one possible tag, `Owner.run` compares it and
 * throws NotModified without reading anything else. Other matches (`*`, or one of several tags) become a 304 here, after
 * the response has been built. The weak tag consists of the epoch of the data, the release of the Worker, a hash of the URL
 * and `variantOf`, the user and the number of their last change. If `variantOf` returns undefined, there is no tag.
 */
export function withETag<I extends Input>(
  variantOf: (c: Context<App, string, I>) => string | undefined = () => '',
): MiddlewareHandler<App, string, MayHaveTag & I> {
  const middleware: MiddlewareHandler<App, string, MayHaveTag & I> = async (c, next) => {
    const variant = variantOf(c)
    if (variant === undefined) return next()
    const owner = c.get('owner')
    const { changesEpoch, release } = c.get('deps').config
    const prefix = `${changesEpoch}-${release}-${hashOf(`${c.req.url} ${variant}`)}-`
    const header = c.req.header('If-None-Match') ?? ''
    const known = header ? statesIn(header, prefix) : []
    owner.compareState(known.length === 1 ? known[0] : undefined)
    await next()
    if (owner.state === undefined || (c.res.status !== 200 && c.res.status !== 304)) return
    const isCurrent = header.trim() === '*' || known.includes(owner.state)
    if (c.res.status === 200 && isCurrent) c.res = c.body(null, 304)
    c.res.headers.set('ETag', `W/"${prefix}${owner.state}"`)
    c.res.headers.set('Cache-Control', 'private, no-cache')
    c.res.headers.append('Vary', 'Authorization')
  }
  checkByHandler.set(middleware, { target: 'header', schema: ifNoneMatch, canReject: false })
  return middleware
}
type MayHaveTag = { in: { header?: Expanded<z.input<typeof ifNoneMatch>> } }
/** Expands a type, since the client's types must not refer to zod. */
type Expanded<T> = { [Name in keyof T]: T[Name] }

/** The states (`Owner.state`) in the tags with this prefix, weak or strong. */
function statesIn(header: string, prefix: string): string[] {
  const tags = [...header.matchAll(/"([^"]*)"/g)].map(([, tag = '']) => tag)
  return [...new Set(tags.filter((tag) => tag.startsWith(prefix)).map((tag) => tag.slice(prefix.length)))]
}

/** 32-bit FNV-1a: the hash only distinguishes responses to one user at one moment. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return (hash >>> 0).toString(36)
}

const keptHeaders = [
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
  'Cache-Control',
  'ETag',
  'Vary',
  'X-Request-Id',
]

/** Removes headers from a 304 that the client already has from the first response. */
export const stripNotModified: MiddlewareHandler<App> = async (c, next) => {
  await next()
  if (c.res.status !== 304) return
  for (const name of [...c.res.headers.keys()])
    if (!keptHeaders.some((one) => one.toLowerCase() === name)) c.res.headers.delete(name)
}
