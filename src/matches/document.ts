import { formatNumber } from '../domain/doc.ts'
import { maxChange } from '../domain/recurrence/links.ts'
import { handedOverTexts } from '../domain/transaction-fields.ts'
import type { EndpointGroup } from '../openapi/endpoint.ts'
import { json } from '../openapi/response-descriptions.ts'
import { maxCompared, maxRows, maxRowsAfter } from './candidates.ts'
import { joined, matchList, separated } from './contract.ts'
import { contextDays } from './matching.ts'
import { maxComparedRows, maxUnlinkedRows } from './occurrences.ts'

/** The fields that the row that remains may take from the other. */
const taken = ['category_id', ...handedOverTexts].map((name) => `\`${name}\``).join(', ')

const pair = { name: 'MatchPair', example: { kind: 'duplicate', ids: [1, 2] } }

export const matchEndpoints: EndpointGroup = {
  tag: 'Matches',
  description:
    'What was typed by hand and also appears in the bank’s file, days later; what left one account of the user’s and arrived in another; and transactions that may be occurrences of recurring ones.',
  endpoints: {
    'GET /api/matches': {
      id: 'listMatches',
      summary: 'List matches',
      description: `Pairs of transactions that look like one event, of which at least one is dated within the requested days. They are found among the transactions of these days and of the ${contextDays} before and after them: the newest ${formatNumber(maxRows)}, and ${formatNumber(maxRowsAfter)} of the days after, are read, and at most ${formatNumber(maxCompared)} that have another of the same amount nearby are compared. Rejected pairs are left out. With \`kind=occurrence\`, transactions without a recurring transaction that may be an open occurrence of one, of the same account, direction and amount (within its tolerance), from three days before to six after its booking day, but never beyond half the interval; or, with another amount that differs by up to ${maxChange} percent, if they name the payee, an occurrence that is open, or recorded without a bank’s row: the newest ${formatNumber(maxUnlinkedRows)} are read, and ${formatNumber(maxComparedRows)} with an amount near that of a recurring transaction compared. Link one with \`PUT /api/recurring/{id}/occurrences/{date}\`.`,
      responses: { 200: json(matchList, 'What was found.') },
      invalid: { errors: { to: ['The to field must be a date after or equal to from.'] } },
    },
    'POST /api/matches/join': {
      id: 'joinMatch',
      summary: 'Join a match',
      description: `One transaction remains, and takes from the other what it lacks itself (${taken}). For a transfer, it is the outflow, now a transfer to the other account; for a duplicate, the one that is a transfer, or else the one that was typed, or else the older one. Importing a statement that has the other one creates nothing. With \`pairs\`, up to 100 are joined in one call, and the answer has the outcome of each.`,
      body: { name: 'MatchJoin', example: { kind: 'duplicate', ids: [1, 2] } },
      responses: {
        200: json(joined, 'What remains or, with `pairs`, the outcomes.'),
      },
      invalid: { errors: { ids: ['The ids field must be a list of two different ids.'] } },
    },
    'POST /api/matches/separate': {
      id: 'separateMatch',
      summary: 'Separate what was joined',
      description:
        'Undoes the last join: brings the other transaction back, under its id. What the remaining one took from it is removed again, unless it has been changed since.',
      body: { name: 'MatchSeparation', example: { id: 1 } },
      responses: { 200: json(separated, 'Both.') },
      invalid: { errors: { id: ['The selected id is invalid.'] } },
    },
    'POST /api/matches/reject': {
      id: 'rejectMatch',
      summary: 'Reject a match',
      description:
        'Remembers that the two are not a match of this kind, so that they are never suggested again; or, with `kind: "occurrence"`, that a transaction is not this occurrence.',
      body: pair,
      responses: { 204: { description: 'Rejected.' } },
      invalid: { errors: { kind: ['The selected kind is invalid.'] } },
    },
    'DELETE /api/matches/reject': {
      id: 'takeRejectionBack',
      summary: 'Take a rejection back',
      description: 'The two, or the transaction and the occurrence, may be suggested again.',
      body: pair,
      responses: { 204: { description: 'Taken back.' } },
      invalid: { errors: { ids: ['The ids field must be a list of two different ids.'] } },
    },
  },
}
