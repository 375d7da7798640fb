import * as z from 'zod/mini'
import { doc, field } from '../domain/doc.ts'
import { requiredText } from '../domain/field-errors.ts'
import { date, id, listOf, oneOf, preprocessed } from '../domain/fields.ts'
import { overrideReconciled } from '../domain/reconciled.ts'
import * as shown from '../domain/shown.ts'
import { listedMatchKinds, matchCertainties, matchKinds } from '../domain/types.ts'
import { reasons } from '../failures/failure-responses.ts'
import { coffee, transaction } from '../transactions/response-contract.ts'

// Other limits: failures/limits.ts.

/** The most days of one request. */
export const maxDays = 366
/** The number of days, unless the client names them. */
export const defaultDays = 90
export const maxMatches = 200

const kind = field(
  oneOf(matchKinds),
  doc('`duplicate`: one event recorded twice. `transfer`: two legs, on two accounts of the user.'),
)

export const matchQuery = z.partial(
  z.object({
    kind: field(
      oneOf(listedMatchKinds),
      doc(
        'Only matches of this kind. `occurrence`: a transaction that may be an occurrence of a recurring transaction, in `occurrences`, which only this kind lists.',
      ),
    ),
    from: field(date, doc(`The first day; ${defaultDays} days before the last if left out.`)),
    to: field(
      date,
      doc(
        `The last day; the range has ${maxDays} days at most. If left out, the last possible day after \`from\`, or tomorrow (UTC) if that is left out too.`,
      ),
    ),
  }),
)
export type MatchQuery = z.output<typeof matchQuery>

const twoIds = 'The :field field must be a list of two different ids.'
/** A longer list gets one error for the whole of it, not one for each of its items. */
const orNone = (ids: (number | string)[]) => (Array.isArray(ids) && ids.length > 2 ? false : ids)

/** Two transactions, as a match names them. Their order does not matter. */
export const pair = z.object({
  kind,
  ids: field(
    preprocessed(
      orNone,
      z
        .array(id, { error: ({ input }) => (input == null ? requiredText : twoIds) })
        .check(z.refine((ids) => ids.length === 2 && ids[0] !== ids[1], { error: twoIds })),
    ),
    doc({ minItems: 2, maxItems: 2, description: 'The `ids` of the match.' }),
  ),
})
export type Pair = z.output<typeof pair>

/** A transaction and an occurrence that it is not. */
export const rejectedOccurrence = z.object({
  kind: oneOf(listedMatchKinds),
  transaction_id: field(id, doc('With the kind `occurrence`: the transaction.')),
  recurring_id: field(id, doc('With the kind `occurrence`: the recurring transaction.')),
  occurrence_date: field(date, doc('With the kind `occurrence`: the date of the occurrence.')),
})
export type RejectedOccurrence = z.output<typeof rejectedOccurrence>

/** A pair or, with the kind `occurrence`, a transaction and an occurrence. */
export const rejection = z.extend(z.partial(z.extend(rejectedOccurrence, pair.shape)), {
  kind: field(
    oneOf(listedMatchKinds),
    doc('`duplicate` or `transfer` with `ids`, `occurrence` with the other fields.'),
  ),
})

/** The same, to be joined. */
export const joinedPair = z.extend(pair, overrideReconciled)
export type JoinedPair = z.output<typeof joinedPair>

/** The most pairs that one call joins. */
export const maxPairs = 100

const namedPair = field(
  z.object(joinedPair.shape),
  doc({ id: 'JoinedPair', description: 'Two transactions that are one event.' }),
)

/** Pairs to be joined in one call; no transaction may be in two of them. */
export const pairs = z.object({
  pairs: field(
    listOf(namedPair, maxPairs).check(
      z.refine(
        (list) => {
          const ids = list.flatMap((one) => one.ids)
          return new Set(ids).size === ids.length
        },
        { error: 'The :field field must not have a transaction in two pairs.' },
      ),
    ),
    doc('Several pairs, in place of `kind` and `ids`: each has its own outcome.'),
  ),
})
export type Pairs = z.output<typeof pairs>

/** One pair, or several. */
export const joinRequest = z.extend(z.partial(joinedPair), z.partial(pairs).shape)

/** The transaction to separate from another. */
export const separation = z.object({
  id: field(
    id,
    doc('The transaction that remained. If several were joined with it, the last one comes back.'),
  ),
  ...overrideReconciled,
})
export type Separation = z.output<typeof separation>

