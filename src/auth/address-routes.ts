import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import type { App } from '../http/app-types.ts'
import { linkOutcome, linkPage } from '../http/link-page.ts'
import { hashing } from '../http/rate-limits.ts'
import { body } from '../http/validate.ts'
import { approveChange, completeChange, readChangeState, requestAddressChange } from './address-change.ts'
import { readRestoreState, restoreAddress } from './address-restore.ts'
import { linkContext, linkParts, signedLink } from './context.ts'
import { addressChange } from './email-contract.ts'

type Text = [title: string, text: string, button?: string]

const nothingElse = 'There is nothing else you need to do.'
const isCurrent: Text = ['This is the address of your account.', nothingElse]
const isTaken: Text = [
  'This address is taken.',
  'Another account has it by now. Sign in, and choose another one.',
]

/** The texts of the page of each link, after its button was pressed, and if that has been done before. */
const texts: Record<'approve' | 'change' | 'restore', { question: Text; outcome: Text; done: Text }> = {
  approve: {
    question: [
      'Change the address of your account?',
      'Somebody who is signed in to your account, hopefully you, asked for that. If you go on, the new address gets an email with a link that changes it.',
      'Go on',
    ],
    outcome: ['One more step.', 'We have emailed a link to the new address.'],
    done: ['You have confirmed this.', 'The link is in the email to the new address.'],
  },
  change: {
    question: [
      'Use this address from now on?',
      'Your account will have this email address. Go on only if you asked for that: otherwise, the account is somebody else’s.',
      'Use this address',
    ],
    outcome: ['The address has been changed.', 'Sign in with this one from now on.'],
    done: isCurrent,
  },
  restore: {
    question: [
      'Was this not you?',
      'The address of your account has been changed. You can change it back: this signs everybody out, ends all tokens, removes the password, and emails you a link to choose a new one.',
      'Change it back',
    ],
    outcome: [
      'The address has been changed back.',
      'Everybody has been signed out, and the password no longer works. We have emailed you a link to choose a new one. If it does not arrive, choose “Forgot password” where you sign in.',
    ],
    done: isCurrent,
  },
}

type State = 'pending' | 'done' | 'taken'

function question(c: Context<App>, action: keyof typeof texts, state: State) {
  const { question, done } = texts[action]
  return linkPage(c, ...{ pending: question, done, taken: isTaken }[state])
}

function outcome(c: Context<App>, action: keyof typeof texts, state: State) {
  const { outcome, done } = texts[action]
  const [title, text] = { pending: outcome, done, taken: isTaken }[state]
  return linkOutcome(c, title, text, state === 'taken' ? 409 : 200)
}

/** Requests a change of the user's own address. */
export const ownAddressRoutes = new Hono<App>().on(['PUT', 'PATCH'], '/', body(addressChange), async (c) => {
  const context = { ...linkContext(c), hashing: hashing(c) }
  const recipient = await requestAddressChange(c.get('owner'), c.req.valid('json'), context)
  return c.json({ message: `We have emailed a link to ${recipient}.` })
})

/** The links in emails about a change of the address. */
export const addressLinkRoutes = new Hono<App>()
  .get('/approve/:id/:hash', ...signedLink, async (c) =>
    question(c, 'approve', await readChangeState(linkContext(c), 'approve', linkParts(c))),
  )
  .post('/approve/:id/:hash', ...signedLink, async (c) =>
    outcome(c, 'approve', await approveChange(linkContext(c), linkParts(c))),
  )
  .get('/change/:id/:hash', ...signedLink, async (c) =>
    question(c, 'change', await readChangeState(linkContext(c), 'change', linkParts(c))),
  )
  .post('/change/:id/:hash', ...signedLink, async (c) =>
    outcome(c, 'change', await completeChange(linkContext(c), linkParts(c))),
  )
  .get('/restore/:id/:hash', ...signedLink, async (c) =>
    question(c, 'restore', await readRestoreState(linkContext(c), linkParts(c))),
  )
  .post('/restore/:id/:hash', ...signedLink, async (c) =>
    outcome(c, 'restore', await restoreAddress(linkContext(c), linkParts(c))),
  )
