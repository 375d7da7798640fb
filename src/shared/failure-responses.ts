import * as z from 'zod/mini'
import { doc, field } from './doc.ts'
import { matchReasons } from './match-row.ts'
import * as shown from './shown.ts'

/** The bodies of failures, and of responses that consist of a sentence. */

/** Why two rows were taken for the same event. */
export const reasons = () => {
  const texts = Object.entries(matchReasons).map(([name, text]) => `\`${name}\`: ${text}`)
  return field(z.array(z.string()), doc(`Why. ${texts.join(' ')} There may be others.`))
}

export const message = shown.object(
  'Message',
  'A text for people.',
  { message: z.string() },
  { message: 'Logged out.' },
)

export const validationError = shown.object(
  'ValidationError',
  'Error texts by field; keys are dotted paths.',
  { message: z.string(), errors: shown.fieldErrors() },
  {
    message: 'The given data was invalid.',
    errors: { amount: ['The amount field must be greater than 0.'] },
  },
)

export const batchError = shown.object(
  'BatchError',
  'Error texts by field; keys are dotted paths. `invalid_items` lists the positions of the invalid items.',
  { message: z.string(), errors: shown.fieldErrors(), invalid_items: z.optional(z.array(z.int())) },
  {
    message: 'The given data was invalid.',
    errors: { 'transactions.3.account_id': ['The selected account id is invalid.'] },
    invalid_items: [3],
  },
)

export const notVerifiedError = shown.object(
  'NotVerifiedError',
  'The address must be verified first.',
  { message: z.string(), requires_verified_email: z.boolean() },
  { message: 'Your email address is not verified.', requires_verified_email: true },
)

export const cursorError = shown.object(
  'CursorError',
  'Start again without a cursor, and keep what is waiting to be sent.',
  { message: z.string(), code: field(z.string(), doc('Always `cursor_expired`.')) },
  { message: 'The cursor is no longer valid.', code: 'cursor_expired' },
)

const duplicateTransaction = shown.object('DuplicateTransaction', 'A transaction that already exists.', {
  id: shown.id(),
  description: z.nullable(z.string()),
  reference: z.nullable(z.string()),
  transaction_date: shown.calendarDate(),
  amount: shown.amount(),
  reasons: reasons(),
})

/** The most transactions that a potential duplicate is shown with. */
export const duplicatesListed = 5

export const duplicateError = shown.object(
  'DuplicateError',
  'It looks like a transaction that already exists.',
  {
    message: z.string(),
    is_duplicate: z.boolean(),
    duplicates: z.array(duplicateTransaction).check(z.maxLength(duplicatesListed)),
  },
  {
    message: 'Potential duplicate detected.',
    is_duplicate: true,
    duplicates: [
      {
        id: 1,
        description: 'Coffee beans',
        reference: null,
        transaction_date: '2026-11-20',
        amount: '12.50',
        reasons: ['same_amount', 'same_day', 'words_in_common'],
      },
    ],
  },
)
export type ShownDuplicateError = z.output<typeof duplicateError>
