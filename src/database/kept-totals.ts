import { type SQL, sql } from 'drizzle-orm'
import { maxTotal } from '../shared/money.ts'
import { hasLiveAccounts } from './live-accounts.ts'

/*
 * Keeps the figures for many rows at once: what moved on each account, how many rows it has, and `totals`. Triggers do
 * the same for single rows (migrations/0001_triggers.sql). They ignore synced and imported rows when these are
 * inserted, and the rows of an import without an owner when these are deleted.
 */

/**
 * The statements that count rows just inserted in bulk: each account and each total is written once. `rows` is a
 * condition on the user's transactions. If a balance or total would exceed its bounds, a CHECK named `…_in_bounds` fails.
 */
export function countRows(userId: SQL, rows: SQL): SQL[] {
  return [...addFigures(rows, sql`1`), failIfOutOfBounds(userId, rows)]
}

/**
 * The statements that take rows out of the figures, before the rows are deleted in bulk. They fail as those of
 * `countRows` do.
 */
export function discountRows(userId: SQL, rows: SQL): SQL[] {
  const counted = sql`${rows} and ${hasLiveAccounts}`
  const empty = sql`user_id = ${userId} and month in (${monthsOf(counted)}) and transaction_count = 0`
  return [
    ...addFigures(counted, sql`-1`),
    sql`delete from totals where ${empty}`,
    failIfOutOfBounds(userId, counted),
  ]
}

/** Adds up in two parts, since what moves in and out of an account can exceed 2^63 before it cancels out. */
export const sumOf = (amount: SQL) => sql`(sum(${amount} >> 20) * 1048576 + sum(${amount} & 1048575))`

const monthsOf = (rows: SQL) =>
  sql`select distinct substr(transaction_date, 1, 7) from transactions where ${rows}`

function addFigures(rows: SQL, sign: SQL): SQL[] {
  return [
    sql`
    update accounts
       set moved = accounts.moved + ${sign} * change.amount,
           transaction_count = transaction_count + ${sign} * change.own,
           incoming_count = incoming_count + ${sign} * change.incoming
      from (select id, ${sumOf(sql`amount`)} as amount, sum(own) as own, sum(incoming) as incoming
              from (select account_id as id, iif(type = 'income', amount, -amount) as amount, 1 as own, 0 as incoming
                      from transactions where ${rows}
                    union all
                    select to_account_id, amount, 0, 1 from transactions where to_account_id is not null and ${rows})
             group by id) change
     where accounts.id = change.id`,
    sql`
    insert into totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
    select added.user_id, substr(transaction_date, 1, 7), added.type, coalesce(categories.id, 0), account_id,
           coalesce(to_account_id, 0), ${sign} * ${sumOf(sql`amount`)}, ${sign} * count(*)
      from (select * from transactions where ${rows}) added
      left join categories on categories.id = category_id and categories.user_id is not null
     where true group by 1, 2, 3, 4, 5, 6
    on conflict do update set
      total = total + excluded.total, transaction_count = transaction_count + excluded.transaction_count`,
  ]
}

/** At most this many totals are added up to check the bounds of months, so a user with more is checked only in part. */
const mostTotals = 50_000

/**
 * The statement that fails if the sum of the user's balances, or a total of the rows' months, is out of bounds: it inserts
 * such an amount, which the CHECK of `totals` refuses, and otherwise nothing.
 */
export function failIfOutOfBounds(userId: SQL, rows: SQL): SQL {
  const sumOfBalances = sql`select sum(balance) as amount from accounts where user_id = ${userId}`
  const totalsOfMonths = sql`
    select total(total)
      from (select month, type, total from totals
             where user_id = ${userId} and (month, type) in (
               select distinct substr(transaction_date, 1, 7), type from transactions
                where type <> 'transfer' and ${rows})
             limit ${sql.raw(String(mostTotals))})
     group by month, type`
  return sql`
    insert into totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
    select ${userId}, '', '', 0, 0, 0, amount, 0 from (${sumOfBalances} union all ${totalsOfMonths})
     where abs(amount) > ${sql.raw(String(maxTotal))}`
}
