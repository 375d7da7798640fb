import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import { SignInFailed } from '../failures/failures.ts'
import type { App } from '../http/app-types.ts'
import { logFailure } from '../http/observe.ts'
import { lenientFields } from '../http/validate.ts'
import { signInContext } from './context.ts'
import { callback, signInHints } from './contract.ts'
import { beginSignIn, completeSignIn, signInAgain } from './provider-sign-in.ts'

/** Sign-in through the identity provider. */
export const identityProviderRoutes = new Hono<App>()
  .get('/', lenientFields('query', signInHints), async (c) => {
    const { config, provider, now } = c.get('deps')
    return c.json({ url: await beginSignIn(provider, config.links.secret, now, c.req.valid('query')) })
  })
  .get('/callback', lenientFields('query', callback), async (c) => {
    const { config, provider, mailQueue } = c.get('deps')
    // A HEAD must not consume the state, so its outcome is unknown.
    if (c.req.method === 'HEAD') return c.redirect(`${config.frontendUrl}/login`, 302)
    try {
      const { token, user } = await completeSignIn(
        { ...signInContext(c), mailQueue, frontendUrl: config.frontendUrl },
        provider,
        config.links.secret,
        c.req.valid('query'),
      )
      return toLogin(c, { token, user: String(user.id) })
    } catch (error) {
      // All errors redirect to the login page, since the user is in a browser.
      if (!(error instanceof SignInFailed) || error.cause) logFailure(error as Error, c)
      const failure = error instanceof SignInFailed ? error : signInAgain()
      return toLogin(c, { error: failure.message, error_code: failure.problem })
    }
  })

/** Redirects to the frontend's login page. The query may contain a token, so there is no referrer or cache. */
function toLogin(c: Context<App>, query: Record<string, string>) {
  const url = `${c.get('deps').config.frontendUrl}/login?${new URLSearchParams(query)}`
  return c.body(null, 302, { Location: url, 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store' })
}
