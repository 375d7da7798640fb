import type { Context, ErrorHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { presentAccount } from './accounts/present.ts'
import { presentCheck } from './balance-checks/present.ts'
import { presentCategory } from './categories/present.ts'
import { formatMoney } from './domain/money.ts'
import type { ShownDuplicateError, ShownImportError } from './failures/failure-responses.ts'
import * as failures from './failures/failures.ts'
import type { App } from './http/app-types.ts'
import { badLink } from './http/link-page.ts'
import { logFailure } from './http/observe.ts'
import { tooManyAttempts } from './http/rate-limits.ts'
import { presentQuestions } from './imports/present.ts'
import { presentRule } from './recurring/present.ts'
import { presentTransaction } from './transactions/present.ts'

const retryAfterSeconds = 5

/**
 * The response to an error. Errors other than a `Failure` or Hono's HTTPException become a 500 without details, except that
 * a ConfigurationError is shown on localhost.
 */
export const handleError: ErrorHandler<App> = (error, c) => {
  if (error instanceof failures.NotModified) return c.body(null, 304)
  if (error instanceof failures.Unauthenticated) return unauthenticated(error, c)
  if (error instanceof failures.InsufficientScope) return insufficientScope(error, c)
  if (error instanceof failures.Forbidden) return c.json({ message: error.message }, 403)
  if (error instanceof failures.EmailNotVerified)
    return c.json({ message: error.message, requires_verified_email: true }, 403)
  if (error instanceof failures.NotFound) return c.json({ message: error.message }, 404)
  if (error instanceof failures.CursorExpired)
    return c.json({ message: error.message, code: error.code }, 410)
  if (error instanceof failures.InvalidItems)
    return c.json({ message: error.message, errors: error.errors, invalid_items: error.items }, 422)
  if (error instanceof failures.Questions)
    return c.json<ShownImportError>(
      { message: error.message, errors: error.errors, questions: presentQuestions(error.questions) ?? [] },
      422,
    )
  if (error instanceof failures.Reconciled)
    return c.json(
      { message: error.message, errors: error.errors, code: error.code, reconciled_through: error.through },
      422,
    )
  if (error instanceof failures.Invalid) return c.json({ message: error.message, errors: error.errors }, 422)
  if (error instanceof failures.PotentialDuplicate) return duplicate(error, c)
  if (error instanceof failures.AlreadyRecorded)
    return c.json({ message: error.message, code: error.code, transaction_id: error.transactionId }, 409)
  if (error instanceof failures.VersionConflict) return versionConflict(error, c)
  if (error instanceof failures.PreconditionUnsupported) return c.json({ message: error.message }, 412)
  if (error instanceof failures.TooManyAttempts)
    return tooManyAttempts(c, error.limit, error.retryAfterSeconds)
  if (error instanceof failures.BadLink) return badLink(error, c)
  if (error instanceof HTTPException) return c.json({ message: error.message }, error.status)
  logFailure(error, c)
  if (error instanceof failures.DatabaseUnavailable || error instanceof failures.TooBusy) {
    return c.json({ message: error.message }, 503, { 'Retry-After': String(retryAfterSeconds) })
  }
  if (error instanceof failures.ProviderUnavailable) {
    const message = 'Signing in with the identity provider is not possible right now.'
    return c.json({ message }, 503, { 'Retry-After': String(retryAfterSeconds) })
  }
  if (error instanceof failures.ConfigurationError && isLocalhost(c.req.url)) {
    const message = `The Worker is not configured. ${error.message}. \`npm run dev\` starts it with all it needs.`
    return c.json({ message }, 500)
  }
  return c.json({ message: error instanceof failures.ResponseTooLarge ? error.message : 'Server Error' }, 500)
}

function isLocalhost(url: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname)
}

/** The challenge names an error only if the request has a bearer token (RFC 6750 §3). */
function unauthenticated({ message }: failures.Unauthenticated, c: Context<App>) {
  const hasToken = /^Bearer +\S/i.test(c.req.header('Authorization') ?? '')
  return c.json({ message }, 401, {
    'WWW-Authenticate': hasToken ? 'Bearer error="invalid_token"' : 'Bearer',
  })
}

function insufficientScope({ message, code }: failures.InsufficientScope, c: Context<App>) {
  return c.json({ message, code }, 403, { 'WWW-Authenticate': `Bearer error="${code}"` })
}

function duplicate(error: failures.PotentialDuplicate, c: Context<App>) {
  const duplicates = error.duplicates.map((row) => ({
    id: row.id,
    description: row.description,
    reference: row.reference,
    transaction_date: row.transactionDate,
    amount: formatMoney(row.amount),
    reasons: row.reasons,
  }))
  const body: ShownDuplicateError = { message: error.message, is_duplicate: true, duplicates }
  return c.json(body, 409)
}

const presenters: Record<failures.VersionConflict['noun'], (row: never) => object> = {
  Account: presentAccount,
  Category: presentCategory,
  'Recurring transaction': presentRule,
  Transaction: presentTransaction,
  'Balance check': presentCheck,
}

function versionConflict({ message, noun, current }: failures.VersionConflict, c: Context<App>) {
  const row = presenters[noun](current as never)
  return c.json({ message, code: 'version_conflict', current: row }, 412)
}
