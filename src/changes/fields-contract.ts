import * as z from 'zod/mini'
import { accountChanges, newAccount } from '../accounts/contract.ts'
import { balanceCheckChanges, newBalanceCheck } from '../balance-checks/contract.ts'
import { categoryChanges, newCategory } from '../categories/contract.ts'
import { doc, field } from '../shared/doc.ts'
import { idOrReference, nullable } from '../shared/fields.ts'
import { newBookedDays, newTransaction, transactionChanges } from '../transactions/contract.ts'
import { profileChanges } from '../users/contract.ts'

// In a file of its own, since the ledger validates by it and needs nothing else of uploads.

/** The fields of a transaction that name other rows. */
export const references = {
  account_id: field(idOrReference, doc('The account: its id, or `#` and its client id.')),
  to_account_id: field(
    z.optional(nullable(idOrReference)),
    doc('The destination of a transfer: its id, or `#` and its client id.'),
  ),
  category_id: field(
    z.optional(nullable(idOrReference)),
    doc('The category: its id, or `#` and its client id; null for none.'),
  ),
}

/** The fields of each noun: those of the single endpoints, but other rows may be named by client id. */
export const fieldsOfNoun = {
  profile: { create: undefined, update: profileChanges },
  account: { create: newAccount, update: accountChanges },
  category: { create: newCategory, update: categoryChanges },
  transaction: {
    create: z.extend(newTransaction, { ...references, ...newBookedDays }),
    update: z.extend(transactionChanges, z.partial(z.object(references)).shape),
  },
  balance_check: {
    create: z.extend(newBalanceCheck, { account_id: references.account_id }),
    update: balanceCheckChanges,
  },
}

/**
 * Fields of a transaction that conflict together: the `set` of an update has all of them or none, and so has every
 * `was`.
 */
export const fieldsThatGoTogether = ['type', 'account_id', 'to_account_id'] as const
