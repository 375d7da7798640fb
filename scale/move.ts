import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../src/db/client.ts'
import { isTaken } from '../src/db/errors.ts'
import { countRows } from '../src/db/figures.ts'
import { hasLiveAccounts } from '../src/db/live-accounts.ts'
import { runAll, runOne } from '../src/db/run.ts'
import { type Directory, keyOf } from './directory.ts'
import { databaseOf, idsPerDatabase } from './ids.ts'

/** A database by number. */
export type NumberedDatabase = { number: number; db: Database }

/** What a move needs: `secret` keys the directory's hashes, `graceMs` is longer than any sign-in may take. */
export type Move = {
  directory: Directory
  secret: string
  from: NumberedDatabase
  to: NumberedDatabase
  graceMs: number
}

/**
 * What moves, in order of arrival, and what does not: kept figures, which are computed again from what has arrived.
 * Every table with a `user_id` is in one of these lists.
 */
export const movingTables = [
  'users',
  'changes',
  'accounts',
  'categories',
  'imports',
  'tokens',
  'password_resets',
  'sync_batches',
  'sync_parts',
  'transactions',
  'spent_client_ids',
  'remembered',
  'rejected_matches',
]
export const keptTables = ['totals']
const keptColumns = [
  'accounts.moved',
  'accounts.transaction_count',
  'accounts.incoming_count',
  // Without them, no job of the new database touches what has not arrived completely.
  'sync_batches.queued_at',
  'users.reminder_look_at',
]
/**
 * A part exceeds this by less than one row, of which the largest has three million bytes, and is itself stored as a row,
 * for which the server takes five million.
 */
const bytesOfPart = 1_000_000
const rowsPerPage = 5_000

/**
 * Moves a user and all their data. They leave the old database in one transaction, which stores their rows in
 * `departures`, and arrive in the new one part by part. Then the directory sends their requests there; in between, they
 * are answered 503. If it fails halfway, calling it again resumes it.
 *
 * Throws unless the number is higher: in a database with a lower one, their ids would push its counters into another
 * range.
 */
export async function moveUser(userId: number, move: Move): Promise<void> {
  const { directory, from, to, graceMs } = move
  if (to.number <= from.number) throw new Error('Users move only to a database with a higher number')
  await Promise.all([prepareForMoves(from.db), prepareForMoves(to.db)])

  const known = await knownBy(userId, move)
  await directory.put(known, 'moving')
  // From now on nobody can sign in. Sign-ins under way finish during this wait, and their tokens move as well.
  await new Promise((resolve) => setTimeout(resolve, graceMs))
  await directory.put(await knownBy(userId, move), 'moving')

  await depart(userId, from.db)
  const parts = await partsOf(userId, from.db)
  // Without any parts, the user was deleted while we waited.
  for (const part of parts) await arrive(userId, await readPart(userId, part, from.db), to.db)
  if (parts.length > 0) await countArrived(userId, to.db)
  const home = parts.length > 0 ? to.number : from.number
  await directory.put([...known, ...(await knownBy(userId, move))], home)
  await runOne(from.db, from.db.run(sql`delete from departures where user_id = ${userId}`))
}

/**
 * Adds the users of a database that is older than the directory. What has moved there is told by its ids: they are below
 * the database's own.
 */
export async function enrol(directory: Directory, secret: string, { number, db }: NumberedDatabase) {
  const hasMoved = ({ id }: { id: number }) => databaseOf(id) < number
  const users = (last: number) => sql`select id, email, idp_id from users where id > ${last}`
  for await (const page of pagesOf<KnownUser & { id: number }>(db, users)) {
    const keys = await Promise.all(page.map((user) => keysOfUser(user, secret)))
    const moved = page.filter(hasMoved).map(({ id }) => keyOf.user(id))
    await directory.put([...keys.flat(), ...moved], number)
  }
  const firstOwn = number * idsPerDatabase
  const movedTokens = (last: number) => sql`select id from tokens where id > ${last} and id < ${firstOwn}`
  for await (const page of pagesOf(db, movedTokens)) {
    const keys = page.map(({ id }) => keyOf.token(id))
    await directory.put(keys, number)
  }
}

/** The rows of a query, page by page; `rowsAfter` asks for those above an id. */
async function* pagesOf<T extends { id: number }>(db: Database, rowsAfter: (id: number) => SQL) {
  for (let last = 0; ; ) {
    const page = await runOne(db, db.all<T>(sql`${rowsAfter(last)} order by id limit ${rowsPerPage}`))
    yield page
    if (page.length < rowsPerPage) return
    last = page.at(-1)?.id ?? last
  }
}

