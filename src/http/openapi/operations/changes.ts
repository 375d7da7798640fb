import { feed } from '../../../contract/changes.ts'
import { uploadAnswer } from '../../../contract/operations.ts'
import { json } from '../answers.ts'
import type { OperationGroup } from '../operation.ts'

export const changeOperations: OperationGroup = {
  tag: 'Changes',
  description: 'For clients that keep a copy of everything: docs/client.md, Keeping a copy.',
  operations: {
    'GET /api/changes': {
      id: 'pullChanges',
      summary: 'Pull what has changed',
      description:
        'Without a cursor everything, as a snapshot; with the `cursor` of the last page what has changed since, each row once and as it is now. Go on until `has_more` is false. After a 410 begin without a cursor.',
      answers: { 200: json(feed, 'One page.') },
      failures: ['CursorExpired'],
    },
    'POST /api/changes': {
      id: 'uploadOperations',
      summary: 'Upload what was done offline',
      description:
        'Up to 500 operations, each whole or not at all, and none hurts another. The answer says what became of each; with a `cursor` it carries what a GET would as well. Sent again, nothing is done twice.',
      body: {
        name: 'Upload',
        example: {
          ops: [
            {
              op: 'create',
              noun: 'account',
              client_id: 'a1',
              set: { name: 'Wallet', type: 'cash', starting_balance: '20.50' },
            },
            {
              op: 'create',
              noun: 'transaction',
              client_id: 't1',
              set: {
                account_id: '#a1',
                type: 'income',
                amount: '3.20',
                transaction_date: '2026-11-21',
                category_id: '1',
              },
            },
            { op: 'update', noun: 'transaction', id: 91, set: { amount: '13.00' }, was: { amount: '12.00' } },
            { op: 'delete', noun: 'transaction', id: 77, was: { amount: '5.00' } },
          ],
        },
      },
      answers: { 200: json(uploadAnswer, 'What became of each operation, in their order.') },
      failures: ['CursorExpired'],
    },
  },
}
