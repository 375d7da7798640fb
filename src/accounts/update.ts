import { and, sql } from 'drizzle-orm'
import { withinBounds } from '../database/bounds.ts'
import { toColumns } from '../database/input-columns.ts'
import type { Owner } from '../database/owner.ts'
import { existingRow, isOwnColumn, requireComplete, requirePrecondition } from '../database/ownership.ts'
import { notesGrowth, notesQuota } from '../database/quotas.ts'
import { matchingCheckRule, withLock } from '../database/reconciled.ts'
import { allHold, type Rule, ruleFlags, violationOf } from '../database/rules.ts'
import { accounts } from '../database/schema.ts'
import type { CalendarDate } from '../domain/dates.ts'
import type { OverrideReconciled } from '../domain/reconciled.ts'
import type { ExpectedVersions } from '../domain/types.ts'
import type { Draft } from '../failures/draft.ts'
import type { AccountChanges } from './contract.ts'
import { accountColumns, accountPrecondition } from './read.ts'

/** Changes only the fields that were sent. Throws NotFound, Forbidden, VersionConflict, Invalid, Reconciled. */
export async function updateAccount(
  owner: Owner,
  id: number,
  draft: Draft<AccountChanges & OverrideReconciled>,
  expected: ExpectedVersions,
) {
  const precondition = accountPrecondition(owner, id, expected)
  const { override_reconciled, ...sent } = await requireComplete(owner, draft, precondition)
  const rules = [
    notesQuota(owner.id, notesGrowth(sent.notes, sql`${accounts.notes}`)),
    ...(sent.reconciled_through ? [hasMatchingCheck(sent)] : []),
  ]
  const lockedThrough = override_reconciled ? sql<null>`null` : lockOf(sent)
  const owned = owner.db
    .select({ isOwn: isOwnColumn(owner, accounts), ruleFlags: ruleFlags(rules), lockedThrough })
    .from(accounts)
    .where(existingRow(accounts, id))
  const updated = owner.db
    .update(accounts)
    .set({
      ...toColumns(sent),
      version: sql`${accounts.version} + 1`,
      updatedAt: owner.now,
    })
    .where(and(precondition.isCurrentRow, sql`${lockedThrough} is null`, allHold(rules)))
    .returning(accountColumns)
  const results = await withinBounds(
    'starting_balance',
    owner.run({ owned, conflictingRow: precondition.conflictingRow, updated }),
  )
  requirePrecondition(accounts, results)
  const [account] = results.updated
  if (!account)
    throw withLock(violationOf(rules, results.owned), results.owned[0]?.lockedThrough, 'starting_balance')
  return account
}

function hasMatchingCheck({ reconciled_through, starting_balance }: AccountChanges): Rule {
  return matchingCheckRule({
    accountId: sql`accounts.id`,
    through: sql`${reconciled_through}`,
    now: sql`accounts.reconciled_through`,
    moved: starting_balance === undefined ? sql`0` : sql`${starting_balance} - accounts.starting_balance`,
  })
}

/** The reconciled period that a new starting balance would change, unless the same request opens it. */
function lockOf({ starting_balance, reconciled_through }: AccountChanges) {
  const isBound = starting_balance !== undefined && reconciled_through !== null
  return isBound
    ? sql<CalendarDate | null>`iif(accounts.starting_balance = ${starting_balance}, null, accounts.reconciled_through)`
    : sql<null>`null`
}
