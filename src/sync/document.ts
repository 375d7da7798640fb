import { formatNumber } from '../domain/doc.ts'
import type { EndpointGroup } from '../openapi/endpoint.ts'
import { json } from '../openapi/response-descriptions.ts'
import {
  acceptedBatch,
  batch,
  maxBatchItems,
  maxBatchMegabytes,
  maxItemsProcessedAtOnce,
} from './contract.ts'

const item = {
  client_id: 'phone-1',
  account_id: 1,
  type: 'expense',
  amount: '3.20',
  transaction_date: '2026-11-19',
}

export const syncEndpoints: EndpointGroup = {
  tag: 'Offline batches',
  description:
    'What a phone recorded while it was offline. Give each item a `client_id`: a batch can then be sent as often as necessary, and every item is stored once.',
  endpoints: {
    'POST /api/transactions/sync': {
      id: 'syncTransactions',
      summary: 'Upload a batch',
      description: `The whole batch is checked and stored before the response, so after a 200 the phone may empty its queue. As a rule, a batch of up to ${maxItemsProcessedAtOnce} items is processed by then, a larger one in the background. After a 4xx, nothing has been accepted; after a 503, send it again. With \`Prefer: handling=lenient\` the valid items are accepted, and the status reports the others. 1 to ${formatNumber(maxBatchItems)} items, up to ${maxBatchMegabytes} MB.`,
      body: {
        name: 'SyncBatch',
        example: { transactions: [item] },
      },
      responses: {
        200: json(acceptedBatch, 'Stored, and processed already or in the background.', [
          'Preference-Applied',
        ]),
      },
      failures: ['NotVerified', 'InvalidBatch'],
      invalid: {
        errors: { 'transactions.1.account_id': ['The selected account id is invalid.'] },
        invalid_items: [1],
      },
    },
    'GET /api/transactions/sync/:id': {
      id: 'showSync',
      summary: 'Show the outcome of a batch',
      description:
        'Counts, and each item with its outcome: `pending` for valid ones until `status` is `completed` or `failed`: often at once, otherwise seconds later.',
      responses: { 200: json(batch, 'The batch and its items.') },
    },
  },
}
