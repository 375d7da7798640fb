import { type SQL, sql } from 'drizzle-orm'
import { sumOf } from '../database/kept-totals.ts'
import { hasLiveAccounts } from '../database/live-accounts.ts'

/**
 * The balance of an account at the end of a day, by the bank's days (transactions/booked-days.ts), in SQL; NULL if there is
 * no such account. It is the balance of now without what moved later: whole months from kept totals, and the rows of the rest
 * of the month. It is not bounded as the balance of now is, and beyond SQLite's integers it becomes a float.
 */
export function balanceOn(accountId: SQL, day: SQL): SQL {
  const isInRest = sql`transaction_date > ${day} and transaction_date <= substr(${day}, 1, 7) || '-31' and ${hasLiveAccounts}`
  // The plus makes SQLite search by month: the account has totals in many.
  const isLaterTotal = sql`totals.user_id = account.user_id and month > substr(${day}, 1, 7)`
  const isCountedOtherwise = (bookedOn: SQL) =>
    sql`${bookedOn} is not null and (transaction_date > ${day}) <> (${bookedOn} > ${day}) and ${hasLiveAccounts}`
  const own = sql`iif(type = 'income', amount, -amount)`
  const correction = sql`iif(transaction_date > ${day}, -1, 1)`
  return sql`(
    select account.balance - coalesce((
      select ${sumOf(sql`effect`)} from (
        select iif(type = 'income', total, -total) as effect from totals where ${isLaterTotal} and +account_id = account.id
        union all
        select total from totals where ${isLaterTotal} and +to_account_id = account.id
        union all
        select ${own} from transactions where account_id = account.id and ${isInRest}
        union all
        select amount from transactions where to_account_id = account.id and ${isInRest}
        union all
        select ${own} * ${correction} from transactions
         where account_id = account.id and ${isCountedOtherwise(sql`booked_on`)}
        union all
        select amount * ${correction} from transactions
         where to_account_id = account.id and ${isCountedOtherwise(sql`to_booked_on`)})), 0)
      from accounts account where account.id = ${accountId})`
}
