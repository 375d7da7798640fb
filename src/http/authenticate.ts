import type { MiddlewareHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { Owner } from '../database/owner.ts'
import { recordUse } from '../database/token-lifetime.ts'
import { Unauthenticated } from '../shared/failures.ts'
import { parseBearer, sha256Hex } from '../shared/tokens.ts'
import type { App } from './app-types.ts'
import { forget, remember } from './known-tokens.ts'
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
 * Gives the handler the owner of the token. A header that cannot be a token is refused at once; the handler's statements
 * find out whether the token is valid, in the same round trip as everything else. The isolate remembers what they find.
 */
export const authenticate: MiddlewareHandler<App> = async (c, next) => {
  const route = matchedRoute(c)
  // An unknown path or method is a 404 or 405 for everybody.
  if (!route || publicRoutes.includes(`${route.method} ${route.path}`)) return next()

  const bearer = parseBearer(c.req.header('Authorization'))
  if (!bearer) throw new Unauthenticated()
  const { db, now } = c.get('deps')
  const owner = new Owner(db, { tokenId: bearer.tokenId, secretHash: sha256Hex(bearer.secret) }, now)
  c.set('owner', owner)
  await next()
  // A body that cannot be read ends a request early, but a bad token still comes first (401 before 400, 413, 415).
  const isUnproven = c.error instanceof HTTPException && owner.userId === undefined
  // Forgotten first, since `run` throws if the token is bad.
  if (isUnproven || c.error instanceof Unauthenticated) forget(owner.tokenKey)
  if (isUnproven) await owner.run()
  if (owner.userId !== undefined) remember(owner.tokenKey, owner.userId)
  if (owner.isUseStale) c.executionCtx.waitUntil(recordUseLater(owner))
}

/** Starts once the answer is on its way, so that it neither delays the answer nor counts towards its time. */
async function recordUseLater(owner: Owner): Promise<void> {
  await scheduler.wait(0)
  await recordUse(owner).catch(() => undefined)
}
