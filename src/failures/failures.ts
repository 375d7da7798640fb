import type { CalendarDate } from '../domain/dates.ts'
import type { FieldErrors } from '../domain/field-errors.ts'
import type { FileQuestion } from '../domain/file-questions.ts'
import type { MatchReason } from '../domain/match-row.ts'
import type { Minor } from '../domain/money.ts'
import { dayInWords, reconciledText } from '../domain/reconciled-text.ts'

/**
 * A declared failure; error-handler.ts has its response. Any other error is a 500, except Hono's HTTPException. Each class
 * sets its name for the log, since the bundle's class names are minified.
 */
export abstract class Failure extends Error {}

/** No valid bearer token. */
export class Unauthenticated extends Failure {
  override readonly name = 'Unauthenticated'
  override readonly message = 'Unauthenticated.'
}

/** The token is valid, but its scope does not include the route. */
export class InsufficientScope extends Failure {
  override readonly name = 'InsufficientScope'
  override readonly message = 'This token is not allowed to do that.'
  readonly code = 'insufficient_scope'
}

/** The row named in the path does not exist. */
export class NotFound extends Failure {
  override readonly name = 'NotFound'
  constructor(noun: VersionedNoun | 'Occurrence' | 'Token' | 'Sync batch' | 'Import' | 'Layout') {
    super(`${noun} not found.`)
  }
}

/** The row belongs to another user, or the action is not allowed at the moment. */
export class Forbidden extends Failure {
  override readonly name = 'Forbidden'
  constructor(message = 'This action is unauthorized.') {
    super(message)
  }
}

/** The client already has the current response. */
export class NotModified extends Failure {
  override readonly name = 'NotModified'
}

/** The row has a different version from the one that the request expects; `current` is the row as it is now. */
export class VersionConflict extends Failure {
  override readonly name = 'VersionConflict'
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
  override readonly message = 'This request compares no version: send it without If-Match and If-None-Match.'
}

/** The occurrence of a recurring transaction is recorded: its transaction can be changed instead. */
export class AlreadyRecorded extends Failure {
  override readonly name = 'AlreadyRecorded'
  override readonly message = 'The occurrence is already recorded.'
  readonly code = 'already_recorded'
  readonly transactionId: number
  constructor(transactionId: number) {
    super()
    this.transactionId = transactionId
  }
}

/** Only verified users may use the endpoint. */
export class EmailNotVerified extends Failure {
  override readonly name = 'EmailNotVerified'
  override readonly message = 'Your email address is not verified.'
}

/** The change feed can no longer continue from the cursor: the client has to start over without one. */
export class CursorExpired extends Failure {
  override readonly name = 'CursorExpired'
  override readonly message = 'The cursor is no longer valid.'
  readonly code = 'cursor_expired'
}

/** The input breaks a rule. */
export class Invalid extends Failure {
  override readonly name: string = 'Invalid'
  readonly errors: FieldErrors
  constructor(errors: FieldErrors, message = 'The given data was invalid.') {
    super(message)
    this.errors = errors
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
}

/** A file can be read in several ways. */
export class Questions extends Invalid {
  override readonly name = 'Questions'
  readonly questions: readonly FileQuestion[]
  constructor(errors: FieldErrors, questions: readonly FileQuestion[]) {
    super(errors)
    this.questions = questions
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
}

/** The most transactions that a potential duplicate is shown with. */
export const duplicatesListed = 5

/** A new transaction looks like one that already exists. */
export class PotentialDuplicate extends Failure {
  override readonly name = 'PotentialDuplicate'
  readonly duplicates: readonly SimilarTransaction[]
  constructor(duplicates: readonly SimilarTransaction[]) {
    super('Potential duplicate detected.')
    this.duplicates = duplicates
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

/** The database cannot be reached, is busy or takes too long. A later retry may succeed. */
export class DatabaseUnavailable extends Failure {
  override readonly name = 'DatabaseUnavailable'
  constructor(options: ErrorOptions) {
    super('Service Unavailable', options)
  }
}

/** The database's response exceeds 10 MB, or all responses being sent, to all clients, exceed 32 MB. Not an outage. */
export class ResponseTooLarge extends Failure {
  override readonly name = 'ResponseTooLarge'
  override readonly message = 'The response is too large.'
}

/** The isolate is overloaded, or a body arrives too slowly. A retry after a few seconds may succeed. */
export class TooBusy extends Failure {
  override readonly name = 'TooBusy'
  override readonly message = 'Service Unavailable'
}

/** The maximum and the rest of a limit. */
export type Allowance = { limit: number; remaining: number }

/** A limit is used up (docs/contract.md, Limits). */
export class TooManyAttempts extends Failure {
  override readonly name = 'TooManyAttempts'
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
  readonly problem: SignInProblem
  constructor(problem: SignInProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }
}
