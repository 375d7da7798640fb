import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import { jsonRow } from '../database/json-row.ts'
import type { Owner, UserScope } from '../database/owner.ts'
import { ownRow, precondition, requireComplete, requirePrecondition } from '../database/ownership.ts'
import type { Results } from '../database/run.ts'
import { accounts, balanceChecks, reconciliationLog } from '../database/schema.ts'
import { exactSum } from '../database/wide-sums.ts'
import type { ExpectedVersions } from '../domain/types.ts'
import type { Draft } from '../failures/draft.ts'
import { NotFound, TooBusy } from '../failures/failures.ts'
import type { BalanceCheckQuery } from './contract.ts'
import { type Checked, type Entry, type Story, storyOf } from './story.ts'

/** The columns of a check that responses show, without its difference. */
export const checkColumns = {
  id: balanceChecks.id,
  accountId: balanceChecks.accountId,
  date: balanceChecks.date,
  balance: balanceChecks.balance,
  source: balanceChecks.source,
  importId: balanceChecks.importId,
  clientId: balanceChecks.clientId,
  version: balanceChecks.version,
}

export type CheckRow = Pick<typeof balanceChecks.$inferSelect, keyof typeof checkColumns>

/** A check with its difference. */
export type BalanceCheck = CheckRow & Pick<Checked, 'difference'> & Pick<Story, 'wasOk' | 'brokenAt'>

// Amounts that may be beyond the integers that the driver reads are selected in two parts.
const checkedColumns = {
  ...checkColumns,
  high: sql<number>`(balance_checks.base >> 20)`,
  low: sql<number>`(balance_checks.base & 1048575)`,
  movedHigh: sql<number>`(balance_checks.moved >> 20)`,
  movedLow: sql<number>`(balance_checks.moved & 1048575)`,
  startingBalance: sql<number>`accounts.starting_balance`,
  afterEntry: balanceChecks.afterEntry,
}
const entryColumns = {
  id: reconciliationLog.id,
  accountId: reconciliationLog.accountId,
  date: reconciliationLog.date,
  high: sql<number>`(reconciliation_log.effect >> 20)`,
  low: sql<number>`(reconciliation_log.effect & 1048575)`,
  transactionId: reconciliationLog.transactionId,
  importId: reconciliationLog.importId,
  writeId: sql<number>`reconciliation_log.write_id`,
  count: reconciliationLog.count,
  at: reconciliationLog.at,
}
const detailColumns = {
  ...entryColumns,
  op: reconciliationLog.op,
  before: reconciliationLog.before,
  after: reconciliationLog.after,
  byKind: sql<NonNullable<(typeof reconciliationLog.$inferSelect)['byKind']>>`reconciliation_log.by_kind`,
  byName: reconciliationLog.byName,
  tokenId: reconciliationLog.tokenId,
  cause: reconciliationLog.cause,
}

/** More entries are only there for a minute, until the job trims the log (trim.ts): they would not fit into a response. */
const maxEntries = 20_000

/** Selects all checks of accounts of the user, oldest day first, and the entries of the log about them. */
function selectLedger<Columns extends typeof entryColumns>(
  { db, id }: UserScope,
  whichAccounts: SQL | undefined,
  columns: Columns,
) {
  const own = and(eq(accounts.userId, id), whichAccounts)
  const oldest = sql`(select min(after_entry) from balance_checks oldest where oldest.account_id = accounts.id)`
  return {
    checks: db
      .select({ row: jsonRow(checkedColumns) })
      .from(accounts)
      .crossJoin(balanceChecks)
      .where(and(own, eq(balanceChecks.accountId, accounts.id)))
      .orderBy(asc(balanceChecks.accountId), asc(balanceChecks.date)),
    entries: db
      .select({ row: jsonRow(columns) })
      .from(accounts)
      .crossJoin(reconciliationLog)
      .where(and(own, eq(reconciliationLog.accountId, accounts.id), sql`${reconciliationLog.id} > ${oldest}`))
      .orderBy(asc(reconciliationLog.accountId), asc(reconciliationLog.id))
      .limit(maxEntries + 1),
  }
}

