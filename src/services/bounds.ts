import { isOutOfBounds } from '../db/errors.ts'
import { messageFor } from '../domain/draft.ts'
import { Invalid } from '../domain/failures.ts'
import { formatMoney, maxTotal } from '../domain/money.ts'

/** Waits for a write; where it would push a balance or total past its bounds, that is an error of `field`. */
export async function withinBounds<T>(field: 'amount' | 'starting_balance', write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    if (!isOutOfBounds(error)) throw error
    const text = `The :field field would push a balance or total past ${formatMoney(maxTotal)}.`
    throw new Invalid({ [field]: [messageFor(field, text)] })
  }
}

/**
 * So many transactions go or change with one deletion at most. In the worst order of rows 100,000 take the database
 * four seconds, during which nobody else can write; after eight it would undo the deletion, however often it is tried.
 */
export const mostDeletedAtOnce = 100_000

/** So many rows at most go in one transaction where a deletion takes several of them. */
export const rowsPerPart = 20_000

/** The refusal of a deletion with more: said before anything is done, since trying again would not help. */
export function tooManyRows(noun: string): Invalid {
  const most = mostDeletedAtOnce.toLocaleString('en')
  const text = `The ${noun} has more than ${most} transactions, too many to be deleted at once. Undo imports or delete transactions first.`
  return new Invalid({ transactions: [text] })
}
