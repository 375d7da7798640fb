import { Hono } from 'hono/tiny'
import type { Draft } from '../failures/draft.ts'
import type { App } from '../http/app-types.ts'
import { withPasswordConfirmation } from '../http/password-confirmation.ts'
import { clientAddress, countedClient, limit } from '../http/rate-limits.ts'
import { body, lenientFields } from '../http/validate.ts'
import { longestAddress } from '../identity/addresses.ts'
import { email } from '../identity/user-fields.ts'
import { signInContext } from './context.ts'
import { addressCheck, type Credentials, credentials, registration } from './contract.ts'
import { mailVerification } from './email-verification.ts'
import { login } from './login.ts'
import { presentSignIn } from './present.ts'
import { register } from './register.ts'
import { logout, logoutAll } from './sessions.ts'

type Credentialed = { out: { json: Draft<Credentials> } }

/** Registration, sign-in and sign-out. */
export const authRoutes = new Hono<App>()
  .post('/register', body(registration), async (c) => {
    const draft = withPasswordConfirmation(c.req.valid('json'))
    const { mayBeMailed, ...signedIn } = await register(signInContext(c), draft, countedClient(c))
    const { mailQueue, config, now } = c.get('deps')
    if (mayBeMailed) await mailVerification(mailQueue, config.links, signedIn.user, now)
    return c.json(presentSignIn(signedIn), 201)
  })
  .post(
    '/login',
    body(credentials),
    limit<Credentialed>(
      'LOGIN_LIMIT',
      (c) => `${c.req.valid('json').values.email?.slice(0, longestAddress)} ${clientAddress(c)}`,
    ),
    async (c) => c.json(presentSignIn(await login(signInContext(c), c.req.valid('json')))),
  )
  .post('/logout', async (c) => {
    await logout(c.get('owner'))
    return c.json({ message: 'Logged out.' })
  })
  .post('/logout-all', async (c) => {
    await logoutAll(c.get('owner'))
    return c.json({ message: 'Logged out everywhere.' })
  })
  // Does not reveal whether an address is registered.
  .get(
    '/auth/check-email',
    lenientFields('query', addressCheck),
    limit('CHECK_EMAIL_LIMIT', clientAddress),
    (c) => {
      return c.json({ available: email.safeParse(c.req.valid('query').email).success })
    },
  )
