import * as z from 'zod'
import { newTransaction } from '../../../contract/transactions.ts'
import { idempotencyKey, json, type OperationGroup } from '../operation.ts'
import { syncAccepted, syncStatus } from '../schemas/batches.ts'

/** A batch as syncRoutes reads it, item by item (decisions.md, Sync). */
const batch = z.object({ transactions: z.array(newTransaction).min(1).max(1_000) })

/** Offline batches (api.md §4.2). */
export const syncOperations: OperationGroup = {
  tag: 'Offline batches',
  description:
    'What a phone recorded while it was offline. Give each item a `client_id`: then a batch can be sent as often as it takes, and every item lands once.',
  operations: {
    'POST /api/transactions/sync': {
      id: 'syncTransactions',
      summary: 'Upload a batch',
      description:
        'The batch is checked whole and stored before the answer; after a 200 the queue on the phone may be emptied. On an error nothing is taken, unless `Prefer: handling=lenient` is sent: then the good items are taken, and the bad ones reported by the status. 1 to 1,000 items, 1 MB.',
      parameters: {
        Prefer: {
          in: 'header',
          schema: z.string(),
          description: '`handling=lenient` takes the good items (RFC 7240).',
        },
        ...idempotencyKey('the same key with the same batch answers with the batch of the first call.'),
      },
      bodies: {
        'application/json': {
          name: 'SyncBatch',
          schema: batch,
          example: {
            transactions: [
              {
                client_id: 'phone-1',
                account_id: 1,
                type: 'expense',
                amount: '3.20',
                transaction_date: '2026-11-19',
              },
            ],
          },
        },
      },
      answers: {
        200: json(syncAccepted, 'Stored; it is processed in the background.', ['Preference-Applied']),
      },
      failures: ['notVerified', 'items'],
    },
    'GET /api/transactions/sync/:id': {
      id: 'showSync',
      summary: 'Ask what became of a batch',
      description:
        'Counts, and each item with its outcome, once `status` is `completed` or `failed`. Processing takes seconds.',
      parameters: {
        id: { in: 'path', required: true, schema: z.string(), description: 'The `sync_id` of the upload.' },
      },
      answers: { 200: json(syncStatus, 'The batch and its items.') },
    },
  },
}
