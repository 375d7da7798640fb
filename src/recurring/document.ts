import { maxRules } from '../database/quotas.ts'
import { maxExceptions } from '../domain/recurrence/occurrences.ts'
import type { EndpointGroup } from '../openapi/endpoint.ts'
import { conflict, deleted, json, list } from '../openapi/response-descriptions.ts'
import { transaction } from '../transactions/response-contract.ts'
import { maxSuggestions, maxUpcoming } from './contract.ts'
import {
  alreadyRecorded,
  createdRecurring,
  dismissed,
  recurring,
  recurringConflict,
  suggestions,
  upcoming,
  updatedRecurring,
} from './response-contract.ts'

const rent = {
  account_id: 1,
  category_id: 1,
  type: 'expense' as const,
  amount: '950.00',
  description: 'Rent',
  starts_on: '2026-01-31',
  rrule: 'FREQ=MONTHLY',
  auto_record: true,
}

export const recurringEndpoints: EndpointGroup = {
  tag: 'Recurring transactions',
  description:
    'Bills, income and transfers that repeat. Each occurrence is recorded once, by itself on its day or by a person, on any device.',
  endpoints: {
    'GET /api/recurring': {
      id: 'listRecurring',
      summary: 'List recurring transactions',
      description: 'All of them, oldest first.',
      responses: { 200: list(recurring, 'The rules.') },
    },
    'POST /api/recurring': {
      id: 'createRecurring',
      summary: 'Create a recurring transaction',
      description: `Occurrences before today are neither due nor recorded by themselves. A user has at most ${maxRules}.`,
      body: { name: 'NewRecurring', example: rent },
      responses: {
        201: json(createdRecurring, 'The new rule.'),
        200: json(createdRecurring, 'The rule that has the same `Idempotency-Key`.'),
      },
      invalid: { errors: { rrule: ['The rrule field must not have BYHOUR.'] } },
    },
    'GET /api/recurring/upcoming': {
      id: 'listUpcoming',
      summary: 'List occurrences that are due and upcoming',
      description: `What is due, and what is booked today and in the next days, at most ${maxUpcoming} occurrences. Paused rules have none.`,
      responses: { 200: json(upcoming, 'The occurrences, by day.') },
      invalid: { errors: { days: ['The days field must be an integer from 1 to 366.'] } },
    },
    'GET /api/recurring/suggestions': {
      id: 'listRecurringSuggestions',
      summary: 'Suggest recurring transactions',
      description: `Payments that repeat among the newest 4,000 transactions of 14 months, at most ${maxSuggestions}: at least three of one account, type and payee that follow one rule, the last two of one amount or all within 10 percent, and none of them an occurrence yet.`,
      responses: { 200: json(suggestions, 'The suggestions, those with most transactions first.') },
    },
    'POST /api/recurring/suggestions/dismiss': {
      id: 'dismissRecurringSuggestion',
      summary: 'Dismiss a suggestion',
      description: 'It is not made again.',
      body: { name: 'DismissedSuggestion', example: { key: '1 expense netfl month' } },
      responses: { 200: json(dismissed, 'The key.') },
      invalid: { errors: { key: ['The key field is required.'] } },
    },
    'GET /api/recurring/:id': {
      id: 'showRecurring',
      summary: 'Show a recurring transaction',
      description: 'With its next open occurrence.',
      responses: { 200: json(recurring, 'The rule.') },
    },
    'PUT /api/recurring/:id': {
      id: 'updateRecurring',
      summary: 'Change a recurring transaction',
      description:
        'Changes what is not recorded yet. With `from`, an occurrence, the rule ends before it and a successor with the changes continues it: it has the same days unless the changes name others, what remains of a COUNT, and the exceptions and transactions of its occurrences; of the exception at `from`, what the changes set is dropped. The same `from` again changes the successor.',
      body: { name: 'RecurringUpdate', example: { amount: '990.00', from: '2027-02-28' } },
      responses: {
        200: json(updatedRecurring, 'The rule; with `from`, the two rules.'),
        412: conflict(recurringConflict, 'RecurringConflict'),
      },
      invalid: { errors: { from: ['The selected from is invalid.'] } },
    },
    'DELETE /api/recurring/:id': {
      id: 'deleteRecurring',
      summary: 'Delete a recurring transaction',
      description: 'The transactions that it has recorded stay.',
      responses: { 204: deleted, 412: conflict(recurringConflict, 'RecurringConflict') },
    },
    'PUT /api/recurring/:id/occurrences/:date': {
      id: 'updateOccurrence',
      summary: 'Skip or change one occurrence, or link a transaction to it',
      description: `\`date\` is the date by the rule. Fields are merged with earlier differences, null removes one; a rule has at most ${maxExceptions} exceptions. With \`transaction_id\` alone, that transaction is the occurrence, or with null no transaction is.`,
      body: { name: 'OccurrenceChanges', example: { amount: '980.00' } },
      responses: {
        200: json(recurring, 'The rule as it is now.'),
        409: {
          ...json(alreadyRecorded, 'The occurrence is recorded as another transaction: change that instead.'),
          sharedAs: 'AlreadyRecorded',
        },
        412: conflict(recurringConflict, 'RecurringConflict'),
      },
      invalid: { errors: { transaction_id: ['The selected transaction id is invalid.'] } },
    },
    'POST /api/recurring/:id/occurrences/:date/record': {
      id: 'recordOccurrence',
      summary: 'Record an occurrence',
      description: 'Ahead of its day, on it, or later.',
      responses: {
        201: json(transaction, 'The new transaction.'),
        200: json(transaction, 'The transaction that the occurrence is recorded as already.'),
      },
      invalid: { errors: { date: ['The occurrence is skipped.'] } },
    },
  },
}
