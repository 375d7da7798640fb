import { claim, demandClaim, own } from '../../db/claims.ts'
import type { Owner } from '../../db/owner.ts'
import { transactions } from '../../db/schema.ts'
import { withinBounds } from '../bounds.ts'

/** Removes a transaction for good; the balances follow. Throws NotFound, Forbidden. */
export async function deleteTransaction(owner: Owner, id: number): Promise<void> {
  const [, claims] = await withinBounds(
    'amount',
    owner.run(
      claim(owner, transactions, id),
      owner.db.delete(transactions).where(own(owner, transactions, id)),
    ),
  )
  demandClaim(transactions, claims)
}
