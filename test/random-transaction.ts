import {
  type TransactionField,
  type TransactionText,
  transactionTexts,
} from '../src/domain/transaction-fields.ts'
import type { Dice } from './dice.ts'

/** What a random transaction is made of; references are ids, keys or client ids. */
type Parts<Reference, Amount> = {
  accounts: Iterable<Reference>
  categories: Iterable<Reference | null>
  days: readonly string[]
  amount: () => Amount
  text: () => string | null
}
/** What files and requests add to what a person enters. */
type OfRequests = 'client_id' | 'force' | 'booked_on' | 'to_booked_on' | 'recurring_id' | 'occurrence_date'
export type RandomTransaction<Reference, Amount> = Record<TransactionText, string | null> & {
  type: 'income' | 'expense' | 'transfer'
  account_id: Reference
  to_account_id: Reference | null
  category_id: Reference | null | undefined
  amount: Amount
  transaction_date: string
}

/**
 * A transaction with every field of the contract that a person enters; a transfer only if it has two accounts. A new
 * text has its place here at once, and the compiler asks for any other new field.
 */
export function randomTransaction<Reference, Amount extends string | number | bigint>(
  dice: Dice,
  { accounts, categories, days, amount, text }: Parts<Reference, Amount>,
): RandomTransaction<Reference, Amount> {
  const all = [...accounts]
  const [account_id, other] = [dice.oneOf(all), dice.oneOf(all)]
  const type = dice.oneOf(['income', 'expense', 'expense', 'transfer'] as const)
  const isTransfer = type === 'transfer' && other !== account_id
  const texts = Object.fromEntries(transactionTexts.map((name) => [name, text()]))
  return {
    type: type === 'transfer' && !isTransfer ? 'expense' : type,
    account_id,
    to_account_id: isTransfer ? other : null,
    category_id: dice.of(categories),
    amount: amount(),
    transaction_date: dice.oneOf(days),
    ...(texts as Record<TransactionText, string | null>),
  } satisfies Record<Exclude<TransactionField, OfRequests>, unknown>
}
