import { type SQL, sql } from 'drizzle-orm'
import type { Limit } from '../database/throttle.ts'
import { exactLimits } from '../failures/limits.ts'

/** The IP address of a request; null if it is not counted. */
export type ClientAddress = string | null

/**
 * The limits of an email, in addition to those of its endpoint. `recipient` is a subquery of one row with `email` and
 * `email_verified_at`; `when` is true if there is an email to send.
 *
 * All `+` addresses of an unverified mailbox count together. Emails to verified addresses are not counted, so that
 * registering similar addresses does not use up the limit of their owner.
 */
export function mailLimits(recipient: SQL, client: ClientAddress, when: SQL = sql`true`): Limit[] {
  const isUnverified = sql`(select email_verified_at is null from ${recipient})`
  return [
    {
      key: mailboxKey(recipient),
      when: sql`${when} and ${isUnverified}`,
      ...exactLimits.mailsToUnverified,
    },
    ...(client === null ? [] : [{ key: `client:${client}`, when, ...exactLimits.mailsByClient }]),
  ]
}

/** The key that counts emails to a recipient's mailbox. */
export function mailboxKey(recipient: SQL): SQL {
  return sql`(select 'mailbox:' || ${mailbox} from ${recipient})`
}

/** The keys that count requests for reset links. */
export function forgotKeys(email: string): { minute: string; hour: string } {
  return { minute: `forgot:${email}`, hour: `forgot in an hour:${email}` }
}

/** A recipient whose address is not verified. */
export function newAddress(email: string): SQL {
  return sql`(select ${email} as email, null as email_verified_at)`
}

const at = sql`instr(email, '@')`
/** The position of the subaddress (RFC 5233), from the second character on. */
const plus = sql`instr(substr(email, 2, ${at} - 2), '+')`
/** The address without its subaddress. */
const mailbox = sql`iif(${plus} > 0, substr(email, 1, ${plus}) || substr(email, ${at}), email)`
