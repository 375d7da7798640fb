import { and, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod/mini'
import { type Database, runAll, runOne } from '../database/run.ts'
import type { Handler } from '../queues/dispatch.ts'
import type { RemovalQueue } from '../queues/queues.ts'

/*
 * A deleted user, account or category disappears from all responses at once, however much it held. The rows that it leaves
 * behind are removed here, in parts so small that other writers wait for a fraction of a second.
 */

const rowsPerPart = 1_000
/** Each has up to a thousand items. */
const batchesPerPart = 10
/** After these parts, the user is queued again, behind the messages of others. */
const partsPerMessage = 50
const messagesPerSweep = 1_000

/** The other tables with rowids in which a deleted user leaves rows, and how many are removed at a time. */
const leftovers = {
  sync_batches: batchesPerPart,
  spent_client_ids: rowsPerPart,
  imports: rowsPerPart,
  categories: rowsPerPart,
}

/**
 * Removes what is left of a user's deleted accounts and, if the user has been deleted, of everything else: at most
 * `partsPerMessage` parts. Returns whether nothing is left. It may run twice at once, and be interrupted anywhere.
 */
export async function removeDeleted(db: Database, userId: number): Promise<boolean> {
  for (let part = 0; part < partsPerMessage; part++) {
    if (await removePart(db, userId)) return true
  }
  return false
}

/**
 * Posts a message for each user with deleted rows left, since messages can be lost, and removes deleted categories
 * to which no transaction refers any more.
 */
export async function sweepDeleted(db: Database, queue: RemovalQueue): Promise<Record<string, number>> {
  const deleted = sql`
    select id from former_users union select former_user_id from accounts where former_user_id is not null
     limit ${messagesPerSweep}`
  const unused = sql`
    select id from categories
     where user_id is null and not exists (select 1 from transactions where category_id = categories.id)
     limit ${rowsPerPart}`
  // Selected separately, since a read does not block writers. In between, no row can begin to refer to a deleted one.
  const found = await runAll(db, {
    users: db.all<{ id: number }>(deleted),
    categories: db.all<{ id: number }>(unused),
  })
  const ids = JSON.stringify(found.categories.map(({ id }) => id))
  const removal = sql`delete from categories where id in (select value from json_each(${ids}))`
  if (found.categories.length > 0) await runOne(db, db.run(removal))
  await queue.sendBatch(found.users.map(({ id }) => id))
  return { removals: found.users.length, categories: found.categories.length }
}

/**
 * Removes one part, in a transaction, and returns whether nothing is left. Transactions go first, since they refer to the
 * other rows, and newest first: the lists of a user who still exists begin there, and would have to pass over them.
 */
async function removePart(db: Database, userId: number): Promise<boolean> {
  const steps = [
    ...removeTransactions(userId),
    ...removeChecks(userId),
    removeAccounts(userId),
    ...removeLeftovers(userId),
  ]
  const { left } = await runAll(db, {
    steps: steps.map((step) => db.run(step)),
    left: db.all(sql`
      select id from former_users where id = ${userId}
       union all
      select id from accounts where former_user_id = ${userId} limit 1`),
  })
  return left.length === 0
}

/** The user's id if they have been deleted, or else null, so that no row is read. */
const formerUser = (userId: number) => sql`(select id from former_users where id = ${userId})`

/**
 * The statements that remove transactions of a deleted user or of a deleted account, and then its imported originals.
 */
function removeTransactions(userId: number): SQL[] {
  const former = formerUser(userId)
  const account = sql`(select min(id) from accounts where former_user_id = ${userId} and ${former} is null)`
  const newest = (rows: SQL) => sql`
    delete from transactions where id in (
      select id from transactions where ${rows} order by transaction_date desc limit ${rowsPerPart})`
  return [
    newest(sql`user_id = ${former}`),
    newest(sql`account_id = ${account}`),
    newest(sql`to_account_id = ${account}`),
    // Only once no transaction is left: until then, each part would read the imported originals of those left, in vain.
    sql`
    delete from imported_originals where (user_id, id) in (
      select user_id, id from imported_originals indexed by imported_originals_account_date_amount
       where ${isUselessWithout(userId, account)} and ${hasNoTransactions(account)}
       limit ${rowsPerPart})`,
  ]
}

/**
 * True for an imported original that is of no use without its account. Two kinds are of use: joined rows, which may come back
 * on another account, and edited rows that were moved to another account: otherwise, their next edit would be recorded as
 * their first.
 */
const isUselessWithout = (userId: number, account: SQL) =>
  sql`user_id = ${userId} and account_id = ${account} and kind is null
    and not exists (select 1 from transactions where transactions.id = imported_originals.id)`

const hasNoTransactions = (account: SQL) =>
  sql`not exists (select 1 from transactions where account_id = ${account})
    and not exists (select 1 from transactions where to_account_id = ${account})`

/** The statements that remove the balance checks of accounts, deleted or of a deleted user, and the log of their changes. */
function removeChecks(userId: number): SQL[] {
  const gone = sql`
    select id from accounts where former_user_id = ${userId} or user_id = ${formerUser(userId)}`
  return ['balance_checks', 'reconciliation_log'].map(
    (table) => sql`
    delete from ${sql.identifier(table)} where id in (
      select row.id from (${gone}) account cross join ${sql.identifier(table)} row on row.account_id = account.id
       limit ${rowsPerPart})`,
  )
}

/** The statement that removes accounts, deleted or of a deleted user, to which no transaction refers any more. */
function removeAccounts(userId: number): SQL {
  return sql`
    delete from accounts where id in (
      select id from accounts
       where (former_user_id = ${userId} or user_id = ${formerUser(userId)})
         and ${hasNoTransactions(sql`accounts.id`)}
         and not exists (select 1 from balance_checks where account_id = accounts.id)
         and not exists (select 1 from reconciliation_log where account_id = accounts.id)
         and not exists (
           select 1 from imported_originals indexed by imported_originals_account_date_amount where ${isUselessWithout(userId, sql`accounts.id`)})
       limit ${rowsPerPart})`
}

/** The statements that remove all else of a deleted user, once their transactions are gone, and finally the user. */
function removeLeftovers(userId: number): SQL[] {
  // The user's id, or null as long as transactions are left, so that no row is read.
  const emptied = sql`(
    select id from former_users where id = ${userId} and not exists (select 1 from transactions where user_id = ${userId}))`
  // For tables without rowids.
  const leftOf = (table: string, key: SQL) => sql`
    delete from ${sql.identifier(table)} where (${key}) in (
      select ${key} from ${sql.identifier(table)} where user_id = ${emptied} limit ${rowsPerPart})`
  const isAllGone = [
    'accounts',
    'totals',
    'changes',
    'imported_originals',
    'rejected_matches',
    ...Object.keys(leftovers),
  ].map((table) => sql`not exists (select 1 from ${sql.identifier(table)} where user_id = ${userId})`)
  return [
    leftOf('totals', sql`user_id, month, type, category_id, account_id, to_account_id`),
    leftOf('changes', sql`user_id, seq`),
    leftOf('imported_originals', sql`user_id, id`),
    leftOf('rejected_matches', sql`user_id, first_id, second_id, kind`),
    ...Object.entries(leftovers).map(
      ([table, rows]) => sql`
    delete from ${sql.identifier(table)} where rowid in (
      select rowid from ${sql.identifier(table)} where user_id = ${emptied} limit ${rows})`,
    ),
    sql`delete from former_users where id = ${emptied} and ${and(...isAllGone)}`,
  ]
}

const messageSchema = z.object({ user_id: z.int() })

/** Removes what users have deleted. `remove` does part of it; while it returns false, the user is queued again. */
export function removalConsumer(remove: (userId: number) => Promise<boolean>, queue: RemovalQueue): Handler {
  return async (message) => {
    const { data } = messageSchema.safeParse(message.body)
    if (!data) console.error(JSON.stringify({ event: 'removal message not understood', id: message.id }))
    else if (!(await remove(data.user_id))) await queue.sendBatch([data.user_id])
    return 'done'
  }
}
