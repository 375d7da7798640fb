import { type SQL, sql } from 'drizzle-orm'
import { maxTotal } from '../domain/money.ts'
import { hasLiveAccounts } from './live-accounts.ts'

/*
 * Updates the kept figures (balances and counts of accounts, `totals`, and what moves accounts between balance checks) after
 * bulk writes. For single rows, triggers do (triggers/kept-totals.sql, triggers/balance-checks.sql); they ignore inserts of
 * synced and imported rows and deletes of an import without an owner. So it is with the log of changes on or before the days
 * of balance checks; the triggers also log changes in a reconciled period.
 *
 * The triggers tell bulk inserts by `is_synced` and `import_id`, which the rows carry anyway: a row in a table of guards, as
 * `upload_steps` is for changes, would be written and deleted for each batch and file, and read for each single row.
 */

/**
 * The statements that add rows just inserted to the kept figures. `rows` is a condition on the user's transactions. A CHECK
 * named `…_in_bounds` fails if a balance or total would exceed its bounds.
 */
export function addToTotals(userId: SQL, rows: SQL): SQL[] {
  return [
    ...addFigures(rows, sql`1`),
    ...addToChecks(userId, rows, 'created'),
    failIfOutOfBounds(userId, rows),
  ]
}

/** The statements that subtract rows from the kept figures, before the rows are deleted. They fail as in `addToTotals`. */
export function subtractFromTotals(userId: SQL, rows: SQL): SQL[] {
  const counted = sql`${rows} and ${hasLiveAccounts}`
  const months = sql`select distinct substr(transaction_date, 1, 7) from transactions where ${counted}`
  return [
    ...addFigures(counted, sql`-1`),
    ...addToChecks(userId, counted, 'deleted'),
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

/** The id of the first check that a change on `day` concerns: its sum has it. Null if there is none. */
const nextCheck = (accountId: SQL, day: SQL) => sql`(
  select id from balance_checks checked
   where checked.account_id = ${accountId} and checked.date >= ${day} order by checked.date limit 1)`

/** True if the user has any balance check. */
const hasChecks = (userId: SQL) => sql`exists (
  select 1 from accounts cross join balance_checks on account_id = accounts.id where accounts.user_id = ${userId})`

const now = sql`cast(unixepoch('subsec') * 1000 as integer)`

/** Adds what `parts` move (columns next_check and effect) to the sums of the checks. */
const addToSums = (parts: SQL) => sql`
  update balance_checks set moved = moved + part.effect
    from (select next_check, ${sumOf(sql`effect`)} as effect from (${parts}) where next_check is not null group by 1) part
   where balance_checks.id = part.next_check`

/** Adds rows to the sums of checks, or subtracts them, and logs an entry for each account and span between two of its checks. */
function addToChecks(userId: SQL, rows: SQL, op: 'created' | 'deleted'): SQL[] {
  const [sign, row] = op === 'created' ? [sql``, sql`"after"`] : [sql`-`, sql`"before"`]
  const written = sql`(select * from transactions where ${rows} and ${hasChecks(userId)})`
  const fields = sql`json_object(
    'type', type, 'amount', amount, 'transaction_date', transaction_date, 'account_id', account_id, 'to_account_id', to_account_id)`
  const parts = sql`
    select *, ${nextCheck(sql`side.account_id`, sql`side.day`)} as next_check
      from (select id, account_id, coalesce(booked_on, transaction_date) as day,
                   ${sign}iif(type = 'income', amount, -amount) as effect, ${fields} as fields from ${written}
            union all
            select id, to_account_id, coalesce(to_booked_on, transaction_date), ${sign}amount, ${fields}
              from ${written} where to_account_id is not null) side`
  return [
    addToSums(parts),
    sql`
    insert into reconciliation_log (user_id, account_id, date, effect, transaction_id, op, count, ${row}, at)
    select ${userId}, account_id, max(day), ${sumOf(sql`effect`)}, iif(count(*) = 1, max(id), null), ${op}, count(*),
           iif(count(*) = 1, max(fields), null), ${now}
      from (${parts}) where next_check is not null group by account_id, next_check having ${sumOf(sql`effect`)} <> 0`,
  ]
}

/**
 * Takes the transfers of the user's accounts whose ids a query selects from the sums of other accounts' checks, and logs
 * that, before these accounts lose their owner: an entry for each span between two checks. Whole months are read from the
 * totals; rows only in months that a check divides, and where the bank's day is another.
 */
export function subtractAccounts(userId: SQL, ids: SQL): SQL[] {
  const parts = sql`
    select *, ${nextCheck(sql`part.partner_id`, sql`part.day`)} as next_check from (${transfersOf(userId, ids)}) part`
  return [
    addToSums(parts),
    sql`
    insert into reconciliation_log (user_id, account_id, date, effect, op, count, at)
    select ${userId}, partner_id, max(day), ${sumOf(sql`effect`)}, 'account_deleted', sum(transfers), ${now}
      from (${parts}) where next_check is not null group by partner_id, next_check having ${sumOf(sql`effect`)} <> 0`,
  ]
}

/** The transfers that other accounts with checks lose: columns partner_id, day, effect, and their number. */
function transfersOf(userId: SQL, ids: SQL): SQL {
  const inMonth = sql`transaction_date between divided.month || '-01' and divided.month || '-31'`
  const isPartner = (id: SQL) => sql`${id} in (select id from partner)`
  const isWhole = (id: SQL) => sql`(${id}, totals.month) not in (select partner_id, month from divided)`
  /** Moves the effect of rows from their own day to the bank's. */
  const moved = (amount: SQL, bookedOn: SQL) =>
    sql`iif(at_bank, ${bookedOn}, transaction_date), iif(at_bank, ${amount}, -(${amount})), iif(at_bank, 1, -1)`
  const days = sql`(select true as at_bank union all select false)`
  return sql`
    with gone(id) as materialized (${ids}), partner as materialized (
      select id from accounts
       where user_id = ${userId} and id not in (select id from gone)
         and exists (select 1 from balance_checks where account_id = accounts.id)
    ), divided as materialized (
      select distinct account_id as partner_id, substr(date, 1, 7) as month from balance_checks
       where ${isPartner(sql`account_id`)} and date <> date(substr(date, 1, 7) || '-01', '+1 month', '-1 day')
    ), part(partner_id, day, effect, transfers) as (
      select to_account_id, month || '-01', -total, transaction_count
        from gone cross join totals indexed by totals_account on user_id = ${userId} and account_id = gone.id
       where type = 'transfer' and ${isPartner(sql`to_account_id`)} and ${isWhole(sql`to_account_id`)}
      union all
      select account_id, month || '-01', total, transaction_count
        from gone cross join totals indexed by totals_to_account
          on user_id = ${userId} and to_account_id = gone.id and to_account_id <> 0
       where ${isPartner(sql`account_id`)} and ${isWhole(sql`account_id`)}
      union all
      select partner_id, transaction_date, -amount, 1
        from divided cross join gone cross join transactions on account_id = gone.id and ${inMonth} and to_account_id = partner_id
      union all
      select partner_id, transaction_date, amount, 1
        from divided cross join gone cross join transactions on to_account_id = gone.id and ${inMonth} and account_id = partner_id
      union all
      select partner.id, ${moved(sql`-amount`, sql`to_booked_on`)}
        from partner cross join transactions on to_account_id = partner.id and to_booked_on is not null cross join ${days}
       where account_id in (select id from gone)
      union all
      select partner.id, ${moved(sql`amount`, sql`booked_on`)}
        from partner cross join transactions on account_id = partner.id and booked_on is not null cross join ${days}
       where to_account_id in (select id from gone)
    )
    select partner_id, day, effect, transfers from part`
}
