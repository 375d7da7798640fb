import { isOutOfBounds } from '../db/errors.ts'
import { messageFor } from '../domain/draft.ts'
import { Invalid } from '../domain/failures.ts'
import { formatMoney, maxTotal } from '../domain/money.ts'

/** Waits for a write. If it would push a balance or total past its bounds, throws Invalid under `field`. */
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
 * The most transactions that a single deletion may delete or change. In the worst order, 100,000 rows take the database
 * four seconds, during which nobody else can write; one that takes eight would time out however often it is tried.
 */
export const mostDeletedAtOnce = 100_000

/** The most bytes of uploaded batches, and the most rows, that are deleted in one transaction of several. */
export const bytesPerPart = 20_000_000
export const rowsPerPart = 20_000

/** The failure of a larger deletion, which is refused up front since trying again would not help. */
export function tooManyToDelete(noun: string): Invalid {
  const most = mostDeletedAtOnce.toLocaleString('en')
  const text = `The ${noun} has more than ${most} transactions, too many to be deleted at once. Undo imports or delete transactions first.`
  return new Invalid({ transactions: [text] })
}
