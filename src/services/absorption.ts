import { type SQL, sql } from 'drizzle-orm'
import { hasLiveAccounts } from '../db/ownership.ts'
import { remembered } from '../db/schema.ts'
import { mostResembling } from './transactions/duplicates.ts'

/** A round of pairing: which items take part, which rows, and the reference on which both must agree. */
type Round = { items: SQL; rows: SQL; reference: SQL }

/** Items with a reference go first, since those without one fit any row. This way, as many as possible find a row. */
const rounds: Round[] = [
  { items: sql`reference is not null`, rows: sql`reference is not null`, reference: sql`reference` },
  { items: sql`reference is not null`, rows: sql`reference is null`, reference: sql`null` },
  { items: sql`reference is null`, rows: sql`true`, reference: sql`null` },
]

/** The client ids of items: a row that has one of them belongs to that item, and absorbs no other. */
const clientIds = sql`select client_id from item where client_id is not null and errors is null`

/** The items of a batch are compared with at most this many rows, plus three for each item. */
const mostResemblingInAll = 5_000

const fields = sql`account_id, to_account_id, type, amount, transaction_date, reference`

/**
 * Lets each row that existed before absorb one equal item without a client id (`isDuplicateOf` is the rule for a single
 * one): `absorbed` has the position of the item and the id of the row, below 0 if that is remembered. Rows with the
 * account, date and amount of any item are read once, however many items match them.
 *
 * Few CTEs are referred to more than once, since SQLite copies a CTE's query for each reference, and planning all the
 * copies took ten times as long as running the statement.
 */
export function absorbed(userId: SQL, recalls: Recalled | undefined): SQL {
  const paired = rounds.reduce(
    (unpaired, round) => sql`(${pairsOf(unpaired, round)})`,
    sql`(
        select position, null as id, ${fields}, null as is_free, null as pair from asking
        union all
        select null, id, ${fields}, is_free, null from absorbing
        ${recalls ? sql`union all select null, id, ${fields}, is_free, null from recalled` : sql``})`,
  )
  // Queries side by side, since SQLite's parser runs out of stack if they are nested deeper.
  return sql`
      asking as materialized (
        select position, ${fields} from judged
         where coalesce(errors, broken) is null and known_id is null and client_id is null and not force
           and (exists (select 1 from transactions row where ${resembles('judged')} and +row.user_id = ${userId})
             ${recalls ? sql`or exists (select 1 from remembered row where row.user_id = ${userId} and ${resembles('judged')})` : sql``})
      ),
      wanted as materialized (select account_id, transaction_date, amount, count(*) as items from asking group by 1, 2, 3),
      resembling as (${resemblingRows(userId)}),
      absorbing as (
        select id, ${fields}, ${recalls ? sql`not ${isOfFile('row')}` : sql`0`} as is_free from resembling row
         where (row.client_id is null or row.client_id not in (${clientIds}))
           ${recalls ? sql`and not ${standsForAnother(userId)}` : sql``}
      ),
      ${recalls ? sql`${recalledRows(userId, recalls)},` : sql``}
      absorbed as materialized (
        select position, pair as id from ${paired} where position is not null and pair is not null
      )`
}

/*
 * How many rows are compared with the items, since the write lock is held meanwhile: so many of each account, date and
 * amount that every item can have its own, and that all together stay within the bound. A single item is compared with as
 * many as a single transaction.
 */
const inAll = sql.raw(String(mostResemblingInAll))
const most = sql`(select ${inAll} + 3 * coalesce(sum(items), 0) from wanted)`
const mostOfEach = sql`(
  select coalesce(min(${sql.raw(String(mostResembling))} + sum(items), 2 * max(items) + ${inAll} / count(*)), 0) from wanted)`

/** The existing rows that resemble any item of `asking`, the newest of each account, date and amount. */
function resemblingRows(userId: SQL): SQL {
  return sql`
    select row.* from wanted
     cross join transactions row on row.id in (
             select row.id from transactions row where ${resembles('wanted')}
              order by row.id desc limit ${mostOfEach})
       and +row.user_id = ${userId}
     limit ${most}`
}

