import { isSigned, sign } from './secrets.ts'
import { hashSecret } from './tokens.ts'

/** How long the links of a verification mail are good for. */
export const verificationMinutes = 60

/** What links are made from: the address of the API and the Worker's secret. */
export type LinkBase = { appUrl: string; secret: string }

/** The link of a verification mail (decisions.md, Status codes and auth): bound to the user, the address and an hour. */
export async function verificationLink(
  base: LinkBase,
  user: { id: number; email: string },
  now: Date,
): Promise<string> {
  const path = `/api/email/verify/${user.id}/${await addressHash(user.email)}`
  const expires = Math.floor(now.getTime() / 1000) + verificationMinutes * 60
  return `${base.appUrl}${path}?expires=${expires}&signature=${await sign(base.secret, `${path}?expires=${expires}`)}`
}

/** True for a link that was made for this user and address, is as it was made, and has not expired. */
export async function isVerificationLink(
  secret: string,
  link: { id: string; hash: string; expires: string; signature: string },
  user: { id: number; email: string },
  now: Date,
): Promise<boolean> {
  const path = `/api/email/verify/${link.id}/${link.hash}`
  const isGenuine = await isSigned(secret, `${path}?expires=${link.expires}`, link.signature)
  const isForUser = link.id === String(user.id) && link.hash === (await addressHash(user.email))
  return isGenuine && isForUser && Number(link.expires) * 1000 > now.getTime()
}

/** The link that ends the reminders of a user with one click (RFC 8058); it does not expire. */
export async function unsubscribeLink(base: LinkBase, userId: number): Promise<string> {
  const path = `/api/reminders/unsubscribe/${userId}`
  return `${base.appUrl}${path}/${await sign(base.secret, path)}`
}

/** True for the parts of a link that `unsubscribeLink` made. */
export function isUnsubscribeLink(secret: string, userId: string, signature: string): Promise<boolean> {
  return isSigned(secret, `/api/reminders/unsubscribe/${userId}`, signature)
}

function addressHash(email: string): Promise<string> {
  return hashSecret(email)
}
