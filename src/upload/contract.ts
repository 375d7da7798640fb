import * as z from 'zod/mini'
import { accountChanges, newAccount } from '../accounts/contract.ts'
import { balanceCheckChanges } from '../balance-checks/contract.ts'
import { balanceCheck } from '../balance-checks/response-contract.ts'
import { doc, field } from '../domain/doc.ts'
import type { FieldErrors } from '../domain/field-errors.ts'
import {
  clientId,
  flag,
  id,
  longestClientId,
  longestKey,
  nullable,
  oneOf,
  pageSize,
} from '../domain/fields.ts'
import { overrideReconciled } from '../domain/reconciled.ts'
import * as shown from '../domain/shown.ts'
import { changedNouns, operationKinds, operationOutcomes, rowTypes } from '../domain/types.ts'
import {
  changedRow,
  defaultFeedSize,
  feed,
  feedCursor,
  kindsOfRow,
  maxUploadFeedSize,
  type ShownChange,
  type ShownFeed,
} from '../feed/contract.ts'
import type { FeedCursor } from '../feed/cursor.ts'
import { recurringUpdate } from '../recurring/contract.ts'
import { newBookedDays, newTransaction } from '../transactions/contract.ts'
import { profileChanges } from '../users/contract.ts'
import { newOccurrence, references, uploadedRecurring } from './fields-contract.ts'

// Other limits: failures/limits.ts.

export const maxOperations = 500
/** The largest upload of operations, in bytes. */
export const maxUploadBytes = 1024 * 1024

/** An operation whose values have each been validated on their own. */
export type Operation = {
  /** Its position in the upload. */
  index: number
  kind: (typeof operationKinds)[number]
  noun: (typeof changedNouns)[number]
  id: number | null
  clientId: string | null
  /** True if it is done even in a reconciled period. */
  isOverride: boolean
  /** The new values of fields. An id may be `#` and a client id. */
  set: Record<string, unknown>
  /** The values that the client saw when it made the change. */
  was: Record<string, unknown>
}

/** A validated upload; `refused` are the operations that are invalid in themselves. One without operations is a pull. */
export type Upload = {
  cursor: FeedCursor | undefined
  /** Changes per page. */
  limit: number
  isRestore: boolean
  /** True if nothing is done unless all operations can be. */
  isAtomic: boolean
  /** True if nothing is done, but for the response. */
  isDryRun: boolean
  operations: Operation[]
  refused: { index: number; errors: FieldErrors }[]
}

/** The kind of an operation, and its row. */
export const operationHead = z.object({
  op: field(oneOf(operationKinds), doc('What to do. The profile can only be updated.')),
  noun: field(oneOf(changedNouns), doc('The kind of row.')),
  id: field(z.optional(nullable(id)), doc('The id of the row. The profile needs none.')),
  client_id: field(
    z.optional(nullable(clientId(longestKey))),
    doc(
      `The client's own id for the row: required to create it, then with up to ${longestClientId} characters, and valid in place of \`id\` from then on. That of an account or a category may also be the Idempotency-Key of its POST. A creation ignores an \`id\`; anything else ignores the client id beside one.`,
    ),
  ),
  ...overrideReconciled,
})

/** The fields of all nouns, for the document and typed clients: which of them count depends on the noun. */
const anyFields = field(
  z.partial(
    z.object({
      ...newTransaction.shape,
      ...newBookedDays,
      ...newOccurrence,
      ...recurringUpdate.shape,
      ...uploadedRecurring,
      ...references,
      ...newAccount.shape,
      reconciled_through: accountChanges.shape.reconciled_through,
      ...balanceCheckChanges.shape,
      type: field(oneOf(rowTypes), doc('The type of an account, a category or a transaction.')),
      timezone: profileChanges.shape.timezone,
      reminder_time: profileChanges.shape.reminder_time,
      due_reminders: profileChanges.shape.due_reminders,
      currency: profileChanges.shape.currency,
    }),
  ),
  doc({ id: 'OperationFields', description: 'Fields by name, as the endpoints of the noun take them.' }),
)

const operation = field(
  z.extend(operationHead, {
    set: field(z.optional(anyFields), doc('The new values of the fields; not for a deletion.')),
    was: field(
      z.optional(anyFields),
      doc(
        'The values that the person saw when changing or deleting the row. Without them, the last write wins.',
      ),
    ),
  }),
  doc({ id: 'Operation' }),
)

