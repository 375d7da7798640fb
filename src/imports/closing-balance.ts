import { type SQL, sql } from 'drizzle-orm'
import { balanceOn } from '../balance-checks/balance-on.ts'
import type { UserScope } from '../database/owner.ts'
import { accounts } from '../database/schema.ts'
import type { CalendarDate } from '../domain/dates.ts'
import { type Minor, maxTotal } from '../domain/money.ts'
import type { ImportFile } from './import-file.ts'

/**
 * Selects an account's balance at the end of a day. It is not bounded, so it is read as a float: reading an integer past
 * 2^53 would fail, after the commit.
 */
export function selectBalanceOn(
  owner: UserScope,
  { accountId, date }: { accountId: number; date: CalendarDate },
): SQL {
  return sql`
    select cast(${balanceOn(sql`${accounts.id}`, sql`${date}`)} as real) as balance
      from ${accounts} where ${accounts.id} = ${accountId} and ${accounts.userId} = ${owner.id}`
}

/** Null if the file gives no closing balance, or if the account's on that day is out of bounds: only today's is within. */
export function compareClosing({ closing }: ImportFile, [row]: { balance: number | null }[]) {
  const balance = row?.balance ?? null
  return !closing || balance === null || Math.abs(balance) > maxTotal
    ? null
    : { date: closing.date, statement: closing.balance, account: balance as Minor }
}
