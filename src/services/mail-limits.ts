import { type SQL, sql } from 'drizzle-orm'
import type { Limit } from './throttle.ts'

const hourMs = 3_600_000
/** Nobody who waits for a verification mail asks for thirty in a day. */
const toUnconfirmed = { most: 30, withinMs: 24 * hourMs }
/** Whoever signs up from the address of a company or a carrier is one of many. */
const byClient = { most: 300, withinMs: hourMs }

/** Where a request comes from: its client address, or null where these are not counted. */
export type Client = string | null

/**
 * What a mail counts against, beside the limit of its own endpoint. `recipient` is a FROM clause, the source of one
 * row with `email` and `email_verified_at`; `when` is true where there is something to send.
 *
 * A mailbox of which nobody has confirmed an address gets few mails, however many addresses with a `+` lead to it. A
 * confirmed address does not count there: nobody can use up its owner's mails by registering others like it.
 */
export function mailLimits(recipient: SQL, client: Client, when: SQL = sql`true`): Limit[] {
  const isUnconfirmed = sql`(select email_verified_at is null from ${recipient})`
  return [
    {
      key: mailboxKey(recipient),
      when: sql`${when} and ${isUnconfirmed}`,
      ...toUnconfirmed,
    },
    ...(client === null ? [] : [{ key: `client:${client}`, when, ...byClient }]),
  ]
}

/** The key by which the mailbox of a recipient is counted. */
export function mailboxKey(recipient: SQL): SQL {
  return sql`(select 'mailbox:' || ${mailbox} from ${recipient})`
}

/** An address that nobody has confirmed, as a recipient. */
export function newAddress(email: string): SQL {
  return sql`(select ${email} as email, null as email_verified_at)`
}

const at = sql`instr(email, '@')`
/** Where the part behind a plus begins (RFC 5233), counted from the second character: it is never all of the name. */
const plus = sql`instr(substr(email, 2, ${at} - 2), '+')`
/** The address without the part behind a plus. */
const mailbox = sql`iif(${plus} > 0, substr(email, 1, ${plus}) || substr(email, ${at}), email)`
