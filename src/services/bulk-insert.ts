import { type SQL, sql } from 'drizzle-orm'
import { jsonParts } from '../db/json-parts.ts'
import { allHold, brokenRules } from './rules.ts'
import { clientIdUnspent, transactionRules } from './transactions/rules.ts'

/**
 * How many transactions land at once, whether a phone uploads them or a file brings them: they lie in `sync_items`,
 * and each step here is one statement over all that is pending of a batch. All steps run in one transaction.
 */

/** Where rows come from, and the condition under which they are created at all. */
export type Origin = { isSynced: boolean; importId: SQL; guard: SQL }

/** The user whose batch it is, as an expression. */
export const ownerOf = (batchId: string) => sql`(select user_id from sync_batches where id = ${batchId})`

/** What every row is laid down with as it came. */
export const fieldsAsTheyCame = [
  'client_id',
  'type',
  'amount',
  'description',
  'reference',
  'transaction_date',
  'force',
] as const

/**
 * Lays rows down as items of a batch that is there, in as many statements as their size takes. `items` selects what
 * is stored from `item`: the rows with their `position` and these fields. They travel as arrays: with the names of
 * fields in each row, twice as much would be sent. Materialized, or SQLite would read the JSON of a row for each place
 * in which a field of it is used.
 */
export function layDown<Row>(
  batchId: string,
  rows: Row[],
  fields: readonly (keyof Row & string)[],
  items: SQL,
): SQL[] {
  const columns = sql.raw(fields.map((field, place) => `value ->> ${place} as ${field}`).join(', '))
  return jsonParts(rows.map((row) => fields.map((field) => row[field]))).map(
    ({ from, json }) => sql`
    insert into sync_items (batch_id, position, outcome, errors, client_id, account_id, to_account_id, category_id,
                            type, amount, description, reference, transaction_date, force)
    with item as materialized (
      select key + ${from} as position, ${columns} from json_each(${json})
       where exists (select 1 from sync_batches where id = ${batchId})
    )${items}`,
  )
}

/** Items that break a rule fail, with what they break. */
export function failBroken(batchId: string) {
  const next = {
    type: sql`sync_items.type`,
    account_id: sql`sync_items.account_id`,
    to_account_id: sql`sync_items.to_account_id`,
    category_id: sql`sync_items.category_id`,
  }
  const userId = ownerOf(batchId)
  const rules = [...transactionRules(userId, next), clientIdUnspent(userId, sql`sync_items.client_id`)]
  return sql`
    update sync_items set outcome = 'failed', errors = ${brokenRules(rules)}
     where batch_id = ${batchId} and outcome = 'pending' and not (${allHold(rules)})`
}

/** Items with a client id that has landed before are duplicates of that row. */
export function recogniseClientIds(batchId: string) {
  return sql`
    update sync_items set outcome = 'duplicate', transaction_id = row.id
      from transactions row
     where batch_id = ${batchId} and outcome = 'pending' and sync_items.client_id is not null
       and row.user_id = ${ownerOf(batchId)} and row.client_id = sync_items.client_id`
}

/** Which items choose, by what their reference must agree with, and which rows they choose from. */
type Choice = { items: SQL; agreed: SQL; rows: SQL }

/** Items with a reference choose before those without, which fit any row: so as many as possible find one. */
const choices: Choice[] = [
  { items: sql`reference is not null`, agreed: sql`reference`, rows: sql`row.reference is not null` },
  { items: sql`reference is not null`, agreed: sql`null`, rows: sql`row.reference is null` },
  { items: sql`reference is null`, agreed: sql`null`, rows: sql`true` },
]

/** Rows that were there before absorb equal items, one each (decisions.md, Sync). */
export function absorbAll(batchId: string): SQL[] {
  return choices.map((choice) => absorb(batchId, choice))
}

/**
 * Pairs pending items with equal rows that have absorbed none yet: of equals, the first with the first, and so on.
 * What has the account, day and amount of any item is read once, however many items ask for it.
 */
function absorb(batchId: string, { items, agreed, rows }: Choice) {
  const place = sql`account_id, transaction_date, amount`
  const equals = sql`account_id, to_account_id, type, amount, transaction_date, agreed`
  const asking = sql`batch_id = ${batchId} and outcome = 'pending' and client_id is null and not force and ${items}`
  return sql`
    with wanted as materialized (select distinct ${place} from sync_items where ${asking}),
    there as materialized (
      select row.id, row.account_id, row.to_account_id, row.type, row.amount, row.transaction_date, row.reference
        from wanted cross join transactions row on row.account_id = wanted.account_id
         and row.transaction_date = wanted.transaction_date and row.amount = wanted.amount
       where row.user_id = ${ownerOf(batchId)} and ${rows}
         and row.id not in (select transaction_id from sync_items where batch_id = ${batchId} and transaction_id is not null)
    ), item as (
      select *, row_number() over (partition by ${equals} order by position) as rank
        from (select *, ${agreed} as agreed from sync_items where ${asking} and (${place}) in (select ${place} from there))
    ), candidate as (
      select *, row_number() over (partition by ${equals} order by reference is not null, id) as rank
        from (select *, ${agreed} as agreed from there)
    )
    update sync_items set outcome = 'duplicate', transaction_id = pair.id
      from (select item.position as place, candidate.id from item join candidate
                on candidate.rank = item.rank and candidate.account_id = item.account_id
               and candidate.to_account_id is item.to_account_id and candidate.type = item.type
               and candidate.amount = item.amount and candidate.transaction_date = item.transaction_date
               and candidate.agreed is item.agreed) pair
     where batch_id = ${batchId} and position = pair.place`
}

/** Gives the rows to come their ids, in the order of the batch: the write lock is held, so nobody else takes them. */
export function numberNewRows(batchId: string) {
  return sql`
    update sync_items
       set transaction_id = position + 1 + coalesce((select seq from sqlite_sequence where name = 'transactions'), 0)
     where batch_id = ${batchId} and outcome = 'pending'`
}

/** A client id that comes twice in one batch is one row: what comes later repeats the first, whose number is lower. */
export function recogniseRepeatedClientIds(batchId: string) {
  return sql`
    with first as materialized (
      select client_id, min(transaction_id) as id from sync_items
       where batch_id = ${batchId} and outcome = 'pending' and client_id is not null
       group by client_id having count(*) > 1
    )
    update sync_items set outcome = 'duplicate', transaction_id = first.id
      from first
     where batch_id = ${batchId} and outcome = 'pending' and first.client_id = sync_items.client_id
       and sync_items.transaction_id <> first.id`
}

/** Creates what is pending, under its number; the triggers keep the balances. */
export function insertNewRows(batchId: string, now: Date, { isSynced, importId, guard }: Origin) {
  return sql`
    insert into transactions (id, user_id, account_id, to_account_id, category_id, type, amount, description, reference,
                              transaction_date, is_synced, client_id, import_id, created_at, updated_at)
    select transaction_id, ${ownerOf(batchId)}, account_id, to_account_id, category_id, type, amount, description,
           reference, transaction_date, ${isSynced ? 1 : 0}, client_id, ${importId}, ${now.getTime()}, ${now.getTime()}
      from sync_items
     where batch_id = ${batchId} and outcome = 'pending' and ${guard}
     order by position`
}

/** Takes back what an import created: its client ids first, since they may be used again, unlike those of a row alone. */
export function undoRows(importId: SQL, which: SQL): [forget: SQL, remove: SQL] {
  return [
    sql`update transactions set client_id = null where import_id = ${importId} and ${which}`,
    sql`delete from transactions where import_id = ${importId} and ${which}`,
  ]
}
