import { Hono } from 'hono'
import { resendVerification, verifyEmail } from '../../services/email-verification.ts'
import { showUser } from '../../services/profile.ts'
import type { App } from '../app-types.ts'
import { allowanceHeaders } from '../limits.ts'

/** Verifying the address (api.md §3 and §4.1). */
export const emailVerificationRoutes = new Hono<App>()
  .get('/verify/:id/:hash', async (c) => {
    const { db, now, config, emit } = c.var.deps
    const { expires = '', signature = '' } = c.req.query()
    const link = { id: c.req.param('id'), hash: c.req.param('hash'), expires, signature }
    const { userId, isNew } = await verifyEmail(db, config.links.secret, link, now)
    if (isNew) emit({ event: 'Verified', userId })
    return c.redirect(`${config.frontendUrl}/dashboard?verified=${isNew ? '1' : 'already'}`, 302)
  })
  .post('/verification-notification', async (c) => {
    const { owner, deps } = c.var
    const { isVerified, ...allowance } = await resendVerification(owner, deps.outbox, deps.config.links)
    const answer = isVerified
      ? { message: 'Email already verified.', email_verified: true }
      : {
          message: 'Verification email queued.',
          email_verified: false,
          verification_sent_at: owner.now.toISOString(),
        }
    return c.json(answer, 200, allowanceHeaders(allowance))
  })
  .get('/verification-status', async (c) => {
    const { email, emailVerifiedAt } = await showUser(c.var.owner)
    return c.json({ email_verified: emailVerifiedAt !== null, email })
  })
