import { Hono } from 'hono/tiny'
import { valuesOf } from '../failures/draft.ts'
import type { App } from '../http/app-types.ts'
import { withPasswordConfirmation } from '../http/password-confirmation.ts'
import { allowanceHeaders, hashing } from '../http/rate-limits.ts'
import { body } from '../http/validate.ts'
import { linkContext } from './context.ts'
import { forgottenPassword, passwordReset } from './email-contract.ts'
import { mailResetLink, resetPassword } from './password-reset.ts'

export const passwordRoutes = new Hono<App>()
  .post('/forgot-password', body(forgottenPassword), async (c) => {
    const { email } = valuesOf(c.req.valid('json'))
    const allowance = await mailResetLink(linkContext(c), email)
    return c.json({ message: 'We have emailed your password reset link.' }, 200, allowanceHeaders(allowance))
  })
  .post('/reset-password', body(passwordReset), async (c) => {
    const { db, now } = c.get('deps')
    await resetPassword({ db, now, hashing: hashing(c) }, withPasswordConfirmation(c.req.valid('json')))
    return c.json({ message: 'Your password has been reset.' })
  })
