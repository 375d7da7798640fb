import * as z from 'zod/mini'
import { doc, field } from '../shared/doc.ts'
import { date, money, nullable, nullableText, oneOf, text } from '../shared/fields.ts'
import { idempotencyKeyHeader } from '../shared/idempotency-key-header.ts'
import { overrideReconciled } from '../shared/reconciled.ts'
import * as shown from '../shared/shown.ts'
import { accountTypes } from '../shared/types.ts'
import { versionConflict } from '../shared/versions.ts'

const closedOn =
  'The day on which it was closed, or null. A closed account keeps its transactions and counts as before, and nothing is refused for it; apps list it last.'

export const newAccount = z.object({
  name: field(text(), doc('The name to show.')),
  type: field(oneOf(accountTypes), doc('Where the money is kept.')),
  starting_balance: field(
    money,
    doc('The balance before the first transaction, as a string or a number; may be negative.'),
  ),
  notes: field(z.optional(nullableText(65_535)), doc('Free text.')),
  closed_on: field(z.optional(nullable(date)), doc(closedOn)),
})
export type NewAccount = z.output<typeof newAccount>

export const newAccountKey = idempotencyKeyHeader(
  doc(
    'Makes the call safe to repeat: a repeat, with any valid body, answers with the account of the first call, or a 422 if that has been deleted.',
  ),
)

const reconciledThrough =
  'The last day of its reconciled period, or null: whatever would change its balance at the end of a day up to then is refused with the code `reconciled`.'

export const accountChanges = z.extend(z.partial(newAccount), {
  reconciled_through: field(
    z.optional(nullable(date)),
    doc(`${reconciledThrough} It needs a balance check on that day that is \`ok\`; null opens the period.`),
  ),
})
export type AccountChanges = z.output<typeof accountChanges>

export const accountUpdate = z.extend(accountChanges, overrideReconciled)

const checking = () => ({
  id: 1,
  user_id: 1,
  name: 'Checking',
  type: 'bank' as const,
  starting_balance: '1250.00',
  notes: null,
  closed_on: null,
  reconciled_through: null,
  version: 1,
  created_at: shown.exampleTime,
  updated_at: shown.exampleTime,
  balance: 1237.5,
})

export const account = shown.object(
  'Account',
  'Where money is kept.',
  {
    id: shown.id(),
    user_id: shown.id(),
    name: z.string(),
    type: z.enum(accountTypes),
    starting_balance: shown.amount(),
    notes: z.nullable(z.string()),
    closed_on: field(z.nullable(shown.calendarDate()), doc(closedOn)),
    reconciled_through: field(z.nullable(shown.calendarDate()), doc(reconciledThrough)),
    version: shown.version(),
    created_at: shown.timestamp(),
    updated_at: shown.timestamp(),
    balance: field(
      shown.total(),
      doc('starting_balance + income − expenses − transfers out + transfers in.'),
    ),
  },
  checking(),
)
export type ShownAccount = z.output<typeof account>

export const accountConflict = versionConflict('AccountConflict', account, {
  message: 'The account has changed.',
  current: { ...checking(), name: 'Household', version: 2 },
})
