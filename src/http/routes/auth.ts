import { Hono } from 'hono'
import * as z from 'zod'
import { addError, type Draft } from '../../domain/draft.ts'
import { type Credentials, login, logout, register } from '../../services/users.ts'
import type { App, Deps } from '../app-types.ts'
import { email, newPassword, password, text, timezone } from '../fields.ts'
import { clientAddress, limit } from '../limits.ts'
import { presentSignIn } from '../present.ts'
import { body } from '../validate.ts'

const registration = z.object({
  name: text(),
  email,
  password: newPassword,
  password_confirmation: password,
  timezone: timezone.nullable().optional(),
})
/** An address that is none gets the answer of an unknown one. */
const credentials = z.object({
  email: text(Number.POSITIVE_INFINITY).pipe(z.string().toLowerCase()),
  password,
})

type Credentialed = { out: { json: Draft<Credentials> } }

/** Registering, signing in and out (api.md §4.1). */
export const authRoutes = new Hono<App>()
  .post('/register', body(registration), async (c) => {
    const signedIn = await register(signInContext(c.var.deps), confirmed(c.req.valid('json')))
    return c.json(presentSignIn(signedIn), 201)
  })
  .post(
    '/login',
    body(credentials),
    limit<Credentialed>('LOGIN_LIMIT', (c) => `${c.req.valid('json').values.email} ${clientAddress(c)}`),
    async (c) => c.json(presentSignIn(await login(signInContext(c.var.deps), c.req.valid('json')))),
  )
  .post('/logout', async (c) => {
    await logout(c.var.owner)
    return c.json({ message: 'Logged out.' })
  })
  // Never says whether an address is registered, and so has no need to know (api.md §4.1).
  .get('/auth/check-email', limit('CHECK_EMAIL_LIMIT', clientAddress), (c) => {
    return c.json({ available: email.safeParse(c.req.query('email')).success })
  })

const signInContext = ({ db, now, random, config }: Deps) => ({
  db,
  now,
  random,
  scryptCost: config.scryptCost,
})

/** Adds the error of a password that was not typed the same way twice. */
function confirmed<T extends { password: string; password_confirmation: string }>(draft: Draft<T>): Draft<T> {
  const { password, password_confirmation } = draft.values
  if (password === undefined || password === password_confirmation) return draft
  const errors = { ...draft.errors }
  addError(errors, 'password', 'The :field field confirmation does not match.')
  return { complete: false, values: draft.values, errors }
}
