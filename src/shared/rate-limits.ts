import { dayMs, hourMs, minuteMs } from './dates.ts'
import { resetLinkMinutes } from './links.ts'

/**
 * What each rate-limit binding allows in a minute, as headers and the OpenAPI document state it. wrangler.toml sets it for
 * each environment; test/node/deployment.test.ts compares them.
 */
export const perMinute = {
  LOGIN_LIMIT: 10,
  CHECK_EMAIL_LIMIT: 30,
  GENERAL_LIMIT: 600,
  CLIENT_LIMIT: 6_000,
  IMPORT_LIMIT: 30,
} as const

/** What the database counts exactly (services/throttle.ts): at most `most` attempts within any window of `withinMs`. */
export const exactLimits = {
  /** A stolen token must not help to guess the password: changing it and deleting the user count together. */
  passwordGuesses: { most: 10, withinMs: minuteMs },
  verificationMails: { most: 6, withinMs: minuteMs },
  resetMails: { most: 6, withinMs: minuteMs },
  /** Over as long as a link works, so whoever is refused still has a working one in their mailbox. */
  resetLinks: { most: 20, withinMs: resetLinkMinutes * minuteMs },
  /** Nobody waiting for a verification email asks for thirty a day. */
  mailsToUnverified: { most: 30, withinMs: dayMs },
  /** A company's or carrier's address is shared by many who sign up. */
  mailsByClient: { most: 300, withinMs: hourMs },
} as const
