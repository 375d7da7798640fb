import { type SQL, sql } from 'drizzle-orm'
import type { NewTransaction } from '../contract/transactions.ts'
import { logDeletions, nextChange } from '../db/changes.ts'
import { countRows, discountRows } from '../db/figures.ts'
import { jsonParts } from '../db/json-parts.ts'
import { nextTransactionId } from '../db/next-id.ts'
import { hasLiveAccounts } from '../db/ownership.ts'
import { batches, batchParts, remembered } from '../db/schema.ts'
import { brokenRules, type Rule } from './guards.ts'
import { separateImported } from './matches/separate.ts'
import {
  clientIdUnspent,
  mostCompared,
  nextRow,
  transactionRules,
  withClientId,
} from './transactions/rules.ts'

/*
 * A bulk insert, whether the transactions come from a phone or a file, is a batch: its items are in `batchParts` as
 * JSON, and what becomes of them in `batches.outcomes`. Staging takes a statement for each part of the items; deciding
 * and creating take one each, over all items at once, and the write lock is held from deciding to creating.
 */

/** The id of a batch; in prepared statements an expression. */
type BatchId = string | SQL

/** Where created rows come from, and the condition for creating any. */
type Origin = { isSynced: boolean; importId: SQL; guard: SQL }

/** The id of the batch's user, in SQL. */
export const ownerOf = (batchId: BatchId) => sql`(select user_id from ${batches} where id = ${batchId})`

/**
 * The fields of a transaction that are stored as they came, whether a batch or an import brought them. A new field of
 * the contract has to be added here, and is then written by every statement below, to the column of the same name.
 */
const asSent = {
  client_id: true,
  type: true,
  amount: true,
  description: true,
  reference: true,
  transaction_date: true,
  force: true,
} satisfies Record<Exclude<keyof NewTransaction, 'account_id' | 'to_account_id' | 'category_id'>, true>
export const fieldsAsSent = Object.keys(asSent) as (keyof typeof asSent)[]

/** Those fields as a list of the columns of `item`. */
export const columnsAsSent = sql.raw(fieldsAsSent.map((field) => `item.${field}`).join(', '))

/**
 * A staged item as it is stored: an array, since field names would double its size. `errors` are null for a valid item.
 * `category` is an id, or the key of a name. Batches that were stored before a deployment are read after it, by these
 * places: none may change, so a new field goes to the end of `asSent`.
 */
const stagedFields = ['errors', 'account_id', 'to_account_id', 'category', ...fieldsAsSent] as const

/** An expression for the place of a field in a stored item. */
export const placeOf = (field: (typeof stagedFields)[number]) => sql.raw(String(stagedFields.indexOf(field)))

/** Rows as arrays of their fields, in as many parts of JSON as their size requires. */
export function rowParts<Row>(rows: Row[], fields: readonly (keyof Row & string)[]) {
  return jsonParts(rows.map((row) => fields.map((field) => row[field])))
}

/** The columns of a query that takes apart an array, the `value` of json_each. */
const columnsOf = (fields: readonly string[]) =>
  sql.raw(fields.map((field, place) => `value ->> ${place} as ${field}`).join(', '))

/**
 * Stages rows as items of a batch, if the batch exists, one part of `rowParts` with each statement. `judged` is the
 * end of the query: it selects the staged fields from `item`, which has the fields of each row. `item` is materialized,
 * since SQLite would otherwise parse a row's JSON for every use of a field.
 */
export function stageRows(
  batchId: BatchId,
  parts: { from: number | SQL; json: string | SQL }[],
  fields: readonly string[],
  judged: SQL,
): SQL[] {
  const values = sql.raw(
    stagedFields.map((field) => (field === 'errors' ? 'json(errors)' : field)).join(', '),
  )
  return parts.map(
    ({ from, json }) => sql`
    insert into ${batchParts} (batch_id, start, invalid, items)
    with item as materialized (select ${columnsOf(fields)} from json_each(${json}))
    select * from (
      select ${batchId}, ${from}, count(errors), json_group_array(json_array(${values})) from (${judged})
    ) where exists (select 1 from ${batches} where id = ${batchId})`,
  )
}

/**
 * The rules for `item`, which may be checked again when a batch is processed. Its category is left out then: one
 * deleted in the meantime leaves the item uncategorised.
 */
export function itemRules(userId: SQL, category_id: SQL = sql`null`): Rule[] {
  const item = nextRow((field) => sql.raw(`item.${field}`))
  return [...transactionRules(userId, { ...item, category_id }), clientIdUnspent(userId, sql`item.client_id`)]
}