/** Which remembered rows a file is compared with: those that another row stands for and, if `deleted`, deleted ones. */
export type Recalled = { deleted: boolean }

/** True for a `row` with the account, date and amount of another. */
const resembles = (other: string) =>
  sql.raw(
    `row.account_id = ${other}.account_id and row.transaction_date = ${other}.transaction_date and row.amount = ${other}.amount`,
  )

/** True for a row, existing or remembered, that came from a file or stands for a row of one. */
export const isOfFile = (row: string) =>
  sql.raw(
    `(${row}.import_id is not null or exists (select 1 from imports where imports.id = ${row}.booked_by))`,
  )

/**
 * True for a `row` that stands for a different row of a file of its account: it was edited, or was entered by hand and
 * has been joined with a row of a file, which is remembered. A transfer still counts as one, whatever its legs were.
 */
function standsForAnother(userId: SQL): SQL {
  return sql`exists (
    select 1 from remembered other indexed by remembered_survivor
     where other.user_id = ${userId} and other.survivor_id = row.id and ${isOfFile('other')}
       and other.account_id = row.account_id and (other.type = 'transfer') = (row.type = 'transfer') and (other.id = row.id or not ${isOfFile('row')}))`
}

/**
 * `recalled` has the remembered rows that resemble any item of `asking`, their ids below 0. A joined row that was entered
 * by hand absorbs what it absorbed before, unless the row that stands for it now absorbs that itself (`isEqual`), or
 * stands for a row of a file already (`isSettled`). Without `indexed by`, SQLite would read all remembered rows of the
 * user for each one that it looks up.
 */
function recalledRows(userId: SQL, { deleted }: Recalled): SQL {
  const isEqual = sql`(
    ${resembles('transactions')} and transactions.type = row.type and coalesce(transactions.reference = row.reference, true))`
  const isSettled = sql`(
    ${isOfFile('transactions')} and (transactions.type = 'transfer') = (row.type = 'transfer')
    or (row.survivor_id, row.account_id, row.type) in (select survivor_id, account_id, type from settled))`
  return sql`
      alike as materialized (
        select row.*, ${isOfFile('row')} as is_of_file
          from wanted
         cross join ${remembered} row on row.user_id = ${userId} and row.id in (
                 select row.id from ${remembered} row indexed by remembered_account_date_amount
                  where row.user_id = ${userId} and ${resembles('wanted')} order by row.id desc limit ${mostOfEach})
         where row.kept ->> 'client_id' is null or row.kept ->> 'client_id' not in (${clientIds})
         limit ${most}
      ),
      settled as materialized (
        select other.survivor_id, other.account_id, other.type
          from (select distinct survivor_id from alike where not is_of_file) typed
         cross join ${remembered} other indexed by remembered_survivor
            on other.user_id = ${userId} and other.survivor_id = typed.survivor_id
         where ${isOfFile('other')}
      ),
      recalled as (
        select -row.id as id, row.account_id, row.to_account_id, row.type, row.amount, row.transaction_date, row.reference,
               not is_of_file as is_free
          from alike row left join transactions on transactions.id = row.survivor_id
         where iif(row.survivor_id is null, is_of_file and ${deleted ? 1 : 0},
                   transactions.id is not null and ${hasLiveAccounts}
                   and (is_of_file or row.kind is not null and not ${isEqual} and not ${isSettled}))
      )`
}

/**
 * Pairs items with equal rows, where neither has a pair yet. If several are equal, the first item is paired with the
 * first row, and so on; rows of files come before those that are free to stand for another.
 */
function pairsOf(unpaired: SQL, { items, rows, reference }: Round): SQL {
  const equals = sql`takes_part, account_id, to_account_id, type, amount, transaction_date, agreed`
  return sql`
        select position, id, account_id, to_account_id, type, amount, transaction_date, reference, is_free,
               iif(takes_part and count(*) over same = 2, max(id) over same, pair) as pair
          from (select *, row_number() over (
                            partition by ${equals}, id is null order by reference is not null, is_free, id < 0, abs(id), position) as rank
                  from (select *, pair is null and iif(id is null, ${items}, ${rows}) as takes_part,
                               ${reference} as agreed from ${unpaired}))
        window same as (partition by ${equals}, rank)`
}
