import { type SQL, sql } from 'drizzle-orm'
import { maxTotal } from '../shared/money.ts'
import { hasLiveAccounts } from './live-accounts.ts'

/*
 * Updates the kept figures (balances and counts of accounts, and `totals`) after bulk writes. For single rows, triggers do
 * (migrations/0001_triggers.sql); they ignore inserts of synced and imported rows and deletes of an import without an owner.
 */

/**
 * The statements that add rows just inserted to the kept figures. `rows` is a condition on the user's transactions. A CHECK
 * named `…_in_bounds` fails if a balance or total would exceed its bounds.
 */
export function addToTotals(userId: SQL, rows: SQL): SQL[] {
  return [...addFigures(rows, sql`1`), failIfOutOfBounds(userId, rows)]
}

/** The statements that subtract rows from the kept figures, before the rows are deleted. They fail as in `addToTotals`. */
export function subtractFromTotals(userId: SQL, rows: SQL): SQL[] {
  const counted = sql`${rows} and ${hasLiveAccounts}`
  const months = sql`select distinct substr(transaction_date, 1, 7) from transactions where ${counted}`
  return [
    ...addFigures(counted, sql`-1`),
    sql`delete from totals where user_id = ${userId} and month in (${months}) and transaction_count = 0`,
    failIfOutOfBounds(userId, counted),
  ]
}

/** A sum in two parts, since an intermediate result of amounts in and out can exceed 2^63. */
export const sumOf = (amount: SQL) => sql`(sum(${amount} >> 20) * 1048576 + sum(${amount} & 1048575))`

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

/** The most totals that the check of bounds adds up. A user with more is checked only in part. */
const maxTotalsChecked = 50_000

/**
 * The statement that fails if the sum of the user's balances, or a total of the rows' months, is out of bounds: it inserts
 * such an amount, which violates the CHECK of `totals`, and otherwise nothing.
 */
export function failIfOutOfBounds(userId: SQL, rows: SQL): SQL {
  const sumOfBalances = sql`select sum(balance) as amount from accounts where user_id = ${userId}`
  const totalsOfMonths = sql`
    select total(total)
      from (select month, type, total from totals
             where user_id = ${userId} and (month, type) in (
               select distinct substr(transaction_date, 1, 7), type from transactions
                where type <> 'transfer' and ${rows})
             limit ${sql.raw(String(maxTotalsChecked))})
     group by month, type`
  return sql`
    insert into totals (user_id, month, type, category_id, account_id, to_account_id, total, transaction_count)
    select ${userId}, '', '', 0, 0, 0, amount, 0 from (${sumOfBalances} union all ${totalsOfMonths})
     where abs(amount) > ${sql.raw(String(maxTotal))}`
}
