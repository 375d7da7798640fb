import { isSigned, sign } from './secrets.ts'
import { sha256Hex } from './tokens.ts'

/** Days for which a verified address stays reserved after its user has replaced it. */
export const reservedDays = 30

/**
 * The actions of the signed links about an address, and their validity: those of a verification email `verify` the address,
 * or `disown` the registration; those about a new address `approve` it from the current one, `change` the address from the
 * new one, or `restore` the former one. The links of a victim should still work if the email is read weeks later.
 */
export const addressLinkMinutes = {
  verify: 60,
  disown: 30 * 24 * 60,
  approve: 60,
  change: 60,
  restore: reservedDays * 24 * 60,
}
export type LinkAction = keyof typeof addressLinkMinutes

/** The parts of such a link in a request. */
export type LinkParts = { id: string; hash: string; expires: string; signature: string }

/** The id of the user in a link; 0, which no user has, if it is malformed. */
export function linkedUserId({ id }: LinkParts): number {
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0
}

/** The API's address and the Worker's secret, which signs links. */
export type LinkBase = { appUrl: string; secret: string }

/** Makes a link about an address, signed for its action, user, address and expiry. */
export function addressLink(
  base: LinkBase,
  action: LinkAction,
  user: { id: number; email: string },
  now: Date,
): string {
  const path = `/api/email/${action}/${user.id}/${sha256Hex(user.email)}`
  const expires = Math.floor(now.getTime() / 1000) + addressLinkMinutes[action] * 60
  return `${base.appUrl}${path}?expires=${expires}&signature=${sign(base.secret, `${path}?expires=${expires}`)}`
}

/** True if the link was made for this action, user and address, is unaltered and has not expired. */
export function isAddressLink(
  secret: string,
  action: LinkAction,
  link: LinkParts,
  user: { id: number; email: string },
  now: Date,
): boolean {
  const path = `/api/email/${action}/${link.id}/${link.hash}`
  const isGenuine = isSigned(secret, `${path}?expires=${link.expires}`, link.signature)
  const isForUser = link.id === String(user.id) && link.hash === sha256Hex(user.email)
  return isGenuine && isForUser && Number(link.expires) * 1000 > now.getTime()
}

/** The emails that links end: the daily reminder, or those about recurring transactions. */
export type Unsubscribed = 'reminder' | 'due'

/** What the signature of such a link is about: the path says only whose link it is. No id makes one text of the other. */
const signedText: Record<Unsubscribed, (userId: string) => string> = {
  reminder: (userId) => `/api/reminders/unsubscribe/${userId}`,
  due: (userId) => `/api/reminders/due/unsubscribe/${userId}`,
}

/** Makes the link that ends one kind of emails to a user (RFC 8058). It does not expire. */
export function unsubscribeLink({ appUrl, secret }: LinkBase, kind: Unsubscribed, userId: number): string {
  const id = String(userId)
  return `${appUrl}/api/reminders/unsubscribe/${id}/${sign(secret, signedText[kind](id))}`
}

/** The emails that a link ends; undefined unless `unsubscribeLink` made it. */
export function unsubscribedBy(secret: string, userId: string, signature: string): Unsubscribed | undefined {
  return (['reminder', 'due'] as const).find((kind) => isSigned(secret, signedText[kind](userId), signature))
}
