import type { Context, Input, MiddlewareHandler } from 'hono'
import type * as z from 'zod/mini'
import { ifNoneMatch } from '../shared/versions.ts'
import type { App } from './app-types.ts'
import { checkedBy } from './validate.ts'

/**
 * Tags the answer to a GET with the number of the user's last change (`ETag`). If exactly one of the tags that the
 * client sends could be current, `Owner.run` compares it and, if it is, reads nothing else and throws NotModified.
 * Any other match (`*`, or one of several that could be current) becomes a 304 here, once the answer has been made. The tag is weak: it promises the same data, not the same bytes. It covers all that the answer
 * depends on: the epoch of the data, the release of this Worker, the URL, the user and the number. `variantOf` adds
 * anything else; if that is not known yet, it returns undefined, and there is no tag.
 */
export function tagged<I extends Input>(
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
    owner.watch(known.length === 1 ? known[0] : undefined)
    await next()
    if (owner.state === undefined || (c.res.status !== 200 && c.res.status !== 304)) return
    const isCurrent = header.trim() === '*' || known.includes(owner.state)
    if (c.res.status === 200 && isCurrent) c.res = c.body(null, 304)
    c.res.headers.set('ETag', `W/"${prefix}${owner.state}"`)
    c.res.headers.set('Cache-Control', 'private, no-cache')
    c.res.headers.append('Vary', 'Authorization')
  }
  checkedBy.set(middleware, { target: 'header', schema: ifNoneMatch, canRefuse: false })
  return middleware
}
type MayHaveTag = { in: { header?: Spelled<z.input<typeof ifNoneMatch>> } }
/** Spells the fields out, since the client's types must not refer to zod. */
type Spelled<T> = { [Name in keyof T]: T[Name] }

/** The states (`Owner.state`) in the tags with this prefix. Whether a tag is weak or strong does not matter here. */
function statesIn(header: string, prefix: string): string[] {
  const tags = [...header.matchAll(/"([^"]*)"/g)].map(([, tag = '']) => tag)
  return [...new Set(tags.filter((tag) => tag.startsWith(prefix)).map((tag) => tag.slice(prefix.length)))]
}

/** 32-bit FNV-1a: it only has to tell apart the answers to one user at one moment. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5
  for (let place = 0; place < text.length; place += 1)
    hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193)
  return (hash >>> 0).toString(36)
}

const kept = [
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
  'Cache-Control',
  'ETag',
  'Vary',
  'X-Request-Id',
]

/**
 * A 304 keeps only what caches, browsers, scripts that revalidate by themselves and support need: the client has the
 * other headers from the first answer. `observe` adds what this one cost.
 */
export const leanNotModified: MiddlewareHandler<App> = async (c, next) => {
  await next()
  if (c.res.status !== 304) return
  for (const name of [...c.res.headers.keys()])
    if (!kept.some((one) => one.toLowerCase() === name)) c.res.headers.delete(name)
}