type KnownUser = { email: string; idp_id: string | null }
type PartKey = { step: number; part: number }
type Part = PartKey & { columns: string; rows: string }

/** The directory's keys for a user who is in the old database, or has left it. */
async function knownBy(userId: number, { secret, from: { db } }: Move): Promise<string[]> {
  const departed = (table: string) =>
    db.all<Part>(sql`select * from departures where user_id = ${userId} and step = ${stepOf(table)}`)
  const present = await runAll(db, {
    users: db.all<KnownUser>(sql`select email, idp_id from users where id = ${userId}`),
    tokens: db.all<{ id: number }>(sql`select id from tokens where user_id = ${userId}`),
    departedUsers: departed('users'),
    departedTokens: departed('tokens'),
  })
  const [user] = [...present.users, ...present.departedUsers.flatMap(rowsOf<KnownUser>)]
  if (!user) return []
  const tokens = [...present.tokens, ...present.departedTokens.flatMap(rowsOf<{ id: number }>)]
  return [keyOf.user(userId), ...(await keysOfUser(user, secret)), ...tokens.map(({ id }) => keyOf.token(id))]
}

async function keysOfUser({ email, idp_id }: KnownUser, secret: string): Promise<string[]> {
  return [
    await keyOf.address(secret, email),
    ...(idp_id === null ? [] : [await keyOf.identity(secret, idp_id)]),
  ]
}

/**
 * Deletes the user and stores their rows. For every later request, message and job they do not exist, and what is left
 * of them is removed like that of any deleted user. Does nothing if they have been deleted already.
 */
async function depart(userId: number, db: Database): Promise<void> {
  const columnsOf = await columnsByTable(db)
  // Raw, since the driver sends every number as a float, and the quotient would have a fraction.
  const part = sql.raw(`sum(octet_length(row)) over (order by place) / ${bytesOfPart}`)
  const steps = movingTables.map((table, step) => {
    const columns = columnsOf.get(table) ?? []
    const names = sql.raw(columns.map((name) => `"${name}"`).join(', '))
    return db.run(sql`
      insert into departures (user_id, step, part, columns, rows)
      select ${userId}, ${step}, part, ${JSON.stringify(columns)}, json_group_array(json(row))
        from (select row, ${part} as part
                from (select ${placeOf(table)} as place, json_array(${names}) as row
                        from ${sql.raw(table)} where ${isTheirs(table, userId)}))
       group by part`)
  })
  const isGone = sql`user_id = ${userId} and user_id in (select id from users) and not ${hasLiveAccounts}`
  await runAll(db, {
    // Rows that are deleted but not yet removed stay here. Their effects move: spent client ids, no category.
    clientIds: db.run(sql`
      insert into spent_client_ids (user_id, noun, client_id, row_id)
      select user_id, 'transaction', client_id, id from transactions where client_id is not null and ${isGone} on conflict do nothing`),
    categories: db.run(sql`
      update transactions set category_id = null
       where user_id = ${userId} and user_id in (select id from users)
         and category_id in (select id from categories where user_id is null)`),
    steps,
    left: db.run(sql`delete from users where id = ${userId}`),
  })
}

/** The order of a table's rows. */
function placeOf(table: string) {
  return sql.raw({ changes: 'seq', remembered: 'id', rejected_matches: 'first_id' }[table] ?? 'rowid')
}

function isTheirs(table: string, userId: number) {
  const isStillThere = sql`${userId} in (select id from users)`
  if (table === 'users') return sql`id = ${userId}`
  if (table === 'sync_parts')
    return sql`batch_id in (select id from sync_batches where user_id = ${userId}) and ${isStillThere}`
  const rows = sql`user_id = ${userId} and ${isStillThere}`
  if (table === 'transactions') return sql`${rows} and ${hasLiveAccounts}`
  if (table === 'remembered') return sql`${rows} and ${isRemembered('remembered', userId)}`
  if (table === 'rejected_matches')
    return sql`${rows} and ${isKnown('first_id', userId)} and ${isKnown('second_id', userId)}`
  return rows
}

/** Holds unless a row of that id has been deleted with its account, and waits to be removed. */
const isLive = (id: string) =>
  sql`exists (select 1 from transactions where transactions.id = ${sql.raw(id)} and ${hasLiveAccounts})`

