import * as z from 'zod'
import {
  batchError,
  cursorError,
  duplicateError,
  forbiddenError,
  importError,
  message,
  notVerifiedError,
  validationError,
} from '../failures/failure-responses.ts'
import { json, pageOrJson, type ResponseDescription } from './response-descriptions.ts'

type Failure = ResponseDescription & { status: number }

const failure = (status: number, description: string, text: string): Failure => ({
  status,
  ...json(message, description),
  example: { message: text },
})

/** A text, or a page where HTML is accepted. */
const plainText = (status: number, description: string, example: string): Failure => ({
  status,
  description,
  schema: z.string(),
  contentTypes: ['text/plain'],
  example,
  texts: { 'text/html': '<!doctype html>' },
})

/** A 403; each of a route that writes may also come from the scope of the token. */
const forbidden = (
  reason: string,
  example: { message: string; code?: string; requires_verified_email?: boolean },
  schema: z.core.$ZodType = forbiddenError,
): Failure => ({
  status: 403,
  ...json(schema, [reason, scopeReason].filter(Boolean).join('. '), ['WWW-Authenticate']),
  example,
})
const scopeReason =
  'With the code `insufficient_scope`: the token is a named one, and is not allowed to do that.'

/** Every failure of the contract, by the name of its shared response. */
export const failures = {
  Malformed: failure(400, 'The JSON or form in the body is malformed.', 'Malformed JSON in request body'),
  Unauthenticated: {
    ...failure(
      401,
      'The token is missing, malformed, expired or revoked. Sign in again.',
      'Unauthenticated.',
    ),
    headers: ['WWW-Authenticate'],
  },
  InsufficientScope: forbidden('', {
    message: 'This token is not allowed to do that.',
    code: 'insufficient_scope',
  }),
  Forbidden: forbidden('The row belongs to another user', { message: 'This action is unauthorized.' }),
  AccountFirst: forbidden('The user has no account yet', {
    message: 'You must create at least one account before adding transactions.',
  }),
  NotVerified: forbidden(
    'The address must be verified first (POST /api/email/verification-notification)',
    { message: 'Your email address is not verified.', requires_verified_email: true },
    notVerifiedError,
  ),
  NotFound: failure(404, 'There is no such row.', 'Account not found.'),
  Duplicate: {
    status: 409,
    ...json(
      duplicateError,
      'It looks like a transaction that already exists; `force: true` creates it anyway.',
    ),
  },
  CursorExpired: {
    status: 410,
    ...json(
      cursorError,
      'The cursor is older than the changes that are kept, belongs to another user, or dates from before data was restored from a backup. Start again without one.',
    ),
  },
  PreconditionUnsupported: failure(
    412,
    'The request has `If-Match` or `If-None-Match: *`, and the route compares no version.',
    'This request compares no version: send it without If-Match and If-None-Match.',
  ),
  TooLarge: failure(413, 'The body is too large.', 'The request body is too large.'),
  NotJson: failure(
    415,
    'The body is not sent as JSON, or is compressed.',
    'The request body must be JSON, sent with Content-Type: application/json.',
  ),
  Compressed: failure(
    415,
    'The body is compressed.',
    'The request body must not be compressed: send it without Content-Encoding.',
  ),
  Invalid: {
    status: 422,
    ...json(validationError, 'Some fields are invalid: `errors` says which, and why.'),
  },
  InvalidImport: {
    status: 422,
    ...json(
      importError,
      'Some fields are invalid, or the file can be read in several ways: `questions` has the answers to choose from.',
    ),
  },
  InvalidBatch: {
    status: 422,
    ...json(
      batchError,
      'Nothing in the batch was accepted. The rest can be sent again without the items in `invalid_items`.',
    ),
  },
  OutOfBounds: {
    status: 422,
    ...json(validationError, 'A balance or total would leave its bounds.'),
    example: {
      message: 'The given data was invalid.',
      errors: { amount: ['The amount field would push a balance or total past 90000000000000.00.'] },
    },
  },
  NoDryRun: {
    status: 422,
    ...json(validationError, 'The request has a `dry_run`, which only imports have.'),
    example: {
      message: 'The given data was invalid.',
      errors: { dry_run: ['The dry run field must be empty: only imports have dry runs.'] },
    },
  },
  Limited: {
    ...failure(
      429,
      'Too many attempts, at this route or in total: wait for `Retry-After` seconds.',
      'Too Many Attempts.',
    ),
    headers: ['Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Remaining'],
  },
  Unexpected: failure(500, 'An error on our side. Please tell us the request id.', 'Server Error'),
  Unavailable: {
    ...failure(503, 'Try again after `Retry-After` seconds.', 'Service Unavailable'),
    headers: ['Retry-After'],
  },
  BadLink: plainText(
    403,
    'The link is forged or expired, or the address has changed.',
    'Invalid or expired verification link.',
  ),
  ForgedLink: plainText(403, 'The link is forged.', 'Invalid unsubscribe link.'),
  Proven: {
    status: 409,
    ...pageOrJson('A reset email or the identity provider has proved whose account it is: nothing is done.'),
  },
  AddressTaken: {
    status: 409,
    ...pageOrJson('Another user has the new address by now: nothing is done.'),
  },
  LinkOfNobody: plainText(404, 'The user for whom the link was made no longer exists.', 'User not found.'),
} satisfies Record<string, Failure>

export type FailureName = keyof typeof failures

/** Failures with an example in each operation. */
export const ownFailures: FailureName[] = ['Invalid', 'InvalidBatch', 'InvalidImport']
