import type { CalendarDate } from '../domain/dates.ts'
import type { FieldErrors } from '../domain/field-errors.ts'
import type { FileQuestion } from '../domain/file-questions.ts'
import type { MatchReason } from '../domain/match-row.ts'
import { formatMoney, type Minor } from '../domain/money.ts'
import { dayInWords, reconciledText } from '../domain/reconciled-text.ts'

/**
 * A declared failure, with its response. Any other error is a 500, except Hono's HTTPException. Each class sets its name for
 * the log, since the bundle's class names are minified.
 */
export abstract class Failure extends Error {
  abstract readonly status: 304 | 401 | 403 | 404 | 409 | 410 | 412 | 422 | 429 | 500 | 503
  readonly headers: Record<string, string> = {}
  /** True if an operator should know. */
  readonly isLogged: boolean = false
  /** The JSON body of the response. */
  body(): object {
    return { message: this.message }
  }
}

/** No valid bearer token. */
export class Unauthenticated extends Failure {
  override readonly name = 'Unauthenticated'
  override readonly status = 401
  override readonly message = 'Unauthenticated.'
}

/** The token is valid, but its scope does not include the route. */
export class InsufficientScope extends Failure {
  override readonly name = 'InsufficientScope'
  override readonly status = 403
  override readonly message = 'This token is not allowed to do that.'
  readonly code = 'insufficient_scope'
  override readonly headers = { 'WWW-Authenticate': `Bearer error="${this.code}"` }
  override body() {
    return { ...super.body(), code: this.code }
  }
}

/** The row named in the path does not exist. */
export class NotFound extends Failure {
  override readonly name = 'NotFound'
  override readonly status = 404
  constructor(noun: VersionedNoun | 'Occurrence' | 'Token' | 'Sync batch' | 'Import' | 'Layout') {
    super(`${noun} not found.`)
  }
}

/** The row belongs to another user, or the action is not allowed at the moment. */
export class Forbidden extends Failure {
  override readonly name = 'Forbidden'
  override readonly status = 403
  constructor(message = 'This action is unauthorized.') {
    super(message)
  }
}

/** The client already has the current response. */
export class NotModified extends Failure {
  override readonly name = 'NotModified'
  override readonly status = 304
}

/** The row has a different version from the one that the request expects; `current` is the row as it is now. */
export class VersionConflict extends Failure {
  override readonly name = 'VersionConflict'
  override readonly status = 412
  readonly noun: VersionedNoun
  readonly current: object
  constructor(noun: VersionedNoun, current: object) {
    super(`The ${noun.toLowerCase()} has changed.`)
    this.noun = noun
    this.current = current
  }
}
type VersionedNoun = 'Account' | 'Category' | 'Recurring transaction' | 'Transaction' | 'Balance check'

/** The request has a precondition, and the route compares no version. */
export class PreconditionUnsupported extends Failure {
  override readonly name = 'PreconditionUnsupported'
  override readonly status = 412
  override readonly message = 'This request compares no version: send it without If-Match and If-None-Match.'
}

/** The occurrence of a recurring transaction is recorded: its transaction can be changed instead. */
export class AlreadyRecorded extends Failure {
  override readonly name = 'AlreadyRecorded'
  override readonly status = 409
  override readonly message = 'The occurrence is already recorded.'
  readonly code = 'already_recorded'
  readonly transactionId: number
  constructor(transactionId: number) {
    super()
    this.transactionId = transactionId
  }
  override body() {
    return { ...super.body(), code: this.code, transaction_id: this.transactionId }
  }
}

/** Only verified users may use the endpoint. */
export class EmailNotVerified extends Failure {
  override readonly name = 'EmailNotVerified'
  override readonly status = 403
  override readonly message = 'Your email address is not verified.'
  override body() {
    return { ...super.body(), requires_verified_email: true }
  }
}

/** The change feed can no longer continue from the cursor: the client has to start over without one. */
export class CursorExpired extends Failure {
  override readonly name = 'CursorExpired'
  override readonly status = 410
  override readonly message = 'The cursor is no longer valid.'
  readonly code = 'cursor_expired'
  override body() {
    return { ...super.body(), code: this.code }
  }
}

/** The input breaks a rule. */
export class Invalid extends Failure {
  override readonly name: string = 'Invalid'
  override readonly status = 422
  readonly errors: FieldErrors
  constructor(errors: FieldErrors, message = 'The given data was invalid.') {
    super(message)
    this.errors = errors
  }
  override body() {
    return { message: this.message, errors: this.errors }
  }
}

/** The change is in a reconciled period of an account; `through` is the last day of that. */
export class Reconciled extends Invalid {
  override readonly name = 'Reconciled'
  readonly code = 'reconciled'
  readonly through: CalendarDate
  constructor(field: string, through: CalendarDate) {
    super({ [field]: [reconciledText(dayInWords(through))] })
    this.through = through
  }
  override body() {
    return { ...super.body(), code: this.code, reconciled_through: this.through }
  }
}

