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

/** What the database counts exactly (services/throttle.ts): at most `most` attempts within any window of `windowMs`. */
export const exactLimits = {
  /** A stolen token must not help to guess the password: changing it and deleting the user count together. */
  passwordGuesses: { max: 10, windowMs: minuteMs },
  verificationMails: { max: 6, windowMs: minuteMs },
  resetMails: { max: 6, windowMs: minuteMs },
  /** Over as long as a link works, so whoever is refused still has a working one in their mailbox. */
  resetLinks: { max: 20, windowMs: resetLinkMinutes * minuteMs },
  /** Nobody waiting for a verification email asks for thirty a day. */
  mailsToUnverified: { max: 30, windowMs: dayMs },
  /** A company's or carrier's address is shared by many who sign up. */
  mailsByClient: { max: 300, windowMs: hourMs },
} as const
