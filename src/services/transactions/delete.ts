import type { Owner } from '../../db/owner.ts'
import { deleteOwn } from '../../db/ownership.ts'
import { transactions } from '../../db/schema.ts'
import { withinBounds } from '../bounds.ts'

/** Removes a transaction for good; the balances follow. Throws NotFound, Forbidden, Invalid. */
export function deleteTransaction(owner: Owner, id: number): Promise<void> {
  return withinBounds('amount', deleteOwn(owner, transactions, id))
}
