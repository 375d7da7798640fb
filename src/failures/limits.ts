import { dayMs, hourMs, minuteMs } from '../domain/dates.ts'

/*
 * Limits of requests and emails. The other limits stand beside what they bound, and each of these files leads here:
 *
 * - rows and notes of a user: `database/quotas.ts`; the life of tokens: `database/token-lifetime.ts`
 * - amounts and totals: `domain/money.ts`; errors of a list: `domain/field-errors.ts`
 * - pages, lists, batches and files: `contract.ts` of their resource, with `upload/contract.ts` for uploads
 * - time: `failures/budgets.ts`; bodies: `http/request-body.ts` and `http/body-timeouts.ts`
 * - an isolate: `http/memory.ts`, `http/large-responses.ts` and `imports/routes.ts`
 * - rows compared with new ones: `transactions/duplicates.ts`; rows compared for matches: `matches/candidates.ts`
 * - figures of a report: `reports/figures.ts`; what is kept for how long: `jobs/expiry.ts`
 */

/** The validity of the link of a password-reset email. Its token is stored, not signed (auth/password-reset.ts). */
export const resetLinkMinutes = 60

/** The requests a minute of each rate-limit binding, as in wrangler.toml (test/node/deployment.test.ts compares them). */
export const perMinute = {
  LOGIN_LIMIT: 10,
  CHECK_EMAIL_LIMIT: 30,
  GENERAL_LIMIT: 600,
  CLIENT_LIMIT: 6_000,
  IMPORT_LIMIT: 30,
} as const

/** The limits that the database counts (database/throttle.ts): at most `max` attempts in any window of `windowMs`. */
export const exactLimits = {
  /** Password changes and deletion of the user, so that a stolen token does not help to guess the password. */
  passwordGuesses: { max: 10, windowMs: minuteMs },
  verificationMails: { max: 6, windowMs: minuteMs },
  /** Each of them sends an email. */
  namedTokens: { max: 6, windowMs: minuteMs },
  /** For each user, so that few addresses are reserved for them. */
  addressChanges: { max: 10, windowMs: dayMs },
  resetMails: { max: 6, windowMs: minuteMs },
  /** The window is the validity of a link, so a rejected user still has a valid link. */
  resetLinks: { max: 20, windowMs: resetLinkMinutes * minuteMs },
  /** 30 a day is far above normal use. */
  mailsToUnverified: { max: 30, windowMs: dayMs },
  /** Many users share the address of a company or carrier. */
  mailsByClient: { max: 300, windowMs: hourMs },
} as const
