import { addressLinkMinutes, resetLinkMinutes } from '../domain/links.ts'
import type { Mail, RenderedMail } from '../domain/mails.ts'
import { layOut } from './layout.ts'

/** Renders a mail. The result depends on nothing but `mail`: one resent under its idempotency key must not differ. */
export function renderMail(mail: Mail): RenderedMail {
  const greeting = greetingFor(mail.name)
  switch (mail.kind) {
    case 'verify_address':
      return layOut({
        subject: 'Verify your email address',
        greeting,
        paragraphs: [
          'Please confirm that this is your email address, so that sync and imports work for you.',
          ...(mail.registeredAt
            ? [`The account was registered with this address on ${dayInWords(mail.registeredAt)} (UTC).`]
            : []),
        ],
        action: { label: 'Verify email address', url: mail.url },
        notes: [
          `The link works for ${addressLinkMinutes.verify} minutes.`,
          'If you did not create an account at Purse, somebody else did and knows its password: do not follow the link.',
        ],
        ...(mail.disownUrl && {
          footerLink: { label: 'This was not me: delete the account', url: mail.disownUrl },
        }),
      })
    case 'reset_password':
      return layOut({
        subject: 'Reset your password',
        greeting,
        paragraphs: ['Somebody, hopefully you, asked for a new password for your account.'],
        action: { label: 'Choose a new password', url: mail.url },
        notes: [
          `The link works once, for ${resetLinkMinutes} minutes. A new password signs you out everywhere.`,
          'If it was not you, ignore this mail: nothing has changed.',
        ],
      })
    case 'password_removed':
      return layOut({
        subject: 'Your password has been removed',
        greeting,
        paragraphs: [
          'You have just signed in to Purse through your identity provider for the first time, and so we know that this address is yours.',
          'Your account had a password already. It was never confirmed by a mail to you and could be somebody else’s, so it no longer works, and all other sessions have been signed out. Nothing else has changed.',
          'You can go on without a password. To set one, choose “Forgot password” where you sign in.',
        ],
        action: { label: 'Open Purse', url: mail.frontendUrl },
      })
    case 'reminder':
      return {
        ...layOut({
          subject: 'Nothing recorded today?',
          greeting,
          paragraphs: [
            'You have not recorded any transaction today. It takes a minute while you still know what it was.',
          ],
          action: { label: 'Open Purse', url: mail.frontendUrl },
          footerLink: { label: 'Stop these reminders', url: mail.unsubscribeUrl },
        }),
        headers: {
          'List-Unsubscribe': `<${mail.unsubscribeUrl}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        },
      }
    case 'farewell':
      return layOut({
        subject: 'Your account has been deleted',
        greeting,
        paragraphs: [
          'Your account at Purse and everything in it has been deleted, as you asked: accounts, categories, transactions and sessions.',
          'This is the last mail you get from us. Farewell, and thank you.',
        ],
      })
  }
}

/** An ISO 8601 instant as `20 November 2026`. */
function dayInWords(instant: string): string {
  return new Date(instant).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
}

/** Anybody can register anybody's address under any name, so names that could pass for a message are left out. */
function greetingFor(name: string): string {
  const isPlainName =
    name.length <= 60 && /^(?:[\p{L}\p{M}\p{N}\p{Extended_Pictographic}'’&,()\- ]|\.(?= |$))+$/u.test(name)
  return isPlainName ? `Hello ${name},` : 'Hello,'
}
