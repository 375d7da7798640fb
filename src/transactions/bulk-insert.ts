import { type SQL, sql } from 'drizzle-orm'
import { nextChange } from '../database/change-numbers.ts'
import { jsonParts } from '../database/json-parts.ts'
import { addToTotals } from '../database/kept-totals.ts'
import { nextTransactionId } from '../database/next-transaction-id.ts'
import { lockedThrough } from '../database/reconciled.ts'
import { brokenRules, type Rule } from '../database/rules.ts'
import { batches, batchParts } from '../database/schema.ts'
import { type TransactionField, transactionFieldNames } from '../domain/transaction-fields.ts'
import { absorbed, type Compared } from './bulk-duplicates.ts'
import { clientIdRule, idByClientId } from './client-ids.ts'
import { nextRow, transactionRules } from './sql-rules.ts'

/*
 * A bulk insert, whether the transactions come from a phone or a file, is a batch: its items are in `batchParts` as
 * JSON, and their outcomes in `batches.outcomes`. Staging takes a statement for each part of the items; determining
 * the outcomes and creating the rows take one each, over all items at once, under one write lock.
 */

/** The id of a batch, or an expression for it. */
export type BatchId = string | SQL

/** Where created rows come from, and the condition for creating any. */
type Origin = { isSynced: boolean; importId: SQL; guard: SQL }

/** The row of a batch that is deleted again in the round trip that inserts it. */
export function transientBatch(id: string, userId: SQL, now: Date) {
  return { id, userId, status: 'processing' as const, bodyHash: '', createdAt: now, queuedAt: now }
}

/** The id of the batch's user, in SQL. */
export const userOfBatch = (batchId: BatchId) => sql`(select user_id from ${batches} where id = ${batchId})`

const references: string[] = ['account_id', 'to_account_id', 'category_id']

/** The fields of a transaction that are staged unchanged. */
export const copiedFieldNames = transactionFieldNames.filter(
  (name): name is Exclude<TransactionField, 'account_id' | 'to_account_id' | 'category_id'> =>
    !references.includes(name),
)

/** Those of them that `createRows` writes to the columns of the same names. */
export const storedFieldNames = copiedFieldNames.filter((field) => field !== 'force')

/** Those fields as a list of the columns of `item`. */
export const copiedColumns = sql.raw(copiedFieldNames.map((field) => `item.${field}`).join(', '))

/**
 * A staged item as it is stored: an array, since field names would double its size. `errors` is null for a valid item.
 * `category` is the id of a category or, if the item names one, the `name_key` to look it up by. Batches stored before a
 * deployment are read after it, by position: no position may change.
 */
const stagedFields = ['errors', 'account_id', 'to_account_id', 'category', ...copiedFieldNames] as const

/** The position of a field in a stored item, in SQL. */
export const indexOfField = (field: (typeof stagedFields)[number]) =>
  sql.raw(String(stagedFields.indexOf(field)))

/** Rows as arrays of their fields, as JSON in as many parts as their size requires. */
export function rowParts<Row>(rows: Row[], fields: readonly (keyof Row & string)[]) {
  return jsonParts(rows.map((row) => fields.map((field) => row[field])))
}

/** The fields of an array, which is the `value` of json_each, as the columns of a query. */
const columnsOf = (fields: readonly string[]) =>
  sql.raw(fields.map((field, place) => `value ->> ${place} as ${field}`).join(', '))

/**
 * Stages rows as items of a batch, if the batch exists, one part of `rowParts` with each statement. `checked` is a query
 * that selects the staged fields from `item`, a table with the fields of each row. `item` is materialized, since SQLite
 * would otherwise parse a row's JSON for every use of a field.
 */
export function stageRows(
  batchId: BatchId,
  parts: { from: number; json: string }[],
  fields: readonly string[],
  checked: SQL,
): SQL[] {
  const values = sql.raw(
    stagedFields.map((field) => (field === 'errors' ? 'json(errors)' : field)).join(', '),
  )
  return parts.map(
    ({ from, json }) => sql`
    insert into ${batchParts} (batch_id, start, invalid, items)
    with item as materialized (select ${columnsOf(fields)} from json_each(${json}))
    select * from (
      select ${batchId}, ${from}, count(errors), json_group_array(json_array(${values})) from (${checked})
    ) where exists (select 1 from ${batches} where id = ${batchId})`,
  )
}

