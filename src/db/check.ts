import { type SQL, sql } from 'drizzle-orm'
import { runBatch } from './batch.ts'
import type { Database } from './client.ts'

/** A kept figure that disagrees with the rows, or a reference to another user's row. Amounts are in minor units. */
export type Difference = { what: string; key: string; kept: number | null; actual: number | null }

/** Recomputes every kept balance, count and total from the rows, in one round trip, and returns what disagrees. */
export async function findDifferences(db: Database): Promise<Difference[]> {
  const queries = [accountFigures, userFigures, monthFigures, categoryFigures, strayReferences]
  const { differences } = await runBatch(db, {
    differences: queries.map((query) => db.all<Difference>(query)),
  })
  return differences.flat()
}

/** Added up in two parts, since what has moved in and out of an account can pass 2^63. */
const sumOf = (amount: SQL) => sql`(sum(${amount} >> 20) * 1048576 + sum(${amount} & 1048575))`

/** What each transaction adds to each account it touches. */
const movements = sql`
  select account_id as id, iif(type = 'income', amount, -amount) as moved from transactions
  union all
  select to_account_id, amount from transactions where to_account_id is not null`

const accountFigures = sql`
  with account as materialized (
    select accounts.id, balance, starting_balance + coalesce(${sumOf(sql`m.moved`)}, 0) as actual_balance,
           transaction_count, count(m.id) as actual_count
      from accounts left join (${movements}) m on m.id = accounts.id
     group by accounts.id
  )
  select 'account balance' as what, 'account ' || id as key, balance as kept, actual_balance as actual
    from account where kept <> actual
  union all
  select 'transactions of account', 'account ' || id, transaction_count as kept, actual_count as actual
    from account where kept <> actual`

const userFigures = sql`
  select 'total balance' as what, 'user ' || users.id as key, users.balance as kept,
         (select coalesce(${sumOf(sql`balance`)}, 0) from accounts where user_id = users.id) as actual
    from users where kept <> actual
  union all
  select 'transaction count', 'user ' || users.id, users.transaction_count as kept,
         (select count(*) from transactions where user_id = users.id) as actual
    from users where kept <> actual`

const monthFigures = sql`
  with actual as (
    select user_id, substr(transaction_date, 1, 7) as month, type, ${sumOf(sql`amount`)} as total, count(*) as rows
      from transactions where type <> 'transfer' group by 1, 2, 3
  ), kept as (
    select user_id, month, 'income' as type, income as total, transaction_count as rows from month_totals where income <> 0
    union all
    select user_id, month, 'expense', expense, transaction_count from month_totals where expense <> 0
  )
  select 'month ' || type as what, 'user ' || user_id || ' ' || month as key, kept.total as kept, actual.total as actual
    from kept full join actual using (user_id, month, type)
   where kept.total is not actual.total
  union all
  select 'month count', 'user ' || m.user_id || ' ' || m.month, m.transaction_count as kept,
         (select coalesce(sum(rows), 0) from actual where user_id = m.user_id and month = m.month) as actual
    from month_totals m where kept <> actual or kept = 0`

const categoryFigures = sql`
  with actual as (
    select user_id, substr(transaction_date, 1, 7) as month, type, coalesce(category_id, 0) as category_id,
           ${sumOf(sql`iif(type = 'transfer', 0, amount)`)} as total, count(*) as rows
      from transactions group by 1, 2, 3, 4
  )
  select 'category ' || type as what, 'user ' || user_id || ' ' || month || ' category ' || category_id as key,
         kept.total as kept, actual.total as actual
    from category_totals kept full join actual using (user_id, month, type, category_id)
   where kept.total is not actual.total or kept.transaction_count is not actual.rows`

const strayReferences = sql`
  select 'reference to another user''s row' as what, 'transaction ' || t.id as key, t.user_id as kept, null as actual
    from transactions t
   where not exists (select 1 from accounts where id = t.account_id and user_id = t.user_id)
      or t.to_account_id is not null and not exists (select 1 from accounts where id = t.to_account_id and user_id = t.user_id)
      or t.category_id is not null and not exists (select 1 from categories where id = t.category_id and user_id = t.user_id)`
