import { and, sql } from 'drizzle-orm'
import { toColumns } from '../database/input-columns.ts'
import type { Owner } from '../database/owner.ts'
import { existingRow, isOwnColumn } from '../database/ownership.ts'
import { lockOfCheck, withLock } from '../database/reconciled.ts'
import { allHold, rule, ruleFlags, violationOf } from '../database/rules.ts'
import { balanceChecks } from '../database/schema.ts'
import type { CalendarDate } from '../domain/dates.ts'
import type { ExpectedVersions } from '../domain/types.ts'
import type { Draft } from '../failures/draft.ts'
import type { BalanceCheckUpdate } from './contract.ts'
import { changedBase, dayRules, withPossibleDate } from './new-check.ts'
import { type BalanceCheck, checkPrecondition, requireCheck, selectCheck } from './read.ts'

const otherAccount = 'The :field field cannot be changed.'

/**
 * Changes only the fields that were sent. With another date or balance, it is compared anew, as a check that a person has
 * entered now. Throws NotFound, Forbidden, VersionConflict, Invalid, Reconciled.
 */
export async function updateCheck(
  owner: Owner,
  id: number,
  draft: Draft<BalanceCheckUpdate>,
  expected: ExpectedVersions,
): Promise<BalanceCheck> {
  const { complete, values, errors } = await withPossibleDate(owner, draft)
  const { override_reconciled, account_id, ...sent } = values
  const { isCurrentRow, conflictingRow } = checkPrecondition(owner, id, expected)
  const accountId = sql`balance_checks.account_id`
  const date = sent.date === undefined ? sql`balance_checks.date` : sql`${sent.date}`
  const balance =
    sent.balance === undefined ? sql`balance_checks.balance` : sql`cast(${sent.balance} as integer)`
  const rules = [
    ...dayRules(accountId, date, sql`taken.id <> ${id}`),
    ...(account_id === undefined
      ? []
      : [rule('account_id', otherAccount, sql`${accountId} = ${account_id}`)]),
  ]
  const through = override_reconciled
    ? sql<null>`null`
    : sql<CalendarDate | null>`iif((balance_checks.date, balance_checks.balance) is (${date}, ${balance}), null, ${lockOfCheck})`
  const results = await owner.run({
    owned: owner.db
      .select({ isOwn: isOwnColumn(owner, balanceChecks), ruleFlags: ruleFlags(rules), through })
      .from(balanceChecks)
      .where(existingRow(balanceChecks, id)),
    conflictingRow,
    updated: owner.db
      .update(balanceChecks)
      .set({
        ...toColumns(sent),
        ...changedBase(accountId, date, balance),
        version: sql`${balanceChecks.version} + 1`,
        updatedAt: owner.now,
      })
      .where(and(isCurrentRow, complete ? allHold(rules) : sql`false`, sql`${through} is null`))
      .returning({ id: balanceChecks.id }),
    ...selectCheck(owner, id),
  })
  const check = requireCheck(id, results)
  if (results.updated.length === 0)
    throw withLock(violationOf(rules, results.owned, errors), results.owned[0]?.through, 'date')
  return check
}