/** The invalid items of a batch, in SQL: a FROM clause with their positions and errors. */
export function invalidItems(batchId: BatchId): SQL {
  return sql`(
    select start + key as position, value ->> ${placeOf('errors')} as errors from ${batchParts}, json_each(items)
     where batch_id = ${batchId} and invalid > 0 and value ->> ${placeOf('errors')} is not null)`
}

/** The items of a batch, as the beginning of a query: `item` has their positions and fields. */
const stagedItems = (batchId: BatchId) => sql`
  item as materialized (
    select start + key as position, ${columnsOf(stagedFields)}
      from ${batchParts} cross join json_each(items) where batch_id = ${batchId}
  )`

/** True for a batch that has been accepted and not processed. */
export const isUnfinished = (batchId: BatchId) => sql`(id = ${batchId} and completed_at is null)`

/**
 * Decides what becomes of the items of an unfinished batch. Invalid ones stay invalid; for the others, in this order:
 *
 * 1. An item whose client id belongs to an existing row, or to one that was joined with it, is a duplicate of that row.
 * 2. An item that breaks one of the rules, which are about `item`, fails.
 * 3. Rows that existed before absorb equal items without a client id, one each (docs/contract.md, Offline batches).
 * 4. Items with a client id that an earlier one has are duplicates of the earlier one.
 * 5. The others are to be created: they get the ids of their rows, in the order of the batch.
 *
 * With `recalls`, remembered rows absorb items too: one that was joined or edited counts as what stands for it, and, with
 * `deleted`, an item that equals a row which the user deleted is `deleted_before`. Until the last step the id of a
 * remembered row is below 0; its outcome has that id as well.
 */
export function decideOutcomes(batchId: BatchId, rules: Rule[], recalls?: Recalled): SQL {
  const userId = ownerOf(batchId)
  const broken = rules.length > 0 ? sql`nullif(${brokenRules(rules)}, '[]')` : sql`null`
  // The write lock keeps the ids free. Materialized, or SQLite would compute anew whatever is used twice.
  return sql`
    update ${batches} set outcomes = (
      with ${stagedItems(batchId)},
      known as materialized (
        select *, iif(errors is null and client_id is not null, ${withClientId(userId, sql`item.client_id`, sql`-gone.id`)}, null) as known_id
          from item
      ), judged as materialized (
        select *, iif(errors is null and known_id is null, ${broken}, null) as broken from known item
      ),
      ${absorbed(batchId, recalls)},
      decided as (
        select position, coalesce(errors, broken) as errors, errors is not null as is_invalid,
               coalesce(known_id, absorbed.id) as found, client_id, ${nextTransactionId} + position as next
          from judged left join absorbed using (position)
      ), named as (
        select *, iif(client_id is null, next,
                      min(next) over (partition by client_id, errors is null and found is null)) as first
          from decided
      )
      select json_group_array(json(outcome)) from (
        select case when is_invalid then json_array('invalid', null, json(errors))
                    when errors is not null then json_array('failed', null, json(errors))
                    when found < 0 then (
                      select iif(survivor_id is null, json_array('deleted_before', null, null),
                                 json_array('duplicate', survivor_id, null, id))
                        from remembered where user_id = ${userId} and id = -found)
                    when found is not null then json_array('duplicate', found, null)
                    else json_array(iif(first = next, 'created', 'duplicate'), first, null) end as outcome
          from named order by position)
    ) where ${isUnfinished(batchId)}`
}

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

/** The items of a batch are compared with at most this many rows, plus as many as there are items. */
const mostComparedInAll = 30_000

/**
 * Lets each row that existed before absorb one equal item without a client id (see `isDuplicateOf` for the rule):
 * `absorbed` has the position of the item and the id of the row, below 0 if that is remembered. Rows with the account,
 * date and amount of any item are read once, however many items match them.
 *
 * Few CTEs are referred to more than once, since SQLite copies a CTE's query for each reference: planning all copies
 * took ten times as long as running the statement.
 */
