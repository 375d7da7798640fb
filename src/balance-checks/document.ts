import { maxChecks, maxChecksOfAccount } from '../database/quotas.ts'
import { formatNumber } from '../domain/doc.ts'
import { reconciledExample } from '../failures/failure-responses.ts'
import type { EndpointGroup } from '../openapi/endpoint.ts'
import { conflict, deleted, etagResponses, json, list } from '../openapi/response-descriptions.ts'
import { explainedCheck } from './explained-contract.ts'
import { maxChanges } from './present.ts'
import { balanceCheck, balanceCheckConflict } from './response-contract.ts'

export const balanceCheckEndpoints: EndpointGroup = {
  tag: 'Balance checks',
  description:
    "The bank's balances at the ends of days, each compared with the account's own at all times. A check that no longer agrees names the change that broke it.",
  endpoints: {
    'GET /api/balance-checks': {
      id: 'listBalanceChecks',
      summary: 'List balance checks',
      description: 'With their differences, by account and day.',
      responses: etagResponses(list(balanceCheck, 'All checks that match.')),
      invalid: { errors: { state: ['The selected state is invalid.'] } },
    },
    'POST /api/balance-checks': {
      id: 'createBalanceCheck',
      summary: 'Check a balance',
      description: `There is one check for each account and day: the same balance again answers with the check that exists, another one is a 422 under \`date\`. An account has at most ${maxChecksOfAccount} checks, a user ${formatNumber(maxChecks)}.`,
      body: { name: 'NewBalanceCheck', example: { account_id: 1, date: '2026-10-31', balance: '1210.50' } },
      responses: {
        201: json(balanceCheck, 'The new check.'),
        200: json(balanceCheck, 'The check that has this balance already, or the same `Idempotency-Key`.'),
      },
      invalid: { errors: { date: ['The account already has another balance on this day.'] } },
    },
    'GET /api/balance-checks/:id': {
      id: 'showBalanceCheck',
      summary: 'Explain a balance check',
      description: `With the changes that broke it, when, and who made them: at most ${maxChanges}, the last of which sums up the rest. For a check that never was \`ok\`, with single transactions that explain the difference.`,
      responses: etagResponses(json(explainedCheck, 'The check.')),
    },
    'PUT /api/balance-checks/:id': {
      id: 'updateBalanceCheck',
      summary: 'Change a balance check',
      description: 'With another date or balance, it is compared anew, as a new check would be.',
      body: { name: 'BalanceCheckChanges', example: { balance: '1198.00' } },
      responses: {
        200: json(balanceCheck, 'The check as it is now.'),
        412: conflict(balanceCheckConflict, 'BalanceCheckConflict'),
      },
      invalid: { errors: { date: ['The date field must not be after today.'] } },
    },
    'DELETE /api/balance-checks/:id': {
      id: 'deleteBalanceCheck',
      summary: 'Delete a balance check',
      description: 'Transactions stay as they are.',
      responses: { 204: deleted, 412: conflict(balanceCheckConflict, 'BalanceCheckConflict') },
      invalid: reconciledExample('date'),
    },
  },
}
