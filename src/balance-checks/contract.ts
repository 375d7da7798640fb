import * as z from 'zod/mini'
import { doc, field } from '../domain/doc.ts'
import { date, id, money, oneOf } from '../domain/fields.ts'
import { idempotencyKeyHeader } from '../domain/idempotency-key-header.ts'
import { overrideReconciled } from '../domain/reconciled.ts'
import { checkStates } from '../domain/types.ts'

export const newBalanceCheck = z.object({
  account_id: field(id, doc('The account.')),
  date: field(
    date,
    doc("The day at whose end the bank has this balance; not after today in the user's time zone."),
  ),
  balance: field(money, doc("The bank's balance, as a string or a number; may be negative.")),
})
export type NewBalanceCheck = z.output<typeof newBalanceCheck>

export const newBalanceCheckKey = idempotencyKeyHeader(
  doc(
    'Makes the call safe to repeat: a repeat, with any valid body, answers with the check of the first call, or a 422 if that has been deleted.',
  ),
)

export const balanceCheckChanges = z.partial(z.omit(newBalanceCheck, { account_id: true }))
export type BalanceCheckChanges = z.output<typeof balanceCheckChanges>

export const balanceCheckUpdate = z.extend(balanceCheckChanges, {
  ...overrideReconciled,
  account_id: field(z.optional(id), doc('As it is: a check stays with its account.')),
})
export type BalanceCheckUpdate = z.output<typeof balanceCheckUpdate>

export const balanceCheckQuery = z.partial(
  z.object({
    account_id: field(id, doc('Only checks of this account.')),
    state: field(oneOf(checkStates), doc('Only checks in this state.')),
  }),
)
export type BalanceCheckQuery = z.output<typeof balanceCheckQuery>
