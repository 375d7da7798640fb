import * as z from 'zod/mini'
import { doc, field } from '../domain/doc.ts'
import { noMatchingCheckText } from '../domain/field-errors.ts'
import { date, money, nullable, nullableText, oneOf, rejected, text } from '../domain/fields.ts'
import { idempotencyKeyHeader } from '../domain/idempotency-key-header.ts'
import { overrideReconciled } from '../domain/reconciled.ts'
import { accountKinds, accountTypes } from '../domain/types.ts'

export const closedOn =
  'The day on which it was closed, or null. A closed account keeps its transactions and counts as before, and nothing is refused for it; apps list it last.'

export const kindOfAccount =
  'What it is to the user, or null: a label, from which only imports conclude which amounts of a file were spent.'

export const newAccount = z.object({
  name: field(text(), doc('The name to show.')),
  type: field(oneOf(accountTypes), doc('Where the money is kept.')),
  kind: field(z.optional(nullable(oneOf(accountKinds))), doc(kindOfAccount)),
  starting_balance: field(
    money,
    doc('The balance before the first transaction, as a string or a number; may be negative.'),
  ),
  notes: field(z.optional(nullableText(65_535)), doc('Free text.')),
  closed_on: field(z.optional(nullable(date)), doc(closedOn)),
})
export type NewAccount = z.output<typeof newAccount>

/** A new account has no balance check, so no period of it can be reconciled. */
export const postedAccount = z.extend(newAccount, {
  reconciled_through: z.optional(rejected(noMatchingCheckText)),
})

export const newAccountKey = idempotencyKeyHeader(
  doc(
    'Makes the call safe to repeat: a repeat, with any valid body, answers with the account of the first call, or a 422 if that has been deleted.',
  ),
)

export const reconciledThrough =
  'The last day of its reconciled period, or null: whatever would change its balance at the end of a day up to then is refused with the code `reconciled`.'

export const accountChanges = z.extend(z.partial(newAccount), {
  reconciled_through: field(
    z.optional(nullable(date)),
    doc(`${reconciledThrough} It needs a balance check on that day that is \`ok\`; null opens the period.`),
  ),
})
export type AccountChanges = z.output<typeof accountChanges>

export const accountUpdate = z.extend(accountChanges, overrideReconciled)