function absorbed(batchId: BatchId, recalls: Recalled | undefined): SQL {
  const userId = ownerOf(batchId)
  const place = sql`account_id, transaction_date, amount`
  const fields = sql`account_id, to_account_id, type, amount, transaction_date, reference`
  const resembles = (item: SQL) => sql`row.account_id = ${item}.account_id
           and row.transaction_date = ${item}.transaction_date and row.amount = ${item}.amount`
  const items = sql`(select sum(json_array_length(items)) from ${batchParts} where batch_id = ${batchId})`
  // The newest of each place, and a bounded number in all, since the write lock is held while they are read. A query of
  // its own, since SQLite's parser runs out of stack if queries are nested deeper.
  const resembling = sql`
    select row.* from (select distinct ${place} from asking) wanted cross join transactions row on row.id in (
             select row.id from transactions row where ${resembles(sql`wanted`)}
              order by row.id desc limit ${sql.raw(String(mostCompared))} + ${items})
       and +row.user_id = ${userId}
     limit ${sql.raw(String(mostComparedInAll))} + ${items}`
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
           and (exists (select 1 from transactions row where ${resembles(sql`judged`)} and +row.user_id = ${userId})
             ${recalls ? sql`or exists (select 1 from remembered row where row.user_id = ${userId} and ${resembles(sql`judged`)})` : sql``})
      ),
      resembling as (${resembling}),
      absorbing as (
        select id, ${fields}, ${recalls ? sql`not ${isOfFile(sql`row`)}` : sql`0`} as is_free from resembling row
         where (row.client_id is null or row.client_id not in (${clientIds}))
           ${recalls ? sql`and not ${standsForAnother(userId)}` : sql``}
      ),
      ${recalls ? sql`${recalledRows(userId, recalls, sql`${sql.raw(String(mostComparedInAll))} + ${items}`)},` : sql``}
      absorbed as materialized (
        select position, pair as id from ${paired} where position is not null and pair is not null
      )`
}

/** Which remembered rows a file is compared with: those that something stands for, and deleted ones if `deleted`. */
type Recalled = { deleted: boolean }

/** True for a row, there or remembered, that is a row of a file. */
const isOfFile = (row: SQL) =>
  sql`(${row}.import_id is not null or exists (select 1 from imports where imports.id = ${row}.booked_by))`

/**
 * True for a `row` that is there for what a file of its account has otherwise: it was edited, or was typed and has been
 * joined with a row of a file, which is remembered. A transfer still counts as one, whatever its legs were.
 */
function standsForAnother(userId: SQL): SQL {
  return sql`exists (
    select 1 from remembered other indexed by remembered_survivor
     where other.user_id = ${userId} and other.survivor_id = row.id and ${isOfFile(sql`other`)}
       and other.account_id = row.account_id and (other.type = 'transfer') = (row.type = 'transfer') and (other.id = row.id or not ${isOfFile(sql`row`)}))`
}

/**
 * `recalled` has the remembered rows that resemble any item of `asking`, their ids below 0. A row that was typed absorbs
 * what it would have absorbed before it was joined, unless the row that stands for it does so itself, or has a row of a
 * file to stand for.
 */
function recalledRows(userId: SQL, { deleted }: Recalled, most: SQL): SQL {
  const isEqual = sql`(
    transactions.account_id = row.account_id and transactions.transaction_date = row.transaction_date
    and transactions.amount = row.amount and transactions.type = row.type
    and coalesce(transactions.reference = row.reference, row.reference is null))`
  const isSettled = sql`(
    ${isOfFile(sql`transactions`)} and (transactions.type = 'transfer') = (row.type = 'transfer')
    or (row.survivor_id, row.account_id, row.type) in (select survivor_id, account_id, type from settled))`
  return sql`
      alike as materialized (
        select row.*, ${isOfFile(sql`row`)} as is_of_file
          from (select distinct account_id, transaction_date, amount from asking) wanted
         cross join ${remembered} row on row.user_id = ${userId} and row.account_id = wanted.account_id
                and row.transaction_date = wanted.transaction_date and row.amount = wanted.amount
         where row.kept ->> 'client_id' is null or row.kept ->> 'client_id' not in (${clientIds})
         limit ${most}
      ),
      settled as materialized (
        select other.survivor_id, other.account_id, other.type
          from (select distinct survivor_id from alike where not is_of_file) typed
         cross join ${remembered} other indexed by remembered_survivor
            on other.user_id = ${userId} and other.survivor_id = typed.survivor_id
         where ${isOfFile(sql`other`)}
      ),
      recalled as (
        select -row.id as id, row.account_id, row.to_account_id, row.type, row.amount, row.transaction_date, row.reference,
               not is_of_file as is_free
          from alike row cross join transactions on transactions.id = row.survivor_id
         where (is_of_file or row.kind is not null and not ${isEqual} and not ${isSettled})
           and ${hasLiveAccounts}
         union all
        select -id, account_id, to_account_id, type, amount, transaction_date, reference, 0
          from alike where survivor_id is null and is_of_file and ${deleted ? sql`true` : sql`false`}
      )`
}

/**
 * Pairs items with equal rows, if neither has a pair yet. If several are equal, the first item is paired with the
 * first row, and so on: rows of files come before those that are free to stand for another.
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

/** The items of a decided batch from which rows are created, in SQL: a FROM clause with positions and the rows' ids. */
function createdOf(batchId: BatchId): SQL {
  return sql`(
      select key as position, value ->> 1 as id
        from (select outcomes from ${batches} where ${isUnfinished(batchId)}) cross join json_each(outcomes)
       where value ->> 0 = 'created')`
}

/**
 * Creates the rows of a decided batch that is still unfinished. Categories are looked up now: a deleted one leaves its
 * item uncategorised, and of two with the name that an item gives, the one of the item's type counts.
 */
export function createRows(batchId: BatchId, now: Date | SQL, { isSynced, importId, guard }: Origin): SQL {
  const userId = ownerOf(batchId)
  const kept = sql.raw(fieldsAsSent.filter((field) => field !== 'force').join(', '))
  const own = sql`categories where categories.user_id = ${userId}`
  const named = sql`${own} and name_key = item.category`
  return sql`
    insert into transactions (id, user_id, account_id, to_account_id, category_id, ${kept}, is_synced, import_id,
                              seq, created_at, updated_at)
    with ${stagedItems(batchId)},
    outcome as materialized (select * from ${createdOf(batchId)} where ${guard})
    select outcome.id, ${userId}, account_id, to_account_id,
           case typeof(category)
             when 'integer' then (select categories.id from ${own} and categories.id = item.category)
             when 'text' then coalesce((select categories.id from ${named} and categories.type = item.type),
                                       (select min(categories.id) from ${named})) end,
           ${kept}, ${isSynced ? 1 : 0}, ${importId}, ${nextChange(userId)} + position, ${now}, ${now}
      from item cross join outcome using (position)`
}

/** Adds the rows that `createRows` has created from an uploaded batch to the kept figures. */
export function countCreated(batchId: BatchId): SQL[] {
  return countRows(ownerOf(batchId), sql`id in (select id from ${createdOf(batchId)})`)
}

/** The condition for the rows of an import: their ids lie within a range, in which others may lie as well. */
export function isImportedBy(importId: SQL): SQL {
  const first = sql`(select first_id from imports where id = ${importId})`
  const last = sql`(select first_id + rows - 1 from imports where id = ${importId})`
  return sql`id between ${first} and ${last} and import_id = ${importId}`
}

/**
 * Undoes an import: deletes it and those of its transactions that `which` matches. It loses its owner first, so that
 * the triggers leave its rows to `discountRows` and do not spend their client ids: importing the file again must work.
 * Rows that were deleted with an account stay deleted, and their client ids spent. Nobody has seen the rows of a dry
 * run, so their deletion is not logged.
 */
export function undoImport(
  userId: SQL,
  importId: SQL,
  { which, isDryRun }: { which: SQL; isDryRun: boolean },
): SQL[] {
  const created = isImportedBy(importId)
  // The plus makes SQLite search by id: the user has many rows, and few of them are of this import.
  const rows = sql`${created} and +user_id = ${userId} and ${which} and ${hasLiveAccounts}`
  return [
    ...(isDryRun ? [] : separateImported(userId, created, which)),
    ...discountRows(userId, rows),
    ...(isDryRun ? [] : [logDeletions(userId, rows)]),
    sql`update imports set user_id = null where id = ${importId} and user_id = ${userId}`,
    sql`delete from transactions where ${rows}`,
    ...(isDryRun ? [] : [forgetEdited(userId, importId)]),
    sql`
    update transactions set import_id = null
     where ${created} and exists (select 1 from imports where id = ${importId} and user_id is null)`,
    sql`delete from imports where id = ${importId} and user_id is null`,
  ]
}

/** Forgets how a file has edited rows that went with their import. */
function forgetEdited(userId: SQL, importId: SQL): SQL {
  return sql`
    delete from remembered
     where user_id = ${userId} and ${isImportedBy(importId)} and survivor_id = id
       and not exists (select 1 from transactions where transactions.id = remembered.id)`
}