/**
 * The rules for `item`. Processing a batch checks them again, without the category: an item whose category has been
 * deleted by then is created without one.
 */
export function itemRules(userId: SQL, { category_id = sql`null`, hasClientIds = true } = {}): Rule[] {
  const item = nextRow((field) => sql.raw(`item.${field}`))
  const rules = transactionRules(userId, { ...item, category_id })
  return hasClientIds ? [...rules, clientIdRule(userId, sql`item.client_id`)] : rules
}

/** The invalid items of a batch, in SQL: a subquery with their positions and errors. */
export function invalidItems(batchId: BatchId): SQL {
  return sql`(
    select start + key as position, value ->> ${indexOfField('errors')} as errors from ${batchParts}, json_each(items)
     where batch_id = ${batchId} and invalid > 0 and value ->> ${indexOfField('errors')} is not null)`
}

/** The items of a batch, as the beginning of a query: `item` has their positions and fields. */
const stagedItems = (batchId: BatchId) => sql`
  item as materialized (
    select start + key as position, ${columnsOf(stagedFields)}
      from ${batchParts} cross join json_each(items) where batch_id = ${batchId}
  )`

/** True for a batch that has been accepted but not processed. */
export const isUnfinished = (batchId: BatchId) => sql`(id = ${batchId} and completed_at is null)`

/**
 * Determines the outcomes of the items of an unfinished batch. Invalid ones stay invalid; for the others, in this order:
 *
 * 1. An item whose client id leads to an existing row (client-ids.ts) is a duplicate of that row.
 * 2. An item that breaks one of `rules`, which refer to its columns as `item`, fails.
 * 3. Each row that existed before absorbs one equal item that has neither a client id nor `force`: the item is a duplicate
 *    of it (bulk-duplicates.ts; docs/contract.md, Offline batches).
 * 4. An item that repeats the client id of an earlier item is a duplicate of that one.
 * 5. The others are to be created: they get the ids of their rows, in the order of the batch.
 *
 * With `originals`, imported originals absorb items too: `imported_originals` records rows that were edited or joined, and
 * deleted rows of files. An item that equals an edited or joined one is a duplicate of the row that now represents it; with
 * `deleted`, an item that equals a deleted one is `deleted_before`.
 *
 * Within the statement, the ids of imported originals are negative. The outcome of a duplicate that was found through one
 * has its id as a fourth element.
 */
export function determineOutcomes(batchId: BatchId, rules: Rule[], compared: Compared): SQL {
  const userId = userOfBatch(batchId)
  const { hasClientIds } = compared
  const isIdentified = sql`errors is null and client_id is not null`
  const knownId = idByClientId(userId, sql`item.client_id`, sql`-gone.id`)
  const own = hasClientIds ? sql`iif(${isIdentified}, ${knownId}, null)` : sql`null`
  const sameRow = sql`partition by client_id, refusal is null and known_id is null`
  const broken = rules.length > 0 ? sql`nullif(${brokenRules(rules)}, '[]')` : sql`null`
  // The write lock keeps others from taking the ids. CTEs used twice are materialized: SQLite would compute them twice.
  return sql`
    update ${batches} set outcomes = (
      with ${stagedItems(batchId)},
      known as materialized (
        select *, ${own} as known_id from item
      ), checked as materialized (
        select *, coalesce(errors, iif(known_id is null, ${broken}, null)) as refusal from known item
      ),
      ${absorbed(userId, compared)},
      determined as (
        select position, errors, refusal, coalesce(known_id, absorbed.id) as found,
               ${hasClientIds ? sql`iif(client_id is null, position, min(position) over (${sameRow}))` : sql`position`} as first
          from checked left join absorbed using (position)
      )
      select json_group_array(json(outcome)) from (
        select case when errors is not null then json_array('invalid', null, json(errors))
                    when refusal is not null then json_array('failed', null, json(refusal))
                    when found > 0 then json_array('duplicate', found, null)
                    when found is null then
                      json_array(iif(first = position, 'created', 'duplicate'), ${nextTransactionId} + first, null)
                    when merged_into_id is null then json_array('deleted_before', null, null)
                    else json_array('duplicate', merged_into_id, null, id) end as outcome
          from determined left join imported_originals on user_id = ${userId} and id = -found order by position)
    ) where ${isUnfinished(batchId)}`
}