/** Holds for what is remembered, unless its account or the transaction that stands for it has been deleted. */
const isRemembered = (row: string, userId: number) => sql`(
  ${sql.raw(row)}.account_id in (select id from accounts where user_id = ${userId})
  and (${sql.raw(row)}.survivor_id is null or ${isLive(`${row}.survivor_id`)}))`

/** Holds if one of a rejected match's transactions moves, or is joined with one that does. */
const isKnown = (id: string, userId: number) => sql`(${isLive(`rejected_matches.${id}`)} or exists (
  select 1 from remembered gone
   where gone.user_id = ${userId} and gone.id = rejected_matches.${sql.raw(id)} and gone.survivor_id is not null
     and ${isRemembered('gone', userId)}))`

function partsOf(userId: number, db: Database): Promise<PartKey[]> {
  const parts = sql`select step, part from departures where user_id = ${userId} order by step, part`
  return runOne(db, db.all<PartKey>(parts))
}

/** One at a time, since the database's answers may not exceed ten megabytes. */
async function readPart(userId: number, { step, part }: PartKey, db: Database): Promise<Part> {
  const wanted = sql`select * from departures where user_id = ${userId} and step = ${step} and part = ${part}`
  const [found] = await runOne(db, db.all<Part>(wanted))
  if (!found) throw new Error('A part of the departure is missing')
  return found
}

/** Writes a part, unless it has arrived already. */
async function arrive(userId: number, { step, part, columns, rows }: Part, db: Database): Promise<void> {
  const names: string[] = JSON.parse(columns)
  const values = names.map((_, index) => sql`value ->> ${sql.raw(String(index))}`)
  try {
    await runAll(db, {
      arrival: db.run(sql`insert into arrivals (user_id, step, part) values (${userId}, ${step}, ${part})`),
      rows: db.run(sql`
        insert into ${sql.raw(movingTables[step] ?? '')} (${sql.raw(names.map((name) => `"${name}"`).join(', '))})
        select ${sql.join(values, sql`, `)} from json_each(${rows})`),
    })
  } catch (error) {
    if (!isTaken(error, 'arrivals.part')) throw error
  }
}

/**
 * Computes the kept figures again, since the triggers have counted only some of the rows, and lets the jobs of the
 * database see the user. Repeating it changes nothing.
 */
async function countArrived(userId: number, db: Database): Promise<void> {
  await runAll(db, {
    totals: db.run(sql`delete from totals where user_id = ${userId}`),
    accounts: db.run(
      sql`update accounts set moved = 0, transaction_count = 0, incoming_count = 0 where user_id = ${userId}`,
    ),
    counted: countRows(sql`${userId}`, sql`user_id = ${userId}`).map((statement) => db.run(statement)),
    // The next sweep queues the oldest batch that is waiting; finishing it queues the next.
    batches: db.run(sql`
      update sync_batches set queued_at = 0
       where id = (select id from sync_batches where user_id = ${userId} and completed_at is null
                    order by created_at, rowid limit 1)`),
    reminders: db.run(sql`
      update users set reminder_look_at = ${Date.now()} where id = ${userId} and reminder_time is not null`),
  })
}

/** The columns that move, read from the database, so that new ones move as well. */
async function columnsByTable(db: Database): Promise<Map<string, string[]>> {
  const columns = sql`
    select t.value as tbl, json_group_array(c.name) as names
      from json_each(${JSON.stringify(movingTables)}) t, pragma_table_info(t.value) c
     where t.value || '.' || c.name not in (select value from json_each(${JSON.stringify(keptColumns)}))
     group by 1`
  const tables = await runOne(db, db.all<{ tbl: string; names: string }>(columns))
  return new Map(tables.map(({ tbl, names }) => [tbl, JSON.parse(names)]))
}

async function prepareForMoves(db: Database): Promise<void> {
  await runAll(db, {
    departures: db.run(sql`create table if not exists departures (user_id integer, step integer, part integer,
                 columns text not null, rows text not null, primary key (user_id, step, part))`),
    arrivals: db.run(sql`create table if not exists arrivals (user_id integer, step integer, part integer,
                 primary key (user_id, step, part))`),
  })
}

function rowsOf<T>({ columns, rows }: Part): T[] {
  const names: string[] = JSON.parse(columns)
  return JSON.parse(rows).map((row: unknown[]) =>
    Object.fromEntries(names.map((name, index) => [name, row[index]])),
  )
}

function stepOf(table: string): number {
  return movingTables.indexOf(table)
}
