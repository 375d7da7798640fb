import type { MiddlewareHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { Owner } from '../database/owner.ts'
import { recordUse } from '../database/token-lifetime.ts'
import type { TokenScope } from '../domain/types.ts'
import { Unauthenticated } from '../failures/failures.ts'
import { parseBearer, sha256Hex } from '../identity/tokens.ts'
import type { App } from './app-types.ts'
import { addKnownToken, removeKnownToken } from './known-tokens.ts'
import { matchedRoute } from './matched-route.ts'

/** The routes that need no token. Every other route does, including those added later. */
export const publicRoutes = [
  'GET /api',
  'GET /api/health',
  'GET /api/openapi.json',
  'POST /api/register',
  'POST /api/login',
  'POST /api/forgot-password',
  'POST /api/reset-password',
  'GET /api/auth/idp',
  'GET /api/auth/idp/callback',
  'GET /api/auth/check-email',
  // Signed links in emails.
  'GET /api/email/verify/:id/:hash',
  'GET /api/email/disown/:id/:hash',
  'POST /api/email/disown/:id/:hash',
  'GET /api/email/approve/:id/:hash',
  'POST /api/email/approve/:id/:hash',
  'GET /api/email/change/:id/:hash',
  'POST /api/email/change/:id/:hash',
  'GET /api/email/restore/:id/:hash',
  'POST /api/email/restore/:id/:hash',
  'GET /api/reminders/unsubscribe/:user/:signature',
  'POST /api/reminders/unsubscribe/:user/:signature',
]

/**
 * The routes for sessions alone: no named token makes or ends tokens, changes the password or the address, or deletes the
 * user.
 */
const sessionRoutes = [
  'POST /api/tokens',
  'DELETE /api/tokens/:id',
  'POST /api/logout',
  'POST /api/logout-all',
  'PUT /api/me/password',
  'PATCH /api/me/password',
  'PUT /api/me/email',
  'PATCH /api/me/email',
  'DELETE /api/me',
]

/** The routes that change nothing, although their method is not GET. */
const readingRoutes = ['POST /api/categories/suggest']

/** The scope that a token needs for a route, as `METHOD /path`. */
export function scopeOf(route: string): TokenScope {
  if (sessionRoutes.includes(route)) return 'session'
  return route.startsWith('GET ') || readingRoutes.includes(route) ? 'read' : 'write'
}

/**
 * Sets the owner of the token. A malformed header fails at once; the token itself is validated by the handler's statements,
 * in their round trip (`Owner.run`). The isolate caches the result.
 */
export const authenticate: MiddlewareHandler<App> = async (c, next) => {
  const matched = matchedRoute(c)
  const route = matched && `${matched.method} ${matched.path}`
  // An unknown path or method is a 404 or 405 without a token, too.
  if (!route || publicRoutes.includes(route)) return next()

  const bearer = parseBearer(c.req.header('Authorization'))
  if (!bearer) throw new Unauthenticated()
  const { db, now } = c.get('deps')
  const { tokenId, secret } = bearer
  const owner = new Owner(db, { tokenId, secretHash: sha256Hex(secret), requiredScope: scopeOf(route) }, now)
  c.set('owner', owner)
  await next()
  // An unreadable body ends a request early, but the token takes precedence (401 and its 403 before 400, 413, 415).
  const isUnvalidated = c.error instanceof HTTPException && owner.userId === undefined
  // Removed first, since `run` throws if the token is invalid.
  if (isUnvalidated || c.error instanceof Unauthenticated) removeKnownToken(owner.tokenKey)
  if (isUnvalidated) await owner.run()
  if (owner.userId !== undefined) addKnownToken(owner.tokenKey, owner.userId)
  if (owner.isUseStale) c.executionCtx.waitUntil(recordUseLater(owner))
}

/** Runs after the response, so that it adds nothing to its time. */
async function recordUseLater(owner: Owner): Promise<void> {
  await scheduler.wait(0)
  await recordUse(owner).catch(() => undefined)
}