/** The statements that read the checks of the user, of all accounts or of those that match, for `checksOf`. */
export const selectChecks = (owner: UserScope, whichAccounts?: SQL) =>
  selectLedger(owner, whichAccounts, entryColumns)

/** The same, with the details of the entries. */
export const selectExplainedChecks = (owner: UserScope, whichAccounts: SQL) =>
  selectLedger(owner, whichAccounts, detailColumns)

/** The accounts of checks that match a condition, which is a condition for `selectChecks`. */
export const accountsOf = (checks: SQL) =>
  sql`${accounts.id} in (select account_id from ${balanceChecks} where ${checks})`

type Found<Row> = { checks: Results<ReturnType<typeof selectChecks>>['checks']; entries: { row: Row }[] }

/** The checks that were read, with what their differences consist of. Throws TooBusy. */
export function explainedChecksOf<Row extends Omit<Entry, 'effect'> & { high: number; low: number }>(
  found: Found<Row>,
) {
  if (found.entries.length > maxEntries) throw new TooBusy()
  const entries = found.entries.map(({ row }) => ({ ...row, effect: exactSum(row) }))
  const logged = Map.groupBy(entries, ({ accountId }) => accountId)
  const moved = new Map<number, bigint>()
  return found.checks.map(({ row }) => {
    const sum = (moved.get(row.accountId) ?? 0n) + exactSum({ high: row.movedHigh, low: row.movedLow })
    moved.set(row.accountId, sum)
    const difference = BigInt(row.startingBalance) + sum - BigInt(row.balance)
    const check: CheckRow & Checked = { ...row, difference, base: exactSum(row) }
    return { ...check, ...storyOf(check, logged.get(row.accountId) ?? []) }
  })
}

export const checksOf = (found: Results<ReturnType<typeof selectChecks>>): BalanceCheck[] =>
  explainedChecksOf(found)

/** Returns the user's checks, by account and day. Throws Invalid. */
export async function listChecks(owner: Owner, draft: Draft<BalanceCheckQuery>): Promise<BalanceCheck[]> {
  const { account_id, state } = await requireComplete(owner, draft)
  const which = account_id === undefined ? undefined : eq(accounts.id, account_id)
  const all = checksOf(await owner.run(selectChecks(owner, which)))
  return state === undefined ? all : all.filter((check) => stateOf(check) === state)
}

export function stateOf({ difference }: Pick<BalanceCheck, 'difference'>) {
  return difference === 0n ? ('ok' as const) : ('broken' as const)
}

/** The statements that read the check of the user with this id, among those of its account. */
export const selectCheck = (owner: UserScope, id: number) =>
  selectChecks(owner, accountsOf(ownRow(owner, balanceChecks, id)))

/** The precondition of a write to a check (see `precondition`): `conflictingRow` has its id alone. */
export function checkPrecondition(owner: Owner, id: number, expected: ExpectedVersions) {
  const select = (row: SQL) => owner.db.select({ id: balanceChecks.id }).from(balanceChecks).where(row)
  return precondition(owner, balanceChecks, id, expected, select)
}

/** Returns the check, from the results of a precondition and `selectCheck`. Throws NotFound, Forbidden, VersionConflict. */
export function requireCheck(
  id: number,
  { owned, conflictingRow, ...found }: PreconditionResults & Results<ReturnType<typeof selectChecks>>,
): BalanceCheck {
  const check = checksOf(found).find((one) => one.id === id)
  const isConflict = conflictingRow.flat().length > 0
  requirePrecondition(balanceChecks, { owned, conflictingRow: isConflict && check ? [[check]] : [] })
  if (!check) throw new NotFound('Balance check')
  return check
}
type PreconditionResults = { owned: { isOwn: number }[]; conflictingRow: { id: number }[][] }
