import { message } from '../failures/failure-responses.ts'
import { exactLimits, resetLinkMinutes } from '../failures/limits.ts'
import { addressLinkMinutes, reservedDays } from '../identity/links.ts'
import type { EndpointGroup } from '../openapi/endpoint.ts'
import { json, page, pageOrJson } from '../openapi/response-descriptions.ts'
import { examplePassword } from '../users/contract.ts'
import { verificationSent, verificationStatus } from './email-contract.ts'

/** Emails and their links: verification, forgotten passwords, reminders. */
export const emailEndpoints: EndpointGroup = {
  tag: 'Mail',
  description: 'Verifying, disowning or changing the address, resetting the password, ending reminders.',
  endpoints: {
    'POST /api/email/verification-notification': {
      id: 'resendVerification',
      summary: 'Send another verification email',
      description: `${exactLimits.verificationMails.max} a minute for each token; until the address is verified, ${exactLimits.mailsToUnverified.max} a day for its mailbox, whatever its \`+\` part.`,
      responses: {
        200: json(verificationSent, 'The email is queued, or not needed.', [
          'X-RateLimit-Limit',
          'X-RateLimit-Remaining',
        ]),
      },
    },
    'GET /api/email/verification-status': {
      id: 'showVerificationStatus',
      summary: 'Show whether the address is verified',
      description: 'For a client that is waiting for the link in the email to be opened.',
      responses: { 200: json(verificationStatus, 'Whether the address is verified.') },
    },
    'GET /api/email/verify/:id/:hash': {
      id: 'verifyEmail',
      summary: 'Verify the address',
      description: `The link in the verification email; valid for ${addressLinkMinutes.verify} minutes.`,
      responses: {
        302: {
          description: 'To `{frontend}/dashboard?verified=1`, or `?verified=already`.',
          headers: ['Location'],
        },
      },
      failures: ['BadLink', 'LinkOfNobody'],
    },
    'GET /api/email/disown/:id/:hash': {
      id: 'showDisown',
      summary: 'Show the page of a “This was not me” link',
      description: `The “This was not me” link in the verification email, valid for ${addressLinkMinutes.disown / 60 / 24} days. Shows a page with a button, or one that says that nothing needs to be done.`,
      responses: { 200: page },
      failures: ['BadLink', 'LinkOfNobody'],
    },
    'POST /api/email/disown/:id/:hash': {
      id: 'disown',
      summary: 'Disown a registration',
      description:
        'What the button on that page does: it deletes the account or, once the address is verified, ends all sessions, removes the password and emails a reset link.',
      responses: { 200: pageOrJson('It is done: a page where HTML is accepted, JSON otherwise.') },
      failures: ['BadLink', 'Proven', 'LinkOfNobody'],
    },
    'PUT /api/me/email': {
      id: 'updateEmail',
      summary: 'Change the address',
      description: `Emails a link to the new address, which replaces the old one once its page is confirmed, within ${addressLinkMinutes.change} minutes; a later request takes the place of an earlier one. For a user without a password, a link in an email to the current address comes first. A verified address that was replaced is reserved for ${reservedDays} days, in which a link in the email to it restores it. Only a session may; ${exactLimits.addressChanges.max} requests a day for each user.`,
      body: {
        name: 'AddressChange',
        example: { email: 'mary.somerville@example.com', current_password: examplePassword },
      },
      responses: {
        200: {
          ...json(message, 'The email is queued.'),
          example: { message: 'We have emailed a link to mary.somerville@example.com.' },
        },
      },
      invalid: { errors: { email: ['The email has already been taken.'] } },
    },
    'GET /api/email/approve/:id/:hash': {
      id: 'showApproval',
      summary: 'Show the page of a link to confirm a change of the address',
      description: `The link in the email to the current address of a user without a password; valid for ${addressLinkMinutes.approve} minutes. Shows a page with a button.`,
      responses: { 200: page },
      failures: ['BadLink', 'LinkOfNobody'],
    },
    'POST /api/email/approve/:id/:hash': {
      id: 'approveChange',
      summary: 'Confirm a change of the address',
      description: 'What the button on that page does: it emails a link to the new address.',
      responses: { 200: pageOrJson('It is done: a page where HTML is accepted, JSON otherwise.') },
      failures: ['BadLink', 'AddressTaken', 'LinkOfNobody'],
    },
    'GET /api/email/change/:id/:hash': {
      id: 'showChange',
      summary: 'Show the page of a link in the email to a new address',
      description: `Valid for ${addressLinkMinutes.change} minutes. Shows a page with a button.`,
      responses: { 200: page },
      failures: ['BadLink', 'LinkOfNobody'],
    },
    'POST /api/email/change/:id/:hash': {
      id: 'changeAddress',
      summary: 'Replace the address by the new one',
      description: 'What the button on that page does: the new address is verified, and reset links end.',
      responses: { 200: pageOrJson('It is done: a page where HTML is accepted, JSON otherwise.') },
      failures: ['BadLink', 'AddressTaken', 'LinkOfNobody'],
    },
    'GET /api/email/restore/:id/:hash': {
      id: 'showRestore',
      summary: 'Show the page of a link in the email to a former address',
      description: `Valid for ${reservedDays} days. Shows a page with a button.`,
      responses: { 200: page },
      failures: ['BadLink', 'LinkOfNobody'],
    },
    'POST /api/email/restore/:id/:hash': {
      id: 'restoreAddress',
      summary: 'Restore a former address',
      description:
        'What the button on that page does: it undoes the change, and with it a first sign-in through the identity provider since; it ends all sessions and named tokens, removes the password and emails a reset link.',
      responses: { 200: pageOrJson('It is done: a page where HTML is accepted, JSON otherwise.') },
      failures: ['BadLink', 'LinkOfNobody'],
    },
    'POST /api/forgot-password': {
      id: 'forgotPassword',
      summary: 'Request a reset email',
      description: `${exactLimits.resetMails.max} a minute and ${exactLimits.resetLinks.max} an hour for each address.`,
      body: { name: 'ForgottenPassword', example: { email: 'mary@example.com' } },
      responses: {
        200: json(message, 'The email is queued.', ['X-RateLimit-Limit', 'X-RateLimit-Remaining']),
      },
      invalid: {
        message: "We can't find a user with that email address.",
        errors: { email: ["We can't find a user with that email address."] },
      },
    },
    'POST /api/reset-password': {
      id: 'resetPassword',
      summary: 'Choose a new password',
      description: `Takes the token from the reset email, which works once, for ${resetLinkMinutes} minutes. Revokes every access token of the user.`,
      body: {
        name: 'PasswordReset',
        example: {
          token: 'Zk3vR8pQ1xLw7TnY5mHs2JcB9dFg6KaU0eVo4iXq',
          email: 'mary@example.com',
          password: examplePassword,
          password_confirmation: examplePassword,
        },
      },
      responses: { 200: json(message, 'The password is changed.') },
      invalid: {
        message: 'This password reset token is invalid.',
        errors: { email: ['This password reset token is invalid.'] },
      },
    },
    'GET /api/reminders/unsubscribe/:user/:signature': {
      id: 'showUnsubscribe',
      summary: 'Show the page of an unsubscribe link',
      description:
        'The link in a reminder; shows a page with a button. Its signature says which reminders it ends: the daily ones, or those of recurring transactions.',
      responses: { 200: page },
      failures: ['ForgedLink', 'LinkOfNobody'],
    },
    'POST /api/reminders/unsubscribe/:user/:signature': {
      id: 'unsubscribe',
      summary: 'Turn off reminders',
      description: 'What the button on that page does, and what email programs call (RFC 8058).',
      responses: { 200: pageOrJson('No more reminders: a page where HTML is accepted, JSON otherwise.') },
      failures: ['ForgedLink', 'LinkOfNobody'],
    },
  },
}
