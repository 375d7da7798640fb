import { messageFor } from '../domain/field-errors.ts'
import { formatMoney, maxTotal } from '../domain/money.ts'
import { Invalid } from '../failures/failures.ts'
import { isOutOfBounds } from './errors.ts'

/** Awaits a write. Throws Invalid under `field` if it would push a balance or total past its bounds. */
export async function withinBounds<T>(field: 'amount' | 'starting_balance' | 'batch', write: Promise<T>) {
  try {
    return await write
  } catch (error) {
    if (!isOutOfBounds(error)) throw error
    const text = `The :field field would push a balance or total past ${formatMoney(maxTotal)}.`
    throw new Invalid({ [field]: [messageFor(field, text)] })
  }
}
