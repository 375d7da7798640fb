import { acceptedBatch, batch } from '../../../contract/batches.ts'
import { json } from '../answers.ts'
import type { OperationGroup } from '../operation.ts'

const item = {
  client_id: 'phone-1',
  account_id: 1,
  type: 'expense',
  amount: '3.20',
  transaction_date: '2026-11-19',
}

export const syncOperations: OperationGroup = {
  tag: 'Offline batches',
  description:
    'What a phone recorded while it was offline. Give each item a `client_id`: then a batch can be sent as often as it takes, and every item lands once.',
  operations: {
    'POST /api/transactions/sync': {
      id: 'syncTransactions',
      summary: 'Upload a batch',
      description:
        'The whole batch is checked and stored before the answer; after a 200 the phone may empty its queue. On an error nothing is taken, unless `Prefer: handling=lenient` is sent: then the good items are taken, and the status reports the bad ones. 1 to 1,000 items, 1 MB.',
      body: {
        name: 'SyncBatch',
        example: { transactions: [item] },
      },
      answers: {
        200: json(acceptedBatch, 'Stored; it is processed in the background.', ['Preference-Applied']),
      },
      failures: ['NotVerified', 'InvalidBatch'],
    },
    'GET /api/transactions/sync/:id': {
      id: 'showSync',
      summary: 'Ask what became of a batch',
      description:
        'Counts, and each item with its outcome, once `status` is `completed` or `failed`. Processing takes seconds.',
      answers: { 200: json(batch, 'The batch and its items.') },
    },
  },
}
