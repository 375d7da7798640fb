import { resetLinkMinutes } from '../failures/limits.ts'
import { addressLinkMinutes, reservedDays } from '../identity/links.ts'
import { isReminder, type Mail, type Reminder, type RenderedMail } from '../queues/mails.ts'
import { dueParts } from './due.ts'
import { layOut, type MailParts } from './layout.ts'

/** Renders an email from `mail` alone, since a retry with its idempotency key must be identical. */
export function renderMail(mail: Mail): RenderedMail {
  const rendered = layOut({ greeting: greetingFor(mail.name), ...contentsOf[mail.kind](mail as never) })
  return isReminder(mail) ? { ...rendered, headers: unsubscribeHeaders(mail) } : rendered
}

type Contents = Omit<MailParts, 'greeting'>
type Of<Kind extends Mail['kind']> = Extract<Mail, { kind: Kind }>

const contentsOf: { [Kind in Mail['kind']]: (mail: Of<Kind>) => Contents } = {
  verify_address: ({ url, disownUrl, registeredAt }) => ({
    subject: 'Verify your email address',
    paragraphs: [
      'Please confirm that this is your email address, so that you can use sync and imports.',
      ...(registeredAt
        ? [`The account was registered with this address on ${dayInWords(registeredAt)} (UTC).`]
        : []),
    ],
    action: { label: 'Verify email address', url },
    notes: [
      `The link works for ${addressLinkMinutes.verify} minutes.`,
      'If you did not create an account at Purse, somebody else did and knows its password: do not follow the link.',
    ],
    ...(disownUrl && { footerLink: { label: 'This was not me', url: disownUrl } }),
  }),
  reset_password: ({ url }) => ({
    subject: 'Reset your password',
    paragraphs: ['Somebody, hopefully you, asked to reset the password of your account.'],
    action: { label: 'Choose a new password', url },
    notes: [
      `The link works once, for ${resetLinkMinutes} minutes. A new password signs you out everywhere.`,
      'If it was not you, ignore this email: nothing has changed.',
    ],
  }),
  password_removed: ({ frontendUrl }) => ({
    subject: 'Your password has been removed',
    paragraphs: [
      'You have just signed in to Purse through your identity provider for the first time, so we now know that this address is yours.',
      'Your account already had a password. It was never confirmed by an email to you and might have been set by somebody else, so it no longer works, and all other sessions have been signed out. Nothing else has changed.',
      'You can carry on without a password. To set one, choose “Forgot password” where you sign in.',
    ],
    action: { label: 'Open Purse', url: frontendUrl },
  }),
  reminder: ({ frontendUrl, unsubscribeUrl }) => ({
    subject: 'Nothing recorded today?',
    paragraphs: [
      'You have not recorded any of today’s transactions yet. It only takes a minute while you still remember them.',
    ],
    action: { label: 'Open Purse', url: frontendUrl },
    footerLink: { label: 'Stop these reminders', url: unsubscribeUrl },
  }),
  due: dueParts,
  approve_address: ({ newAddress, url }) => ({
    subject: 'Change the address of your account?',
    paragraphs: [
      `Somebody who is signed in to your account, hopefully you, asked to change its email address to ${newAddress}. Your account has no password, so please confirm that.`,
    ],
    action: { label: 'Continue', url },
    notes: [
      `The link works for ${addressLinkMinutes.approve} minutes.`,
      'If it was not you, do not follow the link, and sign out everywhere: somebody else is signed in to your account.',
    ],
  }),
  change_address: ({ url }) => ({
    subject: 'Confirm your new email address',
    paragraphs: [
      'Please confirm that this is your email address, so that your account at Purse can use it from now on.',
    ],
    action: { label: 'Use this address', url },
    notes: [
      `The link works for ${addressLinkMinutes.change} minutes.`,
      'If you did not ask for this, the account is somebody else’s: do not follow the link.',
    ],
  }),
  address_changed({ restoreUrl }) {
    const subject = 'Your email address has been changed'
    const changed = 'The account at Purse with this email address now has another one.'
    if (!restoreUrl) return { subject, paragraphs: [`${changed} There is nothing else you need to do.`] }
    return {
      subject,
      paragraphs: [
        `${changed} If that was you, there is nothing else you need to do.`,
        `For ${reservedDays} days, nobody else can use this address, and you can change it back.`,
      ],
      action: { label: 'This was not me', url: restoreUrl },
      notes: [
        'That signs everybody out, ends all tokens, removes the password and emails you a link to choose a new one.',
      ],
    }
  },
  token_made({ tokenName, canWrite, expiresAt }) {
    const which = isPlainName(tokenName) ? `A token named “${tokenName}”` : 'A token'
    return {
      subject: 'A token has been made for your account',
      paragraphs: [
        `${which} has been made for your account at Purse. With it, a script can ${canWrite ? 'read and change' : 'read'} everything that you have recorded, until ${dayInWords(expiresAt)} (UTC).`,
        'If it was not you, choose “Forgot password” where you sign in: a new password signs everybody out and ends all tokens.',
      ],
    }
  },
  farewell: () => ({
    subject: 'Your account has been deleted',
    paragraphs: [
      'As you asked, your account at Purse has been deleted with everything in it: accounts, categories, transactions and sessions.',
      'This is the last email you will get from us. Thank you for using Purse.',
    ],
  }),
}

function unsubscribeHeaders({ unsubscribeUrl }: Reminder) {
  return {
    'List-Unsubscribe': `<${unsubscribeUrl}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
}

/** An ISO 8601 instant as `20 November 2026`. */
function dayInWords(instant: string): string {
  return new Date(instant).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
}

function greetingFor(name: string): string {
  return isPlainName(name) ? `Hello ${name},` : 'Hello,'
}

/** False for a name that could be a message or a telephone number: a stranger can register any address under any name. */
function isPlainName(name: string): boolean {
  return (
    name.length <= 60 &&
    (name.match(/\p{N}/gu) ?? []).length <= 4 &&
    /^(?:[\p{L}\p{M}\p{N}\p{Extended_Pictographic}'’&,()\- ]|\.(?= |$))+$/u.test(name)
  )
}
