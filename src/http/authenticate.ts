import type { MiddlewareHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { Owner } from '../database/owner.ts'
import { recordUse } from '../database/token-lifetime.ts'
import { Unauthenticated } from '../shared/failures.ts'
import { parseBearer, sha256Hex } from '../shared/tokens.ts'
import type { App } from './app-types.ts'
import { addKnownToken, removeKnownToken } from './known-tokens.ts'
import { matchedRoute } from './matched-route.ts'

/** The routes that need no token. Every other route does, including those added later. */
export const publicRoutes = [
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
  'GET /api/reminders/unsubscribe/:user/:signature',
  'POST /api/reminders/unsubscribe/:user/:signature',
]

/**
 * Sets the owner of the token. A malformed header fails at once; the token itself is validated by the handler's statements,
 * in their round trip (`Owner.run`). The isolate caches the result.
 */
export const authenticate: MiddlewareHandler<App> = async (c, next) => {
  const route = matchedRoute(c)
  // An unknown path or method is a 404 or 405 without a token, too.
  if (!route || publicRoutes.includes(`${route.method} ${route.path}`)) return next()

  const bearer = parseBearer(c.req.header('Authorization'))
  if (!bearer) throw new Unauthenticated()
  const { db, now } = c.get('deps')
  const owner = new Owner(db, { tokenId: bearer.tokenId, secretHash: sha256Hex(bearer.secret) }, now)
  c.set('owner', owner)
  await next()
  // An unreadable body ends a request early, but an invalid token takes precedence (401 before 400, 413, 415).
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
