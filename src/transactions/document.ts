import { reconciledExample } from '../failures/failure-responses.ts'
import type { EndpointGroup } from '../openapi/endpoint.ts'
import { conflict, deleted, etagResponses, json } from '../openapi/response-descriptions.ts'
import { defaultPageSize, maxPageSize } from './contract.ts'
import {
  transaction,
  transactionConflict,
  transactionPage,
  transactionWithRelations,
} from './response-contract.ts'

export const transactionEndpoints: EndpointGroup = {
  tag: 'Transactions',
  description: 'Income, expenses and transfers.',
  endpoints: {
    'GET /api/transactions': {
      id: 'listTransactions',
      summary: 'List transactions',
      description: `By date and id, newest first, ${defaultPageSize} a page or as many as \`per_page\` says, up to ${maxPageSize}. \`account_id\` matches either side of a transfer, \`category_id=none\` transactions without a category; \`q\` searches description and reference.`,
      responses: etagResponses(json(transactionPage, 'One page.')),
      invalid: {
        errors: {
          from: ['The from field must match the format YYYY-MM-DD.'],
          per_page: ['The per page field must be an integer from 1 to 500.'],
        },
      },
    },
    'POST /api/transactions': {
      id: 'createTransaction',
      summary: 'Record a transaction',
      description:
        'One with the same account, destination, type, amount and date as another is a 409, unless `force` is true or both carry references that differ. With a `client_id`, repeating the call answers 200 with the row that the first call created, and never creates a second.',
      body: {
        name: 'PostedTransaction',
        example: {
          account_id: 1,
          type: 'expense',
          category_id: 1,
          amount: '12.50',
          description: 'Coffee beans',
          transaction_date: '2026-11-20',
          client_id: 'a7f0c1de-2b5e-4a55-9c0e-0d8b7f1f2a10',
        },
      },
      responses: {
        201: json(transaction, 'The new transaction.'),
        200: json(transaction, 'The transaction that the same `client_id` created before.'),
      },
      failures: ['AccountFirst', 'Duplicate'],
      invalid: {
        errors: {
          amount: ['The amount field must be greater than 0.'],
          transaction_date: ['The transaction date field must be a valid date.'],
          category_id: ['The category id field is required.'],
        },
      },
    },
    'GET /api/transactions/:id': {
      id: 'showTransaction',
      summary: 'Show a transaction',
      description: 'With its accounts and category.',
      responses: etagResponses(
        json(transactionWithRelations, 'The transaction with its accounts and category.'),
      ),
    },
    'PUT /api/transactions/:id': {
      id: 'updateTransaction',
      summary: 'Change a transaction',
      description: 'Changes only the fields that are sent; the rules apply to the resulting row.',
      body: { name: 'TransactionChanges', example: { amount: '13.20', description: 'Coffee beans, dark' } },
      responses: {
        200: json(transaction, 'The transaction as it is now.'),
        412: conflict(transactionConflict, 'TransactionConflict'),
      },
      invalid: { errors: { to_account_id: ['The to account id field is required.'] } },
    },
    'DELETE /api/transactions/:id': {
      id: 'deleteTransaction',
      summary: 'Delete a transaction',
      description:
        'Balances and totals become what they would be without it. Its `client_id` cannot be used again.',
      responses: { 204: deleted, 412: conflict(transactionConflict, 'TransactionConflict') },
      invalid: reconciledExample(),
    },
  },
}
