import { and, eq, type SQL, sql } from 'drizzle-orm'
import { rightStartingBalance } from '../balance-checks/candidates.ts'
import { changedBase, newBase, newCheckRules } from '../balance-checks/new-check.ts'
import { type BalanceCheck, checksOf, selectChecks, stateOf } from '../balance-checks/read.ts'
import { insertWhere } from '../database/insert-where.ts'
import type { Owner } from '../database/owner.ts'
import { lockOfCheck } from '../database/reconciled.ts'
import { allHold } from '../database/rules.ts'
import type { Results } from '../database/run.ts'
import { accounts, balanceChecks, type StoredImportResponse } from '../database/schema.ts'
import type { Minor } from '../domain/money.ts'
import type { AccountBalance, ImportFile } from './import-file.ts'

/**
 * The statements that store the balances of a statement as checks of its account, once its rows are stored. They replace
 * those of an earlier file, but none that a person has entered. `importId` is NULL if nothing is imported.
 */
export function storeChecks(owner: Owner, { checks: balances }: ImportFile, importId: SQL) {
  const [first] = balances
  if (!first) return { checksStored: [], checks: [], entries: [], starts: [] }
  const { db, id: userId } = owner
  const { checks, entries } = selectChecks(owner, eq(accounts.id, first.accountId))
  return {
    checksStored: balances.flatMap((balance) => storeCheck(owner, balance, importId)),
    checks: [checks],
    entries: [entries],
    starts: [
      db
        .select({ startingBalance: accounts.startingBalance })
        .from(accounts)
        .where(and(eq(accounts.id, first.accountId), eq(accounts.userId, userId))),
    ],
  }
}

function storeCheck({ db, id: userId, now }: Owner, check: AccountBalance, importId: SQL) {
  const [accountId, date, balance] = [
    sql`${check.accountId}`,
    sql`${check.date}`,
    sql`cast(${check.balance} as integer)`,
  ]
  const row = {
    userId,
    accountId: check.accountId,
    date: check.date,
    balance: check.balance,
    ...newBase(accountId, date, balance),
    source: 'import' as const,
    importId,
    createdAt: now,
    updatedAt: now,
  }
  const rules = newCheckRules(userId, accountId, date)
  const isOwn = sql`exists (select 1 from ${accounts} where id = ${accountId} and user_id = ${userId})`
  const { source: _, ...replaced } = changedBase(sql`balance_checks.account_id`, date, balance)
  return [
    db
      .update(balanceChecks)
      .set({ ...replaced, balance: check.balance, importId, version: sql`version + 1`, updatedAt: now })
      .where(
        sql`account_id = ${accountId} and user_id = ${userId} and date = ${date} and source = 'import'
          and balance <> ${balance} and ${importId} is not null and ${lockOfCheck} is null`,
      ),
    insertWhere(db, balanceChecks, row, and(sql`${importId} is not null`, isOwn, allHold(rules)) as SQL),
  ]
}

type Found = Results<ReturnType<typeof storeChecks>>

/** What the response says of the checks, and of the starting balance that would make all checks of the account right. */
export function storedChecks(
  { checks: balances }: ImportFile,
  { checks, entries, starts }: Pick<Found, 'checks' | 'entries' | 'starts'>,
): NonNullable<StoredImportResponse['checked']> {
  if (balances.length === 0) return { checks: [], startingBalance: null }
  const all = checksOf({ checks: checks.flat(), entries: entries.flat() })
  const shown = balances.flatMap(({ date, balance }) => {
    const own = all.find((one) => one.date === date)
    return own ? [shownCheck(own, balance)] : []
  })
  const [start] = starts.flat()
  const right = start ? rightStartingBalance(all, start.startingBalance) : null
  return { checks: shown, startingBalance: right === null ? null : String(right) }
}

function shownCheck(own: BalanceCheck, file: Minor) {
  const { id, date, balance, difference } = own
  if (balance !== file) return { id, date, balance, file }
  return { id, date, balance, difference: String(difference), state: stateOf(own) }
}
