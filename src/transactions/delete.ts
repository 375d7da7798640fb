import { withinBounds } from '../database/bounds.ts'
import type { Owner } from '../database/owner.ts'
import { requirePrecondition } from '../database/ownership.ts'
import { transactions } from '../database/schema.ts'
import type { ExpectedVersions } from '../shared/types.ts'
import { transactionPrecondition } from './read.ts'

/** Deletes a transaction. Throws NotFound, Forbidden, VersionConflict; Invalid if a balance would leave its bounds. */
export async function deleteTransaction(owner: Owner, id: number, expected: ExpectedVersions): Promise<void> {
  const { isCurrentRow, owned, conflictingRow } = transactionPrecondition(owner, id, expected)
  const deleted = owner.db.delete(transactions).where(isCurrentRow)
  requirePrecondition(
    transactions,
    await withinBounds('amount', owner.run({ owned, conflictingRow, deleted })),
  )
}
