import * as z from 'zod'
import {
  batchError,
  duplicateError,
  message,
  notVerifiedError,
  validationError,
} from '../../contract/failures.ts'
import { mostDeletedAtOnce } from '../../services/bounds.ts'
import type { AnswerDescription, ExtraFailure } from './operation.ts'

/** A failure as the document describes it, under the name of the response that all operations share. */
export type Failure = AnswerDescription & { name: string; status: number }

const failure = (name: string, status: number, description: string, text: string): Failure => ({
  name,
  status,
  description,
  schema: message,
  example: { message: text },
})

/** Every failure of the contract; which route can give which, failuresOf says. */
export const failures = {
  malformed: failure('Malformed', 400, 'The body is no JSON.', 'Malformed JSON in request body'),
  unauthenticated: failure(
    'Unauthenticated',
    401,
    'The token is missing, malformed, expired or revoked. Sign in again.',
    'Unauthenticated.',
  ),
  forbidden: failure('Forbidden', 403, "It is another user's.", 'This action is unauthorized.'),
  accountFirst: failure(
    'AccountFirst',
    403,
    'There is no account yet to record anything against.',
    'You must create at least one account before adding transactions.',
  ),
  notVerified: {
    name: 'NotVerified',
    status: 403,
    description: 'The address must be verified first (POST /api/email/verification-notification).',
    schema: notVerifiedError,
  },
  notFound: failure('NotFound', 404, 'There is no such row.', 'Account not found.'),
  duplicate: {
    name: 'Duplicate',
    status: 409,
    description: 'It looks like one that is there already; `force: true` creates it all the same.',
    schema: duplicateError,
  },
  tooLarge: failure('TooLarge', 413, 'The body is too large.', 'The request body is too large.'),
  notJson: failure(
    'NotJson',
    415,
    'The body is not sent as JSON.',
    'The request body must be JSON, sent with Content-Type: application/json.',
  ),
  invalid: {
    name: 'Invalid',
    status: 422,
    description: 'Fields break rules; all of them are named at once.',
    schema: validationError,
  },
  invalidBatch: {
    name: 'InvalidBatch',
    status: 422,
    description:
      'Nothing of the batch was taken. Without the items named in `invalid_items`, the rest can be sent again.',
    schema: batchError,
  },
  outOfBounds: {
    name: 'OutOfBounds',
    status: 422,
    description: 'What remains would leave a balance or total out of its bounds.',
    schema: validationError,
  },
  tooMuchHistory: {
    name: 'TooMuchHistory',
    status: 422,
    description: `More than ${mostDeletedAtOnce.toLocaleString('en')} transactions would go or change with it, or what remains would leave a balance or total out of its bounds. Nothing was done.`,
    schema: validationError,
  },
  limited: {
    ...failure(
      'Limited',
      429,
      'Too many attempts, here or everywhere: wait for `Retry-After` seconds.',
      'Too Many Attempts.',
    ),
    headers: ['Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Remaining'],
  },
  unexpected: failure('Unexpected', 500, 'A fault of ours. Name the request id to us.', 'Server Error'),
  unavailable: {
    ...failure('Unavailable', 503, 'Try again after `Retry-After` seconds.', 'Service Unavailable'),
    headers: ['Retry-After'],
  },
  badLink: {
    name: 'BadLink',
    status: 403,
    description: 'The link is forged or expired, or its address has changed.',
    schema: z.string(),
    contentTypes: ['text/plain'],
    example: 'Invalid or expired verification link.',
  },
  forgedLink: {
    name: 'ForgedLink',
    status: 403,
    description: 'The link is forged.',
    schema: z.string(),
    contentTypes: ['text/plain'],
    example: 'Invalid unsubscribe link.',
  },
  verifiedMeanwhile: {
    name: 'VerifiedMeanwhile',
    status: 409,
    description: 'The address has been verified, and the account stays.',
    schema: message,
    contentTypes: ['application/json', 'text/html'],
  },
  linkOfNobody: {
    name: 'LinkOfNobody',
    status: 404,
    description: 'The user of the link is not there any more.',
    schema: z.string(),
    contentTypes: ['text/plain'],
    example: 'User not found.',
  },
} satisfies Record<string, Failure>

/** What is known of a route that decides how it can fail. */
export type RouteTraits = {
  isPublic: boolean
  /** Checked by `body`: JSON and nothing else. */
  hasJsonBody: boolean
  canRefuseQuery: boolean
  /** Its path names a row. */
  namesRow: boolean
  extra: ExtraFailure[]
  /** An import takes files as well, so that no content type is wrong. */
  takesFiles: boolean
}

/** Every way in which a route can fail. */
export function failuresOf(route: RouteTraits): Failure[] {
  const extra = new Set(route.extra)
  const takesBody = route.hasJsonBody || route.takesFiles
  const found: (Failure | false)[] = [
    takesBody && failures.malformed,
    !route.isPublic && failures.unauthenticated,
    route.namesRow && failures.forbidden,
    extra.has('accountFirst') && failures.accountFirst,
    extra.has('notVerified') && failures.notVerified,
    route.namesRow && failures.notFound,
    extra.has('duplicate') && failures.duplicate,
    takesBody && failures.tooLarge,
    route.hasJsonBody && failures.notJson,
    extra.has('items') && failures.invalidBatch,
    (takesBody || route.canRefuseQuery) && !extra.has('items') && failures.invalid,
    extra.has('bounds') && failures.outOfBounds,
    extra.has('history') && failures.tooMuchHistory,
    failures.limited,
    extra.has('badLink') && failures.badLink,
    extra.has('forgedLink') && failures.forgedLink,
    extra.has('verifiedMeanwhile') && failures.verifiedMeanwhile,
    (extra.has('badLink') || extra.has('forgedLink')) && failures.linkOfNobody,
    failures.unexpected,
    failures.unavailable,
  ]
  return found.filter((one) => one !== false)
}
