import { type SQL, sql } from 'drizzle-orm'
import type { NewTransaction } from '../contract/transactions.ts'
import { countRows, discountRows } from '../db/figures.ts'
import { jsonParts } from '../db/json-parts.ts'
import { nextTransactionId } from '../db/next-id.ts'
import { isThere } from '../db/ownership.ts'
import { batches, batchItems } from '../db/schema.ts'
import { allHold, brokenRules } from './guards.ts'
import { clientIdUnspent, nextRow, transactionRules } from './transactions/rules.ts'

/*
 * Bulk inserts go through a staging table, `batchItems`, whether the transactions come from a phone or a file. After
 * staging, each step is one statement over all pending items of a batch, and all these steps run in one transaction.
 */

/** Where rows come from, and the condition for creating any. */
type Origin = { isSynced: boolean; importId: SQL; guard: SQL }

/** The id of the batch's user, in SQL. */
const ownerOf = (batchId: string) => sql`(select user_id from ${batches} where id = ${batchId})`

/**
 * The fields of a transaction that are stored as they came, whether a batch or an import brought them. A new field of
 * the contract has to be added here, and is then written by every statement below.
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

/** Those fields as a list of columns of a table. */
export const columnsAsSent = (table: string) =>
  sql.raw(fieldsAsSent.map((field) => `${table}.${field}`).join(', '))

/**
 * Stages rows as items of a batch, if the batch exists, in as many statements as their size requires. `items` is the
 * end of the query: it selects the columns to store from `item`, which has the fields of each row and its `position`.
 * Rows are sent as arrays, since field names would double their size. `item` is materialized, since SQLite would
 * otherwise parse a row's JSON for every use of a field.
 */
export function stageRows<Row>(
  batchId: string,
  rows: Row[],
  fields: readonly (keyof Row & string)[],
  items: SQL,
): SQL[] {
  const columns = sql.raw(fields.map((field, place) => `value ->> ${place} as ${field}`).join(', '))
  return jsonParts(rows.map((row) => fields.map((field) => row[field]))).map(
    ({ from, json }) => sql`
    insert into ${batchItems} (batch_id, position, outcome, errors, account_id, to_account_id, category_id,
                            ${sql.raw(fieldsAsSent.join(', '))})
    with item as materialized (
      select key + ${from} as position, ${columns} from json_each(${json})
       where exists (select 1 from ${batches} where id = ${batchId})
    )${items}`,
  )
}

/** Marks the items that break a rule as failed, and stores their errors. */
export function failRuleBreakers(batchId: string) {
  const next = nextRow((field) => sql`${batchItems}.${sql.identifier(field)}`)
  const userId = ownerOf(batchId)
  const rules = [...transactionRules(userId, next), clientIdUnspent(userId, sql`${batchItems.clientId}`)]
  return sql`
    update ${batchItems} set outcome = 'failed', errors = ${brokenRules(rules)}
     where batch_id = ${batchId} and outcome = 'pending' and not (${allHold(rules)})`
}

/** Marks the items whose client id belongs to an existing row as duplicates of it. */
export function matchClientIds(batchId: string) {
  return sql`
    update ${batchItems} set outcome = 'duplicate', transaction_id = row.id
      from transactions row
     where batch_id = ${batchId} and outcome = 'pending' and ${batchItems.clientId} is not null
       and row.user_id = ${ownerOf(batchId)} and row.client_id = ${batchItems.clientId}
       and row.id in (select id from transactions where id = row.id and ${isThere})`
}

/** A round of pairing: which items take part, which rows, and the reference on which both must agree. */
type Round = { items: SQL; rows: SQL; reference: SQL }

/** Items with a reference go first, since those without one fit any row. This way, as many as possible find a row. */
const rounds: Round[] = [
  { items: sql`reference is not null`, rows: sql`row.reference is not null`, reference: sql`reference` },
  { items: sql`reference is not null`, rows: sql`row.reference is null`, reference: sql`null` },
  { items: sql`reference is null`, rows: sql`true`, reference: sql`null` },
]

/**
 * Lets each row that existed before absorb one equal item without a client id (see `isDuplicateOf` for the rule), and
 * assigns the remaining items the ids of the rows they will create.
 */
export function settlePending(batchId: string): SQL[] {
  const absorbed = rounds.map((round) => absorb(batchId, round))
  return [...absorbed, assignIds(batchId), matchRepeatedClientIds(batchId)]
}

