import { maxAccounts, maxNotesLength } from '../database/quotas.ts'
import { formatNumber } from '../domain/doc.ts'
import type { EndpointGroup } from '../openapi/endpoint.ts'
import { conflict, deleted, etagResponses, json, list } from '../openapi/response-descriptions.ts'
import { account, accountConflict } from './response-contract.ts'

export const accountEndpoints: EndpointGroup = {
  tag: 'Accounts',
  description: 'Bank, mobile and cash accounts, each with its balance.',
  endpoints: {
    'GET /api/accounts': {
      id: 'listAccounts',
      summary: 'List accounts',
      description: 'With their balances, in the order they were opened.',
      responses: etagResponses(list(account, 'All accounts.')),
    },
    'POST /api/accounts': {
      id: 'createAccount',
      summary: 'Open an account',
      description: `Its balance begins with \`starting_balance\`. A user has at most ${maxAccounts} accounts, with at most ${formatNumber(maxNotesLength)} characters of notes between them.`,
      body: {
        name: 'NewAccount',
        example: {
          name: 'Checking',
          type: 'bank',
          kind: 'current',
          starting_balance: '1250.00',
          notes: null,
        },
      },
      responses: {
        201: json(account, 'The new account.'),
        200: json(account, 'The account that the same `Idempotency-Key` opened before.'),
      },
      invalid: {
        errors: {
          name: ['The name field is required.'],
          type: ['The selected type is invalid.'],
          starting_balance: ['The starting balance field must have 0-2 decimal places.'],
        },
      },
    },
    'GET /api/accounts/:id': {
      id: 'showAccount',
      summary: 'Show an account',
      description: 'With its balance.',
      responses: etagResponses(json(account, 'The account.')),
    },
    'PUT /api/accounts/:id': {
      id: 'updateAccount',
      summary: 'Change an account',
      description: 'Changes only the fields that are sent; the balance follows the starting balance.',
      body: { name: 'AccountChanges', example: { name: 'Household', starting_balance: '1300.00' } },
      responses: {
        200: json(account, 'The account as it is now.'),
        412: conflict(accountConflict, 'AccountConflict'),
      },
      invalid: { errors: { name: ['The name field is required.'] } },
    },
    'DELETE /api/accounts/:id': {
      id: 'deleteAccount',
      summary: 'Delete an account',
      description:
        'Also deletes its transactions, including transfers to and from other accounts, whose balances follow.',
      responses: { 204: deleted, 412: conflict(accountConflict, 'AccountConflict') },
      failures: ['OutOfBounds'],
    },
  },
}