/**
 * Takes items out of a batch with outcomes that would change a reconciled period. Their outcome is `reconciled`, with the
 * last day of the period.
 */
export function leaveOutReconciled(batchId: BatchId): SQL {
  const dayOn = (bookedOn: SQL) => sql`coalesce(${bookedOn}, item.transaction_date)`
  const after = {
    type: sql`item.type`,
    amount: sql`item.amount`,
    account_id: sql`item.account_id`,
    to_account_id: sql`item.to_account_id`,
    day: dayOn(sql`item.booked_on`),
    to_day: dayOn(sql`item.to_booked_on`),
  }
  return sql`
    update ${batches} set outcomes = (
      with ${stagedItems(batchId)}
      select json_group_array(json(iif(through is null, outcome, json_array('reconciled', null, through)))) from (
        select found.value as outcome, iif(found.value ->> 0 = 'created', ${lockedThrough({ after })}, null) as through
          from json_each(outcomes) found cross join item on item.position = found.key order by found.key)
    ) where ${isUnfinished(batchId)} and exists (
      select 1 from accounts where user_id = ${userOfBatch(batchId)} and reconciled_through is not null)`
}

/** The items of a batch that are left out so, in SQL: a subquery with their positions and the last days. */
export const itemsLeftOut = (batchId: BatchId) => sql`(
  select key as position, value ->> 2 as through from ${batches} cross join json_each(outcomes)
   where ${batches}.id = ${batchId} and value ->> 0 = 'reconciled')`

/** The items of a batch with outcomes from which rows are created, in SQL: a subquery with positions and the rows' ids. */
function createdItems(batchId: BatchId): SQL {
  return sql`(
      select key as position, value ->> 1 as id
        from (select outcomes from ${batches} where ${isUnfinished(batchId)}) cross join json_each(outcomes)
       where value ->> 0 = 'created')`
}

/**
 * Creates the rows of a batch with outcomes that is still unfinished. Categories are looked up only now: an item whose
 * category has been deleted is left uncategorised, and an item that names its category gets the one of its own type or, if
 * there is none, the oldest with that name.
 */
export function createRows(batchId: BatchId, now: Date, { isSynced, importId, guard }: Origin): SQL {
  const userId = userOfBatch(batchId)
  const columns = sql.raw(storedFieldNames.join(', '))
  const own = sql`categories where categories.user_id = ${userId}`
  const named = sql`${own} and name_key = item.category`
  return sql`
    insert into transactions (id, user_id, account_id, to_account_id, category_id, ${columns}, is_synced, import_id,
                              seq, created_at, updated_at)
    with ${stagedItems(batchId)},
    outcome as materialized (select * from ${createdItems(batchId)} where ${guard})
    select outcome.id, ${userId}, account_id, to_account_id,
           case typeof(category)
             when 'integer' then (select categories.id from ${own} and categories.id = item.category)
             when 'text' then coalesce((select categories.id from ${named} and categories.type = item.type),
                                       (select min(categories.id) from ${named})) end,
           ${columns}, ${isSynced ? 1 : 0}, ${importId}, ${nextChange(userId)} + position, ${now}, ${now}
      from item cross join outcome using (position)`
}

/** The statements that add the rows of `createRows` to the kept figures, as long as their batch is unfinished. */
export function addCreatedToTotals(batchId: BatchId): SQL[] {
  return addToTotals(userOfBatch(batchId), sql`id in (select id from ${createdItems(batchId)})`)
}