/** An upload without its operations: each of these is checked on its own, so that an invalid one affects no other. */
export const uploadHead = z.object({
  cursor: field(
    z.optional(nullable(feedCursor)),
    doc(
      'The `cursor` of the last page: with it, the answer carries what has changed since. Null together with empty `ops` begins a snapshot.',
    ),
  ),
  limit: field(
    z.optional(pageSize(maxUploadFeedSize)),
    doc({ default: defaultFeedSize, description: 'Changes per page.' }),
  ),
  restore: field(
    z.optional(nullable(flag)),
    doc({
      type: 'boolean',
      default: false,
      description:
        'True for the rows of an export: transactions are the occurrences that they were, even of rules that have other dates by now.',
    }),
  ),
  atomic: field(
    z.optional(nullable(flag)),
    doc({
      type: 'boolean',
      default: false,
      description:
        'All or nothing: if an operation is a `conflict`, `invalid` or, other than a deletion, `gone`, those that could have been done are `not_done`.',
    }),
  ),
  dry_run: field(
    z.optional(nullable(flag)),
    doc({
      type: 'boolean',
      default: false,
      description:
        'Stores nothing, and answers with what the upload would do. A read-only token may send it; a `cursor` is ignored.',
    }),
  ),
})
export const upload = z.extend(uploadHead, {
  ops: field(
    z.array(operation).check(z.maxLength(maxOperations)),
    doc(
      'At most one operation for each row. Their order does not matter. Empty together with a `cursor`, it is a pull.',
    ),
  ),
})

const result = shown.object('OperationResult', 'The outcome of an operation.', {
  index: field(shown.count(), doc('Its position in the upload, from 0.')),
  outcome: z.enum(operationOutcomes),
  id: field(
    z.optional(z.nullable(shown.id())),
    doc('The id of the row, if there is one; null for one that a dry run would create.'),
  ),
  version: field(
    z.optional(z.nullable(shown.count())),
    doc('The version of the row as it is now; null for one that a dry run would create.'),
  ),
  fields: field(
    z.optional(z.array(z.string())),
    doc(
      'For a conflict: the fields that conflict. `type`, `account_id` and `to_account_id` do so together, even if only one was changed.',
    ),
  ),
  errors: field(z.optional(shown.fieldErrors()), doc('For an invalid operation: texts by field.')),
  uncategorised: field(
    z.optional(z.boolean()),
    doc('True if the category that the operation names does not exist: it is done without one.'),
  ),
  data: field(
    z.optional(changedRow()),
    doc({
      type: 'object',
      description: `The row as it is now, where the client cannot know it (\`duplicate\`, \`unchanged\`, \`conflict\`). ${kindsOfRow}`,
    }),
  ),
})
type ShownData = NonNullable<ShownChange['data']>
/** The outcome of an operation. The document cannot say that the type of `data` depends on its noun. */
export type ShownResult = Omit<z.output<typeof result>, 'data'> & { data?: ShownData }

const move = shown.object('BalanceMove', 'By how much a dry run would move a balance.', {
  account_id: field(z.nullable(shown.id()), doc('Null for an account that would be new.')),
  client_id: field(z.nullable(z.string()), doc('The client id of the account.')),
  balance: field(z.nullable(shown.total()), doc('Its balance now; null for a new account.')),
  balance_after: field(z.nullable(shown.total()), doc('Its balance after; null if it would be deleted.')),
})

export const uploadAnswer = shown.object(
  'UploadAnswer',
  'The outcome of each operation and, if the upload had a cursor, what has changed since.',
  {
    results: z.array(result),
    moves: field(
      z.optional(z.array(move)),
      doc('Only of a dry run: the accounts whose balances it would move.'),
    ),
    broken_checks: field(
      z.optional(z.array(balanceCheck)),
      doc('Only of a dry run: the balance checks that are `ok` and would not be.'),
    ),
    ...z.partial(feed).shape,
  },
  {
    results: [
      { index: 0, outcome: 'created' as const, id: 12, version: 1 },
      { index: 1, outcome: 'updated' as const, id: 91, version: 4 },
      { index: 2, outcome: 'gone' as const },
    ],
    changes: [{ noun: 'transaction', id: 76, data: null }],
    cursor: 'WzEsMSwxMDRd',
    has_more: false,
    snapshot: false,
    balances: [{ account_id: 1, balance: 1237.5 }],
    total_balance: 1237.5,
  },
)
export type ShownUploadAnswer = Omit<z.output<typeof uploadAnswer>, 'results' | keyof ShownFeed> & {
  results: ShownResult[]
} & Partial<ShownFeed>
