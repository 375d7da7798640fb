import { type SQL, sql } from 'drizzle-orm'
import { sumOf } from './kept-totals.ts'
import { hasLiveAccounts } from './live-accounts.ts'
import { type Database, runAll } from './run.ts'

/** A kept figure (a count, or minor units) that differs from the rows, or an invalid reference. */
export type Difference = { what: string; key: string; kept: number | null; actual: number | null }

/** Recomputes every kept balance, count and total, and checks every reference. Returns the differences. One round trip. */
export async function findDifferences(db: Database): Promise<Difference[]> {
  const queries = [
    accountFigures,
    totalFigures,
    sumsOfChecks,
    unnamedEntries,
    invalidReferences,
    invalidOriginals,
  ]
  const { differences } = await runAll(db, {
    // A batch of statements that begin with `select` takes no write lock.
    differences: queries.map((query) => db.all<Difference>(sql`select * from (${query})`)),
  })
  return differences.flat()
}

/** The figures of deleted users are not kept. */
const isOfUser = sql`user_id in (select id from users)`

/** All transactions, each with the category that it counts towards. */
const rows = sql`(
  select transactions.*, coalesce(categories.id, 0) as category
    from transactions left join categories on categories.id = category_id and categories.user_id is not null
   where transactions.${isOfUser} and ${hasLiveAccounts})`

/** The change that each transaction makes to each of its accounts. */
const movements = sql`
  select account_id as id, iif(type = 'income', amount, -amount) as moved, 1 as own, 0 as incoming from ${rows}
  union all
  select to_account_id, amount, 0, 1 from ${rows} where to_account_id is not null`

const accountFigures = sql`
  with account as materialized (
    select accounts.id, balance, starting_balance + coalesce(${sumOf(sql`m.moved`)}, 0) as actual_balance,
           transaction_count, coalesce(sum(own), 0) as actual_count,
           incoming_count, coalesce(sum(incoming), 0) as actual_incoming
      from accounts left join (${movements}) m on m.id = accounts.id
     where accounts.${isOfUser}
     group by accounts.id
  )
  select 'account balance' as what, 'account ' || id as key, balance as kept, actual_balance as actual
    from account where kept <> actual
  union all
  select 'transactions of account', 'account ' || id, transaction_count as kept, actual_count as actual
    from account where kept <> actual
  union all
  select 'transfers into account', 'account ' || id, incoming_count as kept, actual_incoming as actual
    from account where kept <> actual`

/** Kept and actual totals come from one union, since a join of the two would have no index. */
const totalFigures = sql`
  select 'total of ' || type as what,
         'user ' || user_id || ' ' || month || ' category ' || category_id || ' account ' || account_id || ' to ' || to_account_id as key,
         sum(kept) as kept, sum(actual) as actual
    from (select user_id, month, type, category_id, account_id, to_account_id, total as kept,
                 transaction_count as kept_rows, null as actual, null as actual_rows
            from totals where ${isOfUser}
          union all
          select user_id, substr(transaction_date, 1, 7), type, category, account_id, coalesce(to_account_id, 0), null, null,
                 ${sumOf(sql`amount`)}, count(*)
            from ${rows} group by 1, 2, 3, 4, 5, 6)
   group by user_id, month, type, category_id, account_id, to_account_id
  having sum(kept) is not sum(actual) or sum(kept_rows) is not sum(actual_rows)`

/** By how much each transaction moves each of its accounts, on the bank's day. */
const bankMovements = sql`
  select account_id, coalesce(booked_on, transaction_date) as day, iif(type = 'income', amount, -amount) as moved from ${rows}
  union all
  select to_account_id, coalesce(to_booked_on, transaction_date), amount from ${rows} where to_account_id is not null`

/** The movements of the account up to each check since the one before it. */
const sumsOfChecks = sql`
  with moved as materialized (
    select next_check, ${sumOf(sql`moved`)} as moved
      from (select moved, (select id from balance_checks later
                            where later.account_id = movement.account_id and later.date >= day
                            order by later.date limit 1) as next_check
              from (${bankMovements}) movement)
     where next_check is not null group by 1
  )
  select 'movements up to a balance check' as what, 'balance check ' || checks.id as key, checks.moved as kept,
         coalesce(moved.moved, 0) as actual
    from balance_checks checks
    join accounts on accounts.id = checks.account_id and accounts.${isOfUser}
    left join moved on moved.next_check = checks.id
   where kept <> actual`

/** Every entry of the log has a writer once its transaction is over. */
const unnamedEntries = sql`
  select 'entry of the log without a writer' as what, 'entry ' || id as key, account_id as kept, null as actual
    from reconciliation_log where by_kind is null or write_id is null`

/** A deleted account keeps its former owner, a deleted category has none. Deleted users are in `former_users` for a while. */
const invalidReferences = sql`
  select 'reference to another user''s row' as what, 'transaction ' || t.id as key, t.user_id as kept, null as actual
    from transactions t
   where t.user_id not in (select id from users union select id from former_users)
      or not exists (select 1 from accounts where id = t.account_id and coalesce(user_id, former_user_id) = t.user_id)
      or t.to_account_id is not null and not exists (
           select 1 from accounts where id = t.to_account_id and coalesce(user_id, former_user_id) = t.user_id)
      or t.category_id is not null and not exists (
           select 1 from categories where id = t.category_id and coalesce(user_id, t.user_id) = t.user_id)`

/** True unless the transaction exists, or was joined with another and can be restored. */
const isMissing = (id: SQL) => sql`not exists (
  select 1 from transactions where transactions.id = ${id} and user_id = r.user_id
  union all select 1 from imported_originals gone where gone.user_id = r.user_id and gone.id = ${id} and merged_into_id is not null)`

/** An imported original needs the transaction that replaces it, and a rejected match both of its transactions. */
const invalidOriginals = sql`
  select 'imported original without the transaction it is merged into' as what, 'transaction ' || id as key, merged_into_id as kept, null as actual
    from imported_originals
   where ${isOfUser} and merged_into_id is not null
     and not exists (select 1 from transactions where transactions.id = merged_into_id)
  union all
  select 'rejected match of a transaction that is gone', 'transactions ' || first_id || ' and ' || second_id, user_id, null
    from rejected_matches r
   where ${isOfUser} and (${isMissing(sql`r.first_id`)} or ${isMissing(sql`r.second_id`)})`