/**
 * Pairs pending items with equal rows that have not absorbed one yet. If several are equal, the first item is paired
 * with the first row, and so on. Rows with the account, date and amount of any item are read once, however many items
 * match them.
 */
function absorb(batchId: string, { items, rows, reference }: Round) {
  const place = sql`account_id, transaction_date, amount`
  const equals = sql`account_id, to_account_id, type, amount, transaction_date, agreed`
  const asking = sql`batch_id = ${batchId} and outcome = 'pending' and client_id is null and not force and ${items}`
  return sql`
    with wanted as materialized (select distinct ${place} from ${batchItems} where ${asking}),
    there as materialized (
      select row.id, row.account_id, row.to_account_id, row.type, row.amount, row.transaction_date, row.reference
        from wanted cross join transactions row on row.account_id = wanted.account_id
         and row.transaction_date = wanted.transaction_date and row.amount = wanted.amount
       where row.user_id = ${ownerOf(batchId)} and ${rows}
         and row.id not in (select transaction_id from ${batchItems} where batch_id = ${batchId} and transaction_id is not null)
    ), item as (
      select *, row_number() over (partition by ${equals} order by position) as rank
        from (select *, ${reference} as agreed from ${batchItems} where ${asking} and (${place}) in (select ${place} from there))
    ), candidate as (
      select *, row_number() over (partition by ${equals} order by reference is not null, id) as rank
        from (select *, ${reference} as agreed from there)
    )
    update ${batchItems} set outcome = 'duplicate', transaction_id = pair.id
      from (select item.position as place, candidate.id from item join candidate
                on candidate.rank = item.rank and candidate.account_id = item.account_id
               and candidate.to_account_id is item.to_account_id and candidate.type = item.type
               and candidate.amount = item.amount and candidate.transaction_date = item.transaction_date
               and candidate.agreed is item.agreed) pair
     where batch_id = ${batchId} and position = pair.place`
}

/** Assigns the ids of the rows to be created, in the order of the batch. The write lock keeps them free. */
function assignIds(batchId: string) {
  return sql`
    update ${batchItems}
       set transaction_id = position + ${nextTransactionId}
     where batch_id = ${batchId} and outcome = 'pending'`
}

/** If a client id occurs more than once in a batch, marks all items but the first as duplicates of the first. */
function matchRepeatedClientIds(batchId: string) {
  return sql`
    with first as materialized (
      select client_id, min(transaction_id) as id from ${batchItems}
       where batch_id = ${batchId} and outcome = 'pending' and client_id is not null
       group by client_id having count(*) > 1
    )
    update ${batchItems} set outcome = 'duplicate', transaction_id = first.id
      from first
     where batch_id = ${batchId} and outcome = 'pending' and first.client_id = ${batchItems.clientId}
       and ${batchItems.transactionId} <> first.id`
}

/** Creates the pending items as transactions, with their assigned ids. */
export function insertPending(batchId: string, now: Date, { isSynced, importId, guard }: Origin) {
  const kept = sql.raw(fieldsAsSent.filter((field) => field !== 'force').join(', '))
  return sql`
    insert into transactions (id, user_id, account_id, to_account_id, category_id, ${kept}, is_synced, import_id,
                              created_at, updated_at)
    select transaction_id, ${ownerOf(batchId)}, account_id, to_account_id, category_id, ${kept},
           ${isSynced ? 1 : 0}, ${importId}, ${now.getTime()}, ${now.getTime()}
      from ${batchItems}
     where batch_id = ${batchId} and outcome = 'pending' and ${guard}
     order by position`
}

/** Counts the rows that `insertPending` has created in the kept figures. */
export function countInserted(batchId: string): SQL[] {
  const created = sql`select transaction_id from ${batchItems} where batch_id = ${batchId} and outcome = 'pending'`
  return countRows(ownerOf(batchId), sql`id in (${created})`)
}

/**
 * Undoes an import: deletes it and those of its transactions that `which` matches. It loses its owner first, so that the
 * triggers leave its rows to `discountRows`, and their client ids unspent: importing the file again must work.
 */
export function undoImport(userId: SQL, importId: SQL, which: SQL): SQL[] {
  const rows = sql`import_id = ${importId} and user_id = ${userId} and ${which}`
  return [
    ...discountRows(userId, rows),
    sql`update imports set user_id = null where id = ${importId} and user_id = ${userId}`,
    sql`delete from transactions where ${rows}`,
    sql`delete from imports where id = ${importId} and user_id is null`,
  ]
}
