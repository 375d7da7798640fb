import { feedEndpoints } from '../feed/document.ts'
import type { EndpointGroup } from '../openapi/endpoint.ts'
import { json } from '../openapi/response-descriptions.ts'
import { maxOperations, uploadAnswer } from './contract.ts'

export const changeEndpoints: EndpointGroup = {
  tag: 'Changes',
  description: 'For clients that keep a copy of everything: docs/client.md, Keeping a copy.',
  endpoints: {
    ...feedEndpoints,
    'POST /api/changes': {
      id: 'uploadOperations',
      summary: 'Upload what was done offline',
      description: `Up to ${maxOperations} operations. Each is done whole or not at all, and a failed one does not affect the others, unless a balance or total would pass its bounds: then nothing is done. The answer gives the outcome of each; with a \`cursor\`, it also carries what a GET would. The same upload can be sent again: nothing is created or deleted twice, but an update sets its fields again if it has no \`was\`, or if another change has put the values of \`was\` back. Without operations, but with a \`cursor\`, it is a pull: it changes nothing, and a read-only token may send it. Unlike a GET, it has one URL, whose preflight browsers keep.`,
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
      responses: { 200: json(uploadAnswer, 'The outcome of each operation, in the order sent.') },
      failures: ['CursorExpired'],
      invalid: { errors: { ops: ['The ops field is required.'] } },
    },
  },
}