/** A file can be read in several ways. */
export class Questions extends Invalid {
  override readonly name = 'Questions'
  readonly questions: readonly FileQuestion[]
  constructor(errors: FieldErrors, questions: readonly FileQuestion[]) {
    super(errors)
    this.questions = questions
  }
  override body() {
    return { ...super.body(), questions: this.questions.map(presentQuestion) }
  }
}

/** Items of a batch break rules; `items` are their positions, so that a client can drop them and send the rest. */
export class InvalidItems extends Invalid {
  override readonly name = 'InvalidItems'
  readonly items: readonly number[]
  constructor(errors: FieldErrors, items: readonly number[]) {
    super(errors)
    this.items = items
  }
  override body() {
    return { ...super.body(), invalid_items: this.items }
  }
}

/** The most transactions that a potential duplicate is shown with. */
export const duplicatesListed = 5

/** A new transaction looks like one that already exists. */
export class PotentialDuplicate extends Failure {
  override readonly name = 'PotentialDuplicate'
  override readonly status = 409
  readonly duplicates: readonly SimilarTransaction[]
  constructor(duplicates: readonly SimilarTransaction[]) {
    super('Potential duplicate detected.')
    this.duplicates = duplicates
  }
  override body() {
    return { ...super.body(), is_duplicate: true, duplicates: this.duplicates.map(presentSimilar) }
  }
}

/** An existing transaction, with the fields that help a person to recognise a duplicate. */
export type SimilarTransaction = {
  id: number
  description: string | null
  reference: string | null
  transactionDate: CalendarDate
  amount: Minor
  reasons: MatchReason[]
}

/** Bindings of the Worker are invalid. The message, for the operator, names them without their values. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}

/** After which a request that found the service busy may be repeated. */
const retryAfterSeconds = 5

/** The database cannot be reached, is busy or takes too long. A later retry may succeed. */
export class DatabaseUnavailable extends Failure {
  override readonly name = 'DatabaseUnavailable'
  override readonly status = 503
  override readonly headers = { 'Retry-After': String(retryAfterSeconds) }
  override readonly isLogged = true
  constructor(options: ErrorOptions) {
    super('Service Unavailable', options)
  }
}

/** The database's response exceeds 10 MB, or all responses being sent, to all clients, exceed 32 MB. Not an outage. */
export class ResponseTooLarge extends Failure {
  override readonly name = 'ResponseTooLarge'
  override readonly status = 500
  override readonly isLogged = true
  override readonly message = 'The response is too large.'
}

/** The isolate is overloaded, or a body arrives too slowly. A retry after a few seconds may succeed. */
export class TooBusy extends Failure {
  override readonly name = 'TooBusy'
  override readonly status = 503
  override readonly headers = { 'Retry-After': String(retryAfterSeconds) }
  override readonly isLogged = true
  override readonly message = 'Service Unavailable'
}

/** The maximum and the rest of a limit. */
export type Allowance = { limit: number; remaining: number }

/** A limit is used up (docs/contract.md, Limits). */
export class TooManyAttempts extends Failure {
  override readonly name = 'TooManyAttempts'
  override readonly status = 429
  readonly limit: number
  readonly retryAfterSeconds: number
  constructor(limit: number, retryAfterSeconds: number) {
    super('Too Many Attempts.')
    this.limit = limit
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A signed link is forged, expired or another user's (403), or its user does not exist (404). Plain text. */
export class BadLink extends Failure {
  override readonly name = 'BadLink'
  readonly status: 403 | 404
  constructor(status: 403 | 404, message = 'Invalid or expired verification link.') {
    super(message)
    this.status = status
  }
}

/** The identity provider is not configured, down or slow, rejects the code, or sends an invalid response. */
export class ProviderUnavailable extends Failure {
  override readonly name = 'ProviderUnavailable'
  override readonly status = 503
  override readonly headers = { 'Retry-After': String(retryAfterSeconds) }
  override readonly isLogged = true
  override body() {
    return { message: 'Signing in with the identity provider is not possible right now.' }
  }
}

/** Why a sign-in through the identity provider failed (docs/contract.md, Signing in). */
export type SignInProblem =
  | 'access_denied'
  | 'invalid_state'
  | 'provider_error'
  | 'email_missing'
  | 'email_unverified'

/** A sign-in through the identity provider failed: redirects to the frontend with the message. */
export class SignInFailed extends Failure {
  override readonly name = 'SignInFailed'
  override readonly status = 500
  override readonly isLogged = true
  readonly problem: SignInProblem
  constructor(problem: SignInProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }
}

/** A question as responses have it. */
function presentQuestion({ field, code, text, dependsOn, options }: FileQuestion) {
  return {
    field,
    code,
    text,
    depends_on: dependsOn,
    options: options.map(({ value, label, example }) => ({
      value,
      label,
      example: example.map(({ line, date, type, amount, description }) => ({
        row: line,
        transaction_date: date,
        type,
        amount: formatMoney(amount),
        description,
      })),
    })),
  }
}

function presentSimilar({ transactionDate, amount, ...row }: SimilarTransaction) {
  const { id, description, reference, reasons } = row
  return {
    id,
    description,
    reference,
    transaction_date: transactionDate,
    amount: formatMoney(amount),
    reasons,
  }
}
