import * as z from 'zod/mini'
import { doc, field } from '../domain/doc.ts'
import { preprocessed } from '../domain/fields.ts'
import { idempotencyKeyHeader } from '../domain/idempotency-key-header.ts'
import * as shown from '../domain/shown.ts'
import { itemOutcomes, syncStates } from '../domain/types.ts'
import { newTransaction } from '../transactions/contract.ts'

// Other limits: failures/limits.ts.

export const maxBatchItems = 1_000
export const maxBatchMegabytes = 1
/** A batch with more items is always queued: processing it would keep its client, and other writers, waiting. */
export const maxItemsProcessedAtOnce = 100

/** An offline batch. Its items are checked one by one, so that errors can name them. */
export const newBatch = z.object({
  transactions: field(
    z.array(newTransaction).check(z.minLength(1), z.maxLength(maxBatchItems)),
    doc('Recorded in this order. The result of each is a `SyncItemResult`.'),
  ),
})

type Preference = 'handling=lenient' | 'respond-async'

export const newBatchHeaders = z.extend(
  z.object({
    Prefer: field(
      z.optional(preprocessed((input: Preference | `${Preference}, ${Preference}`) => input, z.string())),
      doc(
        '`handling=lenient` accepts the valid items and reports the others; `respond-async` answers before the batch is processed, however small it is (RFC 7240).',
      ),
    ),
  }),
  idempotencyKeyHeader(
    doc(
      'Makes the call safe to repeat with the same batch, which is stored only once. If it has failed, a repeat has it processed again.',
    ),
  ).shape,
)

export const batchPath = z.object({ id: field(z.string(), doc('The `sync_id` of the batch.')) })

export const acceptedBatch = shown.object(
  'SyncAccepted',
  'The batch is stored, and has been or will be processed.',
  {
    message: z.string(),
    sync_id: z.string(),
    status_url: field(z.string(), doc('Where to ask for the outcome of the batch.')),
  },
  {
    message: 'Sync process started in the background.',
    sync_id: '0197f3a1-5c0e-7d3a-9b1f-2f6f0e6a1c55',
    status_url: 'https://api.purse.example/api/transactions/sync/0197f3a1-5c0e-7d3a-9b1f-2f6f0e6a1c55',
  },
)
export type ShownAcceptedBatch = z.output<typeof acceptedBatch>

const batchCounts = shown.object('SyncCounts', 'How many items a batch has, and how many had each outcome.', {
  total: shown.count(),
  created: shown.count(),
  duplicate: shown.count(),
  invalid: shown.count(),
  failed: shown.count(),
})

const itemResult = shown.object('SyncItemResult', 'What became of one item of an offline batch.', {
  index: field(shown.count(), doc('Position in the batch, from 0.')),
  client_id: z.nullable(z.string()),
  outcome: z.enum(itemOutcomes),
  transaction_id: field(z.nullable(shown.id()), doc('The new row or, for a duplicate, the existing one.')),
  errors: z.nullable(shown.fieldErrors()),
})

export const batch = shown.object(
  'SyncStatus',
  'The outcome of an offline batch, item by item.',
  {
    id: z.string(),
    status: z.enum(syncStates),
    counts: batchCounts,
    items: z.array(itemResult),
    created_at: shown.timestamp(),
    completed_at: z.nullable(shown.timestamp()),
  },
  {
    id: '0197f3a1-5c0e-7d3a-9b1f-2f6f0e6a1c55',
    status: 'completed' as const,
    counts: { total: 1, created: 1, duplicate: 0, invalid: 0, failed: 0 },
    items: [{ index: 0, client_id: 'phone-1', outcome: 'created' as const, transaction_id: 1, errors: null }],
    created_at: shown.exampleTime,
    completed_at: shown.exampleTime,
  },
)
export type ShownBatch = z.output<typeof batch>