export const separated = shown.object(
  'SeparatedTransactions',
  'The transaction that remained, and the one that was brought back.',
  { transactions: z.array(transaction).check(z.minLength(2), z.maxLength(2)) },
  { transactions: [coffee(), { ...coffee(), id: 2, description: 'CARD 4711 COFFEE BEANS LONDON' }] },
)
export type ShownSeparated = z.output<typeof separated>

const joinOutcome = shown.object('JoinOutcome', 'What became of a pair.', {
  kind: z.enum(matchKinds),
  ids: z.array(shown.id()).check(z.minLength(2), z.maxLength(2)),
  transaction: field(
    z.nullable(transaction),
    doc('The transaction that remains; null if the pair was not joined.'),
  ),
  errors: field(z.nullable(shown.fieldErrors()), doc('Why the pair was not joined.')),
})

/** One schema for both responses of a join, since generated clients do not support a choice of schemas. */
export const joined = shown.object(
  'JoinedMatch',
  'The transaction that remains or, where `pairs` were sent, `outcomes` alone.',
  {
    ...z.partial(transaction).shape,
    outcomes: field(z.optional(z.array(joinOutcome)), doc('What became of the pairs, in their order.')),
  },
  coffee(),
)
export type ShownJoined = { outcomes: z.output<typeof joinOutcome>[] }

const match = shown.object('Match', 'Two transactions that look like one event.', {
  kind: z.enum(matchKinds),
  ids: field(
    z.array(shown.id()).check(z.minLength(2), z.maxLength(2)),
    doc(
      'First, of a duplicate, the typed row or else the one imported first; of a transfer, the outflow. Then the other.',
    ),
  ),
  days_apart: field(z.int(), doc('From the first to the second; negative if the second is earlier.')),
  certainty: field(
    z.enum(matchCertainties),
    doc(
      '`sure` if neither has another candidate and, for a transfer, the words leave no doubt; else `likely`.',
    ),
  ),
  reasons: reasons(),
  transactions: field(z.array(transaction), doc('Both, in the order of `ids`.')),
})

const occurrenceMatch = shown.object('OccurrenceMatch', 'A transaction that may be an occurrence.', {
  kind: field(z.enum(listedMatchKinds), doc('Always `occurrence`.')),
  transaction,
  recurring_id: shown.id(),
  occurrence_date: field(shown.calendarDate(), doc('The date by the rule, which identifies it.')),
  recorded_id: field(
    z.nullable(shown.id()),
    doc(
      'The transaction that the occurrence is recorded as, with another amount; null if it is open. If both are one payment, give that transaction the amount, and join the two as a `duplicate`.',
    ),
  ),
  certainty: field(
    z.enum(matchCertainties),
    doc(
      '`sure` if both name the payee, with the expected amount, and neither has another candidate that does; else `likely`.',
    ),
  ),
})

export const matchList = shown.object(
  'MatchList',
  'Possible duplicates and transfers.',
  {
    matches: field(
      z.array(match).check(z.maxLength(maxMatches)),
      doc('Sure ones first, and among these the newest. Each transaction is in at most one of them.'),
    ),
    occurrences: field(
      z.optional(z.array(occurrenceMatch).check(z.maxLength(maxMatches))),
      doc(
        'With the kind `occurrence`, in place of `matches`: each transaction and each occurrence is in at most one of them.',
      ),
    ),
    searched_back_to: field(
      z.nullable(shown.calendarDate()),
      doc(
        'The first day whose matches are listed, or null if the matches of all days are. Send it as `to` to look further back.',
      ),
    ),
  },
  {
    matches: [
      {
        kind: 'duplicate' as const,
        ids: [1, 2],
        days_apart: 2,
        certainty: 'sure' as const,
        reasons: ['same_amount', 'days_apart', 'words_in_common', 'only_candidate'],
        transactions: [
          coffee(),
          {
            ...coffee(),
            id: 2,
            category_id: null,
            description: 'CARD 4711 COFFEE BEANS LONDON',
            reference: 'B-20261122-1',
            transaction_date: '2026-11-22',
          },
        ],
      },
    ],
    searched_back_to: null,
  },
)
export type ShownMatchList = z.output<typeof matchList>
