import type { Owner } from '../../db/owner.ts'
import { deleteOwn } from '../../db/ownership.ts'
import { transactions } from '../../db/schema.ts'
import { withinBounds } from '../bounds.ts'

/** Deletes a transaction. Throws NotFound, Forbidden, and Invalid if a balance would leave its bounds. */
export async function deleteTransaction(owner: Owner, id: number): Promise<void> {
  await withinBounds('amount', deleteOwn(owner, transactions, id))
}
