import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import {
  addressLinkPath,
  addressLinkQuery,
  type ShownVerificationSent,
  type ShownVerificationStatus,
} from '../../contract/mail.ts'
import type { LinkParts } from '../../domain/links.ts'
import { canDisown, disown, resendVerification, verifyEmail } from '../../services/email-verification.ts'
import { showUser } from '../../services/profile.ts'
import type { App } from '../app-types.ts'
import { answerOutcome, answerPage } from '../link-page.ts'
import { allowanceHeaders, countedClient } from '../rate-limits.ts'
import { hints } from '../validate.ts'

/** The answer to the link “this was not me” once the address is verified. */
const tooLate = [
  'Your address has been verified.',
  'So the account stays. If somebody else may know its password, choose “Forgot password” where you sign in: a new password signs everybody out.',
] as const

export const emailVerificationRoutes = new Hono<App>()
  .get('/verify/:id/:hash', hints('param', addressLinkPath), hints('query', addressLinkQuery), async (c) => {
    const { config, emit } = c.get('deps')
    const { userId, isNew } = await verifyEmail(...signed(c, c.req.valid('param'), c.req.valid('query')))
    if (isNew) emit({ event: 'Verified', userId })
    return c.redirect(`${config.frontendUrl}/dashboard?verified=${isNew ? '1' : 'already'}`, 302)
  })
  .get('/disown/:id/:hash', hints('param', addressLinkPath), hints('query', addressLinkQuery), async (c) => {
    const isOpen = await canDisown(...signed(c, c.req.valid('param'), c.req.valid('query')))
    if (!isOpen) return answerPage(c, ...tooLate)
    const text =
      'Somebody has registered with your address, which is not verified yet. You can delete the account and everything in it.'
    return answerPage(c, 'Was this not you?', text, 'Delete that account')
  })
  .post('/disown/:id/:hash', hints('param', addressLinkPath), hints('query', addressLinkQuery), async (c) => {
    const { removals } = c.get('deps')
    const isEnded = await disown(...signed(c, c.req.valid('param'), c.req.valid('query')), removals)
    if (!isEnded) return answerOutcome(c, ...tooLate, 409)
    return answerOutcome(c, 'The account has been deleted.', 'There is nothing else you need to do.')
  })
  .post('/verification-notification', async (c) => {
    const owner = c.get('owner')
    const { outbox, config } = c.get('deps')
    const { isVerified, ...allowance } = await resendVerification(owner, {
      outbox,
      links: config.links,
      client: countedClient(c),
    })
    const answer: ShownVerificationSent = isVerified
      ? { message: 'Email already verified.', email_verified: true }
      : {
          message: 'Verification email queued.',
          email_verified: false,
          verification_sent_at: owner.now.toISOString(),
        }
    return c.json(answer, 200, allowanceHeaders(allowance))
  })
  .get('/verification-status', async (c) => {
    const { email, emailVerifiedAt } = await showUser(c.get('owner'))
    const status: ShownVerificationStatus = { email_verified: emailVerifiedAt !== null, email }
    return c.json(status)
  })

/** What the services need from a request that follows a signed link. */
function signed(c: Context<App>, path: Partial<LinkParts>, query: Partial<LinkParts>) {
  const { db, config, now } = c.get('deps')
  const link = { id: '', hash: '', expires: '', signature: '', ...path, ...query }
  return [db, config.links.secret, link, now] as const
}
