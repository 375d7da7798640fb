import { matchList, separated } from '../../../contract/matches.ts'
import { transaction } from '../../../contract/transactions.ts'
import { json } from '../answers.ts'
import type { OperationGroup } from '../operation.ts'

const pair = { name: 'MatchPair', example: { kind: 'duplicate', ids: [1, 2] } }

export const matchOperations: OperationGroup = {
  tag: 'Matches',
  description:
    'What was typed by hand and stands in the bank’s file as well, days later; and what left one account of the user’s and came in on another.',
  operations: {
    'GET /api/matches': {
      id: 'listMatches',
      summary: 'List matches',
      description:
        'Pairs of incomes or expenses that look like one event, computed from the newest 20,000 transactions of the days asked for, and of these at most 3,000 that have another of their amount nearby. Pairs that were rejected are left out.',
      answers: { 200: json(matchList, 'What was found.') },
    },
    'POST /api/matches/join': {
      id: 'joinMatch',
      summary: 'Join a match',
      description:
        'One transaction remains, and gains what it lacks of the other (`category_id`, `description`, `reference`). Of a transfer that is the outflow, as a transfer to the other account; of a duplicate the one that was typed, or else the older one. A statement that has the other can be imported again, and creates nothing.',
      body: pair,
      answers: { 200: json(transaction, 'What remains.') },
    },
    'POST /api/matches/separate': {
      id: 'separateMatch',
      summary: 'Separate what was joined',
      description:
        'Brings the other transaction back, under its id. What the one that remained gained of it is taken away, unless it was changed since.',
      body: { name: 'MatchSeparation', example: { id: 1 } },
      answers: { 200: json(separated, 'Both.') },
    },
    'POST /api/matches/reject': {
      id: 'rejectMatch',
      summary: 'Reject a match',
      description: 'Remembers that the two are no match of this kind: nothing asks again.',
      body: pair,
      answers: { 204: { description: 'It is remembered.' } },
    },
    'DELETE /api/matches/reject': {
      id: 'takeRejectionBack',
      summary: 'Take a rejection back',
      description: 'The two may be found to match again.',
      body: pair,
      answers: { 204: { description: 'It is taken back.' } },
    },
  },
}
