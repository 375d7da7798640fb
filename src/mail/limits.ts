import { type SQL, sql } from 'drizzle-orm'
import type { Limit } from '../database/throttle.ts'
import { exactLimits } from '../shared/rate-limits.ts'

/** The IP address that a request came from, or null if it should not be counted. */
export type ClientAddress = string | null

/**
 * The limits that an email counts against besides those of its endpoint. `recipient` is a subquery for FROM, of one row
 * with `email` and `email_verified_at`; `when` is true if there is an email to send.
 *
 * An unverified mailbox gets few emails, however many `+` addresses lead to it. Verified addresses do not count, so
 * nobody can use up their owner's emails by registering similar ones.
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
/** Where the subaddress begins (RFC 5233), from the second character on: no name consists of a subaddress alone. */
const plus = sql`instr(substr(email, 2, ${at} - 2), '+')`
/** The address without its subaddress. */
const mailbox = sql`iif(${plus} > 0, substr(email, 1, ${plus}) || substr(email, ${at}), email)`
