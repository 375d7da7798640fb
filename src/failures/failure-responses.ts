import * as z from 'zod/mini'
import { doc, field } from '../domain/doc.ts'
import { matchReasons } from '../domain/match-row.ts'
import { reconciledText } from '../domain/reconciled-text.ts'
import * as shown from '../domain/shown.ts'
import { transactionTypes } from '../domain/types.ts'
import { duplicatesListed } from './failures.ts'

/** The bodies of failures, and of responses with a message only. */

/** The reasons why two rows may be the same event. */
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
  {
    message: z.string(),
    errors: shown.fieldErrors(),
    code: field(
      z.optional(z.string()),
      doc(
        '`reconciled` for a change in a reconciled period, which `override_reconciled` makes; otherwise absent.',
      ),
    ),
    reconciled_through: field(z.optional(shown.calendarDate()), doc('The last day of that period.')),
  },
  {
    message: 'The given data was invalid.',
    errors: { amount: ['The amount field must be greater than 0.'] },
  },
)

/** The example of a change that a reconciled period refuses. */
export const reconciledExample = (field = 'transaction_date') => ({
  errors: { [field]: [reconciledText('31 October 2026')] },
  code: 'reconciled',
  reconciled_through: '2026-10-31',
})

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

const exampleRow = shown.object('QuestionExample', 'A row as an option of a question reads it.', {
  row: shown.count(),
  transaction_date: shown.calendarDate(),
  type: z.enum(transactionTypes),
  amount: shown.amount(),
  description: z.nullable(z.string()),
})

const question = shown.object('ImportQuestion', 'What a file leaves open.', {
  field: field(
    z.string(),
    doc('The option that answers it, such as `signs` or `mapping.amount`: send it with one of the values.'),
  ),
  code: field(
    z.string(),
    doc(
      'Why it is asked, for programs: the first part of `field` or, of `signs`, one of `signs_unproved`, `signs_of_debt`, `signs_missing` and `signs_contradicted`.',
    ),
  ),
  text: z.string(),
  depends_on: field(
    z.nullable(z.string()),
    doc(
      'Another question, with whose first option this one is asked. Leave its answer out if that one is answered otherwise: it is asked again.',
    ),
  ),
  options: z.array(
    shown.object('QuestionOption', 'A possible answer.', {
      value: z.string(),
      label: z.string(),
      example: field(
        z.array(exampleRow).check(z.maxLength(3)),
        doc(
          'The first rows that come out differently, the other questions being answered with their first options.',
        ),
      ),
    }),
  ),
})

const charge = (type: 'income' | 'expense') => ({
  row: 2,
  transaction_date: '2026-11-20',
  type,
  amount: '12.50',
  description: 'Coffee beans',
})

/** The response to a file that can be read in several ways. */
export const importError = shown.object(
  'ImportError',
  'Error texts by field; keys are dotted paths. `questions` says what each answer would do.',
  { message: z.string(), errors: shown.fieldErrors(), questions: z.optional(z.array(question)) },
  {
    message: 'The given data was invalid.',
    errors: { signs: ['Nothing in the file proves which way its amounts go.'] },
    questions: [
      {
        field: 'signs',
        code: 'signs_unproved',
        text: 'Nothing in the file proves which way its amounts go.',
        depends_on: null,
        options: [
          {
            value: 'as_written',
            label: 'Positive amounts came in, negative ones were spent.',
            example: [charge('income')],
          },
          {
            value: 'inverted',
            label: 'Positive amounts were spent, negative ones came in.',
            example: [charge('expense')],
          },
        ],
      },
    ],
  },
)

/** The code of a 403 for a named token, which any route that writes may respond with. */
const scopeCode = field(
  z.optional(z.string()),
  doc('`insufficient_scope` if a named token is not allowed to do that; otherwise absent.'),
)

export const forbiddenError = shown.object(
  'ForbiddenError',
  'The user or the token may not do that.',
  { message: z.string(), code: scopeCode },
  { message: 'This token is not allowed to do that.', code: 'insufficient_scope' },
)

export const notVerifiedError = shown.object(
  'NotVerifiedError',
  'The address must be verified first, or the token may not do that.',
  { message: z.string(), requires_verified_email: z.optional(z.boolean()), code: scopeCode },
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
