import * as z from 'zod'
import { amount, calendarDate, fieldErrors, id, named } from './kinds.ts'

/** Texts, failures (api.md §7), and the service itself. */

export const health = named(
  'Health',
  z.object({ status: z.string(), database: z.string() }),
  'The service and its database answer.',
  { status: 'ok', database: 'ok' },
)

export const message = named('Message', z.object({ message: z.string() }), 'A text for people.', {
  message: 'Logged out.',
})

export const validationError = named(
  'ValidationError',
  z.object({ message: z.string(), errors: fieldErrors }),
  'Texts by field; keys are dotted paths.',
  {
    message: 'The given data was invalid.',
    errors: { amount: ['The amount field must be greater than 0.'] },
  },
)

export const batchError = named(
  'BatchError',
  z.object({ message: z.string(), errors: fieldErrors, invalid_items: z.array(z.int()).optional() }),
  'Texts by field; keys are dotted paths. `invalid_items` are the positions of the items that are wrong.',
  {
    message: 'The given data was invalid.',
    errors: { 'transactions.3.account_id': ['The selected account id is invalid.'] },
    invalid_items: [3],
  },
)

export const notVerifiedError = named(
  'NotVerifiedError',
  z.object({ message: z.string(), requires_verified_email: z.boolean() }),
  'The address must be verified first.',
  { message: 'Your email address is not verified.', requires_verified_email: true },
)

const duplicateTransaction = named(
  'DuplicateTransaction',
  z.object({
    id,
    description: z.string().nullable(),
    reference: z.string().nullable(),
    transaction_date: calendarDate,
    amount,
  }),
  'What is there already.',
)

export const duplicateError = named(
  'DuplicateError',
  z.object({
    message: z.string(),
    is_duplicate: z.boolean(),
    duplicates: z.array(duplicateTransaction).max(5),
  }),
  'It looks like a transaction that is there already.',
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
      },
    ],
  },
)
