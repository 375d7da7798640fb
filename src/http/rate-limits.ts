import type { Context, Input, MiddlewareHandler } from 'hono'
import { every } from 'hono/combine'
import { rateLimiter } from 'hono-rate-limiter'
import { reportOf } from '../failures/error-report.ts'
import type { Allowance } from '../failures/failures.ts'
import { perMinute } from '../failures/limits.ts'
import type { Hashing } from '../identity/hashing.ts'
import type { App } from './app-types.ts'
import { addKnownToken, isKnownToken, userOfKnownToken } from './known-tokens.ts'

/**
 * Rejects requests beyond the limit of a key with 429 (failures/limits.ts). Cloudflare counts each location separately;
 * database/throttle.ts has the exact limits.
 */
export function limit<I extends Input = Input>(
  binding: keyof typeof perMinute,
  keyOf: (c: Context<App, string, I>) => string,
): MiddlewareHandler<App, string, I> {
  return rateLimiter<App, string, I>({
    binding: (c) => ({
      // If the binding fails, requests pass.
      limit: async (options) => {
        try {
          return await c.env[binding].limit(options)
        } catch (error) {
          console.error(
            JSON.stringify({
              event: 'limit failed',
              requestId: c.get('requestId'),
              binding,
              ...reportOf(error),
            }),
          )
          return { success: true }
        }
      },
    }),
    keyGenerator: keyOf,
    handler: (c) => tooManyAttempts(c, perMinute[binding], 60),
  })
}

const byClient = limit('CLIENT_LIMIT', clientAddress)
const byToken = limit('GENERAL_LIMIT', (c) => c.get('owner').tokenKey)
const byBoth: MiddlewareHandler<App> = every(byClient, byToken)

/**
 * Limits all requests, unless the configuration disables it. A known token has its own limit, so that users behind one
 * client address do not block each other. Public routes and unknown tokens count towards the client address, before any
 * statement runs; unknown tokens also count towards their own limit.
 */
export const generalLimit: MiddlewareHandler<App> = async (c, next) => {
  if (!c.get('deps').config.hasGeneralLimit) return next()
  const owner = c.get('owner')
  if (!owner) return byClient(c, next)
  return (isKnownToken(owner.tokenKey) ? byToken : byBoth)(c, next)
}

const byUser = limit('IMPORT_LIMIT', (c) => String(userOfKnownToken(c.get('owner').tokenKey)))

/**
 * Limits the imports of each user, unless the configuration disables it, before their body is read: one may take two
 * seconds of CPU time. The user of an unknown token is read first.
 */
export const importLimit: MiddlewareHandler<App> = async (c, next) => {
  if (!c.get('deps').config.hasGeneralLimit) return next()
  const owner = c.get('owner')
  if (!isKnownToken(owner.tokenKey)) addKnownToken(owner.tokenKey, (await owner.run()).user.id)
  return byUser(c, next)
}

/** The client address that emails are counted by; null if the general limit is off (docs/contract.md, Limits). */
export function countedClient(c: Context<App>): string | null {
  return c.get('deps').config.hasGeneralLimit ? clientAddress(c) : null
}

/** The cost of hashing a password, the client address that requests it, and how long it may wait. */
export function hashing(c: Context<App>): Hashing {
  const { scryptCost, budgets } = c.get('deps').config
  return { cost: scryptCost, client: clientAddress(c), budgets }
}

/** The client's address as Cloudflare saw it; for IPv6 its network, since a client has a whole one (RFC 6177). */
export function clientAddress(c: Context): string {
  const address = c.req.header('CF-Connecting-IP') ?? 'unknown'
  return address.includes(':') ? networkOf(address) : address
}

/** The first 64 bits of an IPv6 address, as four groups. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('::')
  const before = head.split(':').filter(Boolean)
  const after = tail?.split(':').filter(Boolean) ?? []
  const zeros = Array(Math.max(0, 8 - before.length - after.length)).fill('0')
  return [...before, ...zeros, ...after].slice(0, 4).join(':')
}

/** The response to an attempt beyond a limit. */
export function tooManyAttempts(c: Context, allowed: number, retryAfterSeconds: number) {
  return c.json({ message: 'Too Many Attempts.' }, 429, {
    'Retry-After': String(retryAfterSeconds),
    'X-RateLimit-Limit': String(allowed),
    'X-RateLimit-Remaining': '0',
  })
}

/** The headers of a successful response with the rest of an exact limit. */
export function allowanceHeaders({ limit, remaining }: Allowance) {
  return { 'X-RateLimit-Limit': String(limit), 'X-RateLimit-Remaining': String(remaining) }
}
