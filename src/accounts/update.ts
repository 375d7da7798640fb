import { and, sql } from 'drizzle-orm'
import { withinBounds } from '../database/bounds.ts'
import { toColumns } from '../database/input-columns.ts'
import type { Owner } from '../database/owner.ts'
import { existingRow, isOwnColumn, requireComplete, requirePrecondition } from '../database/ownership.ts'
import { notesGrowth, notesQuota } from '../database/quotas.ts'
import { allHold, ruleFlags, violationOf } from '../database/rules.ts'
import { accounts } from '../database/schema.ts'
import type { Draft } from '../shared/draft.ts'
import type { ExpectedVersions } from '../shared/types.ts'
import type { AccountChanges } from './contract.ts'
import { accountColumns, accountPrecondition } from './read.ts'

/** Changes only the fields that were sent. Throws NotFound, Forbidden, VersionConflict, Invalid. */
export async function updateAccount(
  owner: Owner,
  id: number,
  draft: Draft<AccountChanges>,
  expected: ExpectedVersions,
) {
  const precondition = accountPrecondition(owner, id, expected)
  const sent = await requireComplete(owner, draft, precondition)
  const rules = [notesQuota(owner.id, notesGrowth(sent.notes, sql`${accounts.notes}`))]
  const owned = owner.db
    .select({ isOwn: isOwnColumn(owner, accounts), ruleFlags: ruleFlags(rules) })
    .from(accounts)
    .where(existingRow(accounts, id))
  const updated = owner.db
    .update(accounts)
    .set({
      ...toColumns(sent),
      version: sql`${accounts.version} + 1`,
      updatedAt: owner.now,
    })
    .where(and(precondition.isCurrentRow, allHold(rules)))
    .returning(accountColumns)
  const results = await withinBounds(
    'starting_balance',
    owner.run({ owned, conflictingRow: precondition.conflictingRow, updated }),
  )
  requirePrecondition(accounts, results)
  const [account] = results.updated
  if (!account) throw violationOf(rules, results.owned)
  return account
}
