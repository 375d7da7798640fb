import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { isOutOfBounds } from '../../db/errors.ts'
import { allHold, brokenRules, clientIdUnspent, transactionRules } from '../transactions/rules.ts'

/**
 * Processes what is pending of a batch, in one round trip and one transaction, however many items there are.
 * Called again, or twice at once, it finds nothing pending. In this order:
 *
 * 1. What breaks a rule by now, since an account has gone, fails.
 * 2. What carries a client id that has landed before is a duplicate of that row.
 * 3. Without a client id, rows that were there before absorb equal items, one each (decisions.md, Sync).
 * 4. The rest is created.
 */
export async function processSync(db: Database, batchId: string, now: Date): Promise<void> {
  const steps = [
    failBroken(batchId),
    recogniseClientIds(batchId),
    ...choices.map((choice) => absorb(batchId, choice)),
    numberNewRows(batchId),
    recogniseRepeatedClientIds(batchId),
    insertNewRows(batchId, now),
    sql`update sync_items set outcome = 'created' where batch_id = ${batchId} and outcome = 'pending'`,
    sql`update sync_batches set status = 'completed', completed_at = ${now.getTime()}
         where id = ${batchId} and completed_at is null`,
  ]
  const [first, ...rest] = steps.map((step) => db.run(step))
  if (!first) return
  try {
    await db.batch([first, ...rest])
  } catch (error) {
    if (!isOutOfBounds(error)) throw error
    await failSync(
      db,
      batchId,
      'The amounts of this batch would push a balance or total past its bounds.',
      now,
    )
  }
}

/** Gives up on a batch: what is pending fails, with the reason, and stays for its owner to see. */
export async function failSync(db: Database, batchId: string, reason: string, now: Date): Promise<void> {
  const errors = JSON.stringify([['batch', reason]])
  await db.batch([
    db.run(sql`
      update sync_items set outcome = 'failed', errors = ${errors} where batch_id = ${batchId} and outcome = 'pending'`),
    db.run(sql`
      update sync_batches set status = 'failed', completed_at = ${now.getTime()}
       where id = ${batchId} and completed_at is null`),
  ])
}

const ownerOf = (batchId: string) => sql`(select user_id from sync_batches where id = ${batchId})`

function failBroken(batchId: string) {
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

function recogniseClientIds(batchId: string) {
  return sql`
    update sync_items set outcome = 'duplicate', transaction_id = row.id
      from transactions row
     where batch_id = ${batchId} and outcome = 'pending' and sync_items.client_id is not null
       and row.user_id = ${ownerOf(batchId)} and row.client_id = sync_items.client_id`
}

/** Which items choose, by what their reference must agree with, and which rows they choose from. */
type Choice = { items: SQL; reference: SQL; rows: SQL }

/** Items with a reference choose before those without, which fit any row: so as many as possible find one. */
const choices: Choice[] = [
  { items: sql`reference is not null`, reference: sql`reference`, rows: sql`row.reference = wanted.agreed` },
  { items: sql`reference is not null`, reference: sql`null`, rows: sql`row.reference is null` },
  { items: sql`reference is null`, reference: sql`null`, rows: sql`true` },
]

/** Pairs pending items with equal rows that have absorbed none yet: of equals, the first with the first, and so on. */
function absorb(batchId: string, { items, reference, rows }: Choice) {
  const equals = sql`account_id, to_account_id, type, amount, transaction_date, agreed`
  return sql`
    with item as (
      select *, row_number() over (partition by ${equals} order by position) as rank
        from (select *, ${reference} as agreed from sync_items
               where batch_id = ${batchId} and outcome = 'pending' and client_id is null and not force and ${items})
    ), candidate as (
      select row.id, wanted.*, row_number() over (
               partition by wanted.account_id, wanted.to_account_id, wanted.type, wanted.amount, wanted.transaction_date,
                            wanted.agreed order by row.reference is not null, row.id) as rank
        from (select distinct ${equals} from item) wanted
       cross join transactions row on row.account_id = wanted.account_id
         and row.transaction_date = wanted.transaction_date and row.amount = wanted.amount
         and row.type = wanted.type and row.to_account_id is wanted.to_account_id and ${rows}
       where row.user_id = ${ownerOf(batchId)}
         and row.id not in (select transaction_id from sync_items where batch_id = ${batchId} and transaction_id is not null)
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
function numberNewRows(batchId: string) {
  const isFirstOfItsClientId = sql`
    (client_id is null or position = (select min(twin.position) from sync_items twin
      where twin.batch_id = ${batchId} and twin.outcome = 'pending' and twin.client_id = sync_items.client_id))`
  return sql`
    update sync_items
       set transaction_id = numbered.rank + coalesce((select seq from sqlite_sequence where name = 'transactions'), 0)
      from (select position as place, row_number() over (order by position) as rank
              from sync_items
             where batch_id = ${batchId} and outcome = 'pending' and ${isFirstOfItsClientId}) numbered
     where batch_id = ${batchId} and position = numbered.place`
}

function recogniseRepeatedClientIds(batchId: string) {
  return sql`
    update sync_items set outcome = 'duplicate', transaction_id = first.transaction_id
      from sync_items first
     where sync_items.batch_id = ${batchId} and sync_items.outcome = 'pending' and sync_items.transaction_id is null
       and first.batch_id = ${batchId} and first.client_id = sync_items.client_id and first.transaction_id is not null`
}

function insertNewRows(batchId: string, now: Date) {
  return sql`
    insert into transactions (id, user_id, account_id, to_account_id, category_id, type, amount, description, reference,
                              transaction_date, is_synced, client_id, created_at, updated_at)
    select transaction_id, ${ownerOf(batchId)}, account_id, to_account_id, category_id, type, amount, description,
           reference, transaction_date, 1, client_id, ${now.getTime()}, ${now.getTime()}
      from sync_items
     where batch_id = ${batchId} and outcome = 'pending'
     order by position`
}
