import { type SQL, sql } from 'drizzle-orm'
import { hasLiveAccountsInBulk } from '../database/live-accounts.ts'
import type { UserScope } from '../database/owner.ts'
import { accounts } from '../database/schema.ts'
import type { CalendarDate } from '../shared/dates.ts'
import { type Minor, maxTotal } from '../shared/money.ts'
import { maxRowsBack } from './contract.ts'
import type { ImportFile } from './import-file.ts'

/**
 * Selects the account's balance at the end of the closing date: today's without the later rows, or null if there are too
 * many of these. It is not bounded, so it is added up by total(), which adds integers exactly and returns a float:
 * reading an integer past 2^53 would fail, after the commit. Today's balance is part of the sum, since the later rows
 * alone may pass 2^53.
 */
export function balanceAt(
  owner: UserScope,
  { accountId, date: day }: { accountId: number; date: CalendarDate },
): SQL {
  const isLater = sql`transaction_date > ${day} and ${hasLiveAccountsInBulk(owner)}`
  const later = sql`
    select iif(type = 'income', -amount, amount) from transactions where account_id = accounts.id and ${isLater}
     union all
    select -amount from transactions where to_account_id = accounts.id and ${isLater}
     union all
    ${bookedOtherwise(owner, day)}
     limit ${maxRowsBack + 1}`
  // One of the counted rows is today's balance.
  return sql`
    select (select iif(count(*) - 1 > ${maxRowsBack}, null, total(moved))
              from (select accounts.balance as moved union all select * from (${later}))) as balance
      from accounts where ${accounts.id} = ${accountId} and user_id = ${owner.id}`
}

/**
 * Rows that the bank booked by the end of a day although the transaction with which they were joined is dated later, or the
 * other way round. One of the two is later than that day, so it is enough to look at later rows, existing or original.
 * If several rows were joined with one transaction, the last of them counts.
 */
function bookedOtherwise(owner: UserScope, day: CalendarDate): SQL {
  const isLater = sql`transaction_date > ${day}`
  const later = sql`
    select id from transactions where account_id = accounts.id and ${isLater}
     union all
    select id from transactions where to_account_id = accounts.id and ${isLater}
     union all
    select merged_into_id from imported_originals where user_id = ${owner.id} and account_id = accounts.id and ${isLater}`
  const amount = sql`iif(gone.type = 'income', transactions.amount, -transactions.amount)`
  return sql`
    select iif(transactions.${isLater}, ${amount}, -${amount})
      from (select *, max(seq) from (${later}) later
             cross join imported_originals gone indexed by imported_originals_merged_into on user_id = ${owner.id} and merged_into_id = later.id
             where account_id = accounts.id and joined_id <> gone.id and import_id is not null group by merged_into_id) gone
     cross join transactions on transactions.id = gone.merged_into_id
     where accounts.id in (transactions.account_id, transactions.to_account_id)
       and (gone.${isLater}) <> (transactions.${isLater}) and ${hasLiveAccountsInBulk(owner)}`
}

/**
 * Null if the file gives no closing balance, or if the account's on that day is unknown or out of bounds: only today's is
 * sure to be within them.
 */
export function compareClosing({ closing }: ImportFile, [row]: { balance: number | null }[]) {
  const balance = row?.balance ?? null
  return !closing || balance === null || Math.abs(balance) > maxTotal
    ? null
    : { date: closing.date, statement: closing.balance, account: balance as Minor }
}
