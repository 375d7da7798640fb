import { type Context, Hono } from 'hono'
import { requestId } from 'hono/request-id'
import { secureHeaders } from 'hono/secure-headers'
import { createDeps } from '../src/deps.ts'
import { deadlineAfter, requestMs } from '../src/domain/deadline.ts'
import { reportOf } from '../src/domain/error-report.ts'
import { SignInFailed } from '../src/domain/failures.ts'
import type { Identity } from '../src/gateways/identity-provider.ts'
import type { App } from '../src/http/app-types.ts'
import { observe } from '../src/http/observe.ts'
import { identifyCallback, signInAgain, signInAs } from '../src/services/sign-in/provider.ts'
import type { SignedIn } from '../src/services/sign-in/token.ts'
import { keyOf } from './directory.ts'
import { directoryOf, newcomersHome, type Place, Places, type RouterEnv } from './places.ts'

type Router = { Bindings: RouterEnv; Variables: App['Variables'] }

/**
 * Completes a sign-in through the identity provider: the only route whose database is known only halfway through, once
 * the provider has said who it is. So this calls the two halves of the product's service, with the lookup in between.
 */
export const signInRoute = new Hono<Router>({ strict: false })
  .use(requestId({ limitLength: 0 }), observe, secureHeaders())
  .use(async (c, next) => {
    c.set('deadline', deadlineAfter(requestMs))
    await next()
  })
  .get('/api/auth/idp/callback', async (c) => {
    const { config, ...deps } = depsAt('nobodys', c)
    try {
      // The state belongs to no user yet, so it is used up in nobody's database.
      const identity = await identifyCallback(deps, deps.provider, config.links.secret, c.req.query())
      const { token, user } = await signInAtHome(identity, c)
      return toLogin(c, config.frontendUrl, { token, user: String(user.id) })
    } catch (error) {
      if (!(error instanceof SignInFailed) || error.cause)
        console.error(JSON.stringify({ event: 'failure', ...reportOf(error) }))
      const failure = error instanceof SignInFailed ? error : signInAgain()
      return toLogin(c, config.frontendUrl, { error: failure.message, error_code: failure.problem })
    }
  })

/** By the identity if it is known, otherwise by the address, which then settles where the identity is. */
async function signInAtHome(identity: Identity, c: Context<Router>): Promise<SignedIn> {
  const secret = c.env.DIRECTORY_SECRET
  const directory = directoryOf(c.env)
  const identityKey = await keyOf.identity(secret, identity.subject)
  const known = await directory.find(identityKey)
  if (known === 'moving') throw signInAgain()
  if (known !== undefined) {
    // Without an address, no user is created or linked there: if theirs is gone, the address decides again.
    const signedIn = await signInAt(known, { ...identity, email: null }, c).catch(unlessFailed)
    if (signedIn) return signedIn
  }
  // Refused there, since it has no user to link.
  if (!identity.email || !identity.isEmailVerified) return signInAt('nobodys', identity, c)

  const addressKey = await keyOf.address(secret, identity.email)
  const home = await directory.settle(addressKey, newcomersHome(c.env, addressKey))
  if (home === 'moving') throw signInAgain()
  const signedIn = await signInAt(home, identity, c)
  await directory.put([identityKey], home)
  return signedIn
}

function signInAt(place: Place, identity: Identity, c: Context<Router>): Promise<SignedIn> {
  const { db, now, random, outbox, config } = depsAt(place, c)
  const userAgent = c.req.header('User-Agent') ?? null
  return signInAs({ db, now, random, userAgent, outbox, frontendUrl: config.frontendUrl }, identity)
}

function unlessFailed(error: unknown): undefined {
  if (!(error instanceof SignInFailed)) throw error
}

function depsAt(place: Place, c: Context<Router>) {
  const { meter, deadline } = c.var
  const waitUntil = (promise: Promise<unknown>) => c.executionCtx.waitUntil(promise)
  return createDeps(Places.of(c.env).at(place), { meter, waitUntil, deadline })
}

/** As the product's own route does. */
function toLogin(c: Context<Router>, frontendUrl: string, query: Record<string, string>) {
  const url = `${frontendUrl}/login?${new URLSearchParams(query)}`
  return c.body(null, 302, { Location: url, 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store' })
}
