import type { Context, ErrorHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { presentAccount } from './accounts/present.ts'
import { presentCheck } from './balance-checks/present.ts'
import { presentCategory } from './categories/present.ts'
import * as failures from './failures/failures.ts'
import type { App } from './http/app-types.ts'
import { badLink } from './http/link-page.ts'
import { logFailure } from './http/observe.ts'
import { tooManyAttempts } from './http/rate-limits.ts'
import { presentRule } from './recurring/present.ts'
import { presentTransaction } from './transactions/present.ts'

/**
 * The response to an error. Errors other than a `Failure` or Hono's HTTPException become a 500 without details, except that
 * a ConfigurationError is shown on localhost.
 */
export const handleError: ErrorHandler<App> = (error, c) => {
  if (error instanceof HTTPException) return c.json({ message: error.message }, error.status)
  if (!(error instanceof failures.Failure)) return unexpected(error, c)
  if (error.isLogged) logFailure(error, c)
  if (error instanceof failures.NotModified) return c.body(null, error.status)
  if (error instanceof failures.Unauthenticated) return unauthenticated(error, c)
  if (error instanceof failures.VersionConflict) return versionConflict(error, c)
  if (error instanceof failures.TooManyAttempts)
    return tooManyAttempts(c, error.limit, error.retryAfterSeconds)
  if (error instanceof failures.BadLink) return badLink(error, c)
  return c.json(error.body(), error.status as Exclude<typeof error.status, 304>, error.headers)
}

function unexpected(error: Error, c: Context<App>) {
  logFailure(error, c)
  const isShown = error instanceof failures.ConfigurationError && isLocalhost(c.req.url)
  const message = isShown
    ? `The Worker is not configured. ${error.message}. \`npm run dev\` starts it with all it needs.`
    : 'Server Error'
  return c.json({ message }, 500)
}

function isLocalhost(url: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname)
}

/** The challenge names an error only if the request has a bearer token (RFC 6750 §3). */
function unauthenticated(error: failures.Unauthenticated, c: Context<App>) {
  const hasToken = /^Bearer +\S/i.test(c.req.header('Authorization') ?? '')
  return c.json(error.body(), error.status, {
    'WWW-Authenticate': hasToken ? 'Bearer error="invalid_token"' : 'Bearer',
  })
}

const presenters: Record<failures.VersionConflict['noun'], (row: never) => object> = {
  Account: presentAccount,
  Category: presentCategory,
  'Recurring transaction': presentRule,
  Transaction: presentTransaction,
  'Balance check': presentCheck,
}

function versionConflict(error: failures.VersionConflict, c: Context<App>) {
  const current = presenters[error.noun](error.current as never)
  return c.json({ ...error.body(), code: 'version_conflict', current }, error.status)
}
