import * as z from 'zod/mini'
import { accountChanges, postedAccount } from '../accounts/contract.ts'
import { balanceCheckChanges, newBalanceCheck } from '../balance-checks/contract.ts'
import { categoryChanges, newCategory } from '../categories/contract.ts'
import { doc, field } from '../domain/doc.ts'
import { clientId, date, idOrReference, longestClientId, nullable } from '../domain/fields.ts'
import { newRecurring, recurringUpdate, uploadedExceptions } from '../recurring/contract.ts'
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

/** The occurrence that a new transaction is: both fields or none. */
export const newOccurrence = {
  recurring_id: field(
    z.optional(nullable(idOrReference)),
    doc('The recurring transaction that it is an occurrence of: its id, or `#` and its client id.'),
  ),
  occurrence_date: field(z.optional(nullable(date)), doc('Which occurrence it is: its date by the rule.')),
}

/** The fields of a recurring transaction that only uploads set. */
export const uploadedRecurring = {
  exceptions: uploadedExceptions,
  successor_id: field(
    z.optional(nullable(idOrReference)),
    doc('Of a new recurring transaction: the later one that continues it, its id, or `#` and its client id.'),
  ),
  successor_client_id: field(
    z.optional(nullable(clientId(longestClientId))),
    doc("With `from`: the client's own id for the recurring transaction that continues this one."),
  ),
}

/** The fields of each noun: those of the single endpoints, but other rows may be named by client id. */
export const fieldsOfNoun = {
  profile: { create: undefined, update: profileChanges },
  account: { create: postedAccount, update: accountChanges },
  category: { create: newCategory, update: categoryChanges },
  recurring: {
    create: z.extend(newRecurring, {
      ...references,
      exceptions: uploadedRecurring.exceptions,
      successor_id: uploadedRecurring.successor_id,
    }),
    update: z.extend(recurringUpdate, {
      ...z.partial(z.object(references)).shape,
      exceptions: uploadedRecurring.exceptions,
      successor_client_id: uploadedRecurring.successor_client_id,
    }),
  },
  transaction: {
    create: z.extend(newTransaction, { ...references, ...newBookedDays, ...newOccurrence }),
    update: z.extend(transactionChanges, z.partial(z.object(references)).shape),
  },
  balance_check: {
    create: z.extend(newBalanceCheck, { account_id: references.account_id }),
    update: balanceCheckChanges,
  },
}

/**
 * Fields of a transaction, single or recurring, that conflict together: the `set` of an update has all of them or none, and so has every
 * `was`.
 */
export const fieldsThatGoTogether = ['type', 'account_id', 'to_account_id'] as const
