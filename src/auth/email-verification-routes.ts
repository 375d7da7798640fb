import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import type { App } from '../http/app-types.ts'
import { linkOutcome, linkPage } from '../http/link-page.ts'
import { allowanceHeaders } from '../http/rate-limits.ts'
import { showUser } from '../users/profile.ts'
import { linkContext, linkParts, signedLink } from './context.ts'
import type { ShownVerificationSent, ShownVerificationStatus } from './email-contract.ts'
import {
  canVerify,
  type Disowning,
  disown,
  readDisowning,
  resendVerification,
  verifyEmail,
} from './email-verification.ts'

const nothingToDo: [title: string, text: string] = [
  'The account is yours.',
  'You have chosen its password through an email, or signed in through your identity provider. If somebody else may know the password, choose “Forgot password” where you sign in: a new password signs everybody out.',
]

/** The texts of the “this was not me” page, by the action of its button. */
const questions: Record<Disowning, [title: string, text: string, button?: string]> = {
  deletes: [
    'Was this not you?',
    'Somebody has registered with your address, which is not verified yet. You can delete the account and everything in it.',
    'Delete that account',
  ],
  'signs out': [
    'Was this not you?',
    'Your address has been verified, so the account stays. If somebody else registered it, you can sign them out, remove the password, and get an email with a link to choose your own.',
    'Sign everybody out',
  ],
  nothing: nothingToDo,
}

/** The texts of the page after the button was pressed. */
const outcomes: Record<Disowning, [title: string, text: string]> = {
  deletes: ['The account has been deleted.', 'There is nothing else you need to do.'],
  'signs out': [
    'Everybody has been signed out.',
    'The password no longer works. We have emailed you a link to choose a new one. If it does not arrive, choose “Forgot password” where you sign in.',
  ],
  nothing: nothingToDo,
}

export const emailVerificationRoutes = new Hono<App>()
  .get('/verify/:id/:hash', ...signedLink, async (c) => {
    // Scanners send HEAD requests to links in emails, so only GET verifies.
    if (c.req.method === 'HEAD') return toDashboard(c, await canVerify(linkContext(c), linkParts(c)))
    const { userId, isNew } = await verifyEmail(linkContext(c), linkParts(c))
    if (isNew) c.get('deps').logEvent({ event: 'Verified', userId })
    return toDashboard(c, isNew)
  })
  .get('/disown/:id/:hash', ...signedLink, async (c) =>
    linkPage(c, ...questions[await readDisowning(linkContext(c), linkParts(c))]),
  )
  .post('/disown/:id/:hash', ...signedLink, async (c) => {
    const done = await disown(linkContext(c), linkParts(c))
    return linkOutcome(c, ...outcomes[done], done === 'nothing' ? 409 : 200)
  })
  .post('/verification-notification', async (c) => {
    const owner = c.get('owner')
    const { isVerified, ...allowance } = await resendVerification(owner, linkContext(c))
    const body: ShownVerificationSent = isVerified
      ? { message: 'Email already verified.', email_verified: true }
      : {
          message: 'Verification email queued.',
          email_verified: false,
          verification_sent_at: owner.now.toISOString(),
        }
    return c.json(body, 200, allowanceHeaders(allowance))
  })
  .get('/verification-status', async (c) => {
    const { email, emailVerifiedAt } = await showUser(c.get('owner'))
    const status: ShownVerificationStatus = { email_verified: emailVerifiedAt !== null, email }
    return c.json(status)
  })

function toDashboard(c: Context<App>, isNew: boolean) {
  const { frontendUrl } = c.get('deps').config
  return c.redirect(`${frontendUrl}/dashboard?verified=${isNew ? '1' : 'already'}`, 302)
}
