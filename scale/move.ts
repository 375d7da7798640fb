import { sql } from 'drizzle-orm'
import type { Database } from '../src/db/client.ts'
import { isTaken } from '../src/db/errors.ts'
import { type Directory, keyOf } from './directory.ts'

/** A database by number. */
export type Numbered = { number: number; db: Database }

/** What a move needs. `secret` keys the directory's hashes, `graceMs` is longer than any request may take. */
export type Move = { directory: Directory; secret: string; from: Numbered; to: Numbered; graceMs: number }

/**
 * What moves, in the order of arriving, and what does not: kept figures, which the triggers make anew from what
 * arrives. Every table with a `user_id` is in one of the lists.
 */
export const movingTables = [
  'users',
  'accounts',
  'categories',
  'imports',
  'tokens',
  'password_resets',
  'sync_batches',
  'sync_items',
  'transactions',
  'spent_client_ids',
]
export const keptTables = ['month_totals', 'category_totals']
const keptColumns = [
  'users.balance',
  'users.transaction_count',
  'accounts.moved',
  'accounts.transaction_count',
]
/** A part is a row of its own, and the server takes five million bytes in one; a row of a user's is far below one. */
const bytesOfPart = 1_000_000
const peopleOfPage = 5_000

/**
 * Moves a user with everything that is theirs. From the old database they depart in one transaction, which keeps in
 * `departures` what they had; in the new one they arrive part by part; then the directory sends them there, and until
 * then it sends them away with a 503. Where it fails half-way, calling it again goes on from there.
 *
 * Only upwards: in a database with a lower number, their ids would push its counters into somebody else's range.
 */
export async function moveUser(userId: number, move: Move): Promise<void> {
  const { directory, from, to, graceMs } = move
  if (to.number <= from.number) throw new Error('Users move only to a database with a higher number')
  await Promise.all([prepareForMoves(from.db), prepareForMoves(to.db)])

  const known = await knownBy(userId, move)
  await directory.put(known, 'moving')
  // Nobody can sign in any more. Whoever was about to has done so after this, and has a token that moves along.
  await new Promise((resolve) => setTimeout(resolve, graceMs))
  await directory.put(await knownBy(userId, move), 'moving')

  await depart(userId, from.db)
  const parts = await partsOf(userId, from.db)
  // Without any, they have left for good while we waited.
  for (const part of parts) await arrive(userId, await readPart(userId, part, from.db), to.db)
  const home = parts.length > 0 ? to.number : from.number
  await directory.put([...known, ...(await knownBy(userId, move))], home)
  await from.db.batch([from.db.run(sql`delete from departures where user_id = ${userId}`)])
}

/** Enters the people of a database that was there before the directory. */
export async function enrol(directory: Directory, secret: string, { number, db }: Numbered): Promise<void> {
  for (let last = 0; ; ) {
    const [people] = await db.batch([
      db.all<KnownUser & { id: number }>(
        sql`select id, email, idp_id from users where id > ${last} order by id limit ${peopleOfPage}`,
      ),
    ])
    await directory.put(
      (await Promise.all(people.map((person) => keysOfPerson(person, secret)))).flat(),
      number,
    )
    if (people.length < peopleOfPage) return
    last = people.at(-1)?.id ?? last
  }
}

type KnownUser = { email: string; idp_id: string | null }
type Place = { step: number; part: number }
type Part = Place & { columns: string; rows: string }

/** The directory's keys of a user who is in the old database, or has departed from it. */
async function knownBy(userId: number, { secret, from: { db } }: Move): Promise<string[]> {
  const [users, tokens, [left], leftTokens] = await db.batch([
    db.all<KnownUser>(sql`select email, idp_id from users where id = ${userId}`),
    db.all<{ id: number }>(sql`select id from tokens where user_id = ${userId}`),
    db.all<Part>(sql`select * from departures where user_id = ${userId} and step = ${stepOf('users')}`),
    db.all<Part>(sql`select * from departures where user_id = ${userId} and step = ${stepOf('tokens')}`),
  ])
  const person = users[0] ?? (left && rowsOf<KnownUser>(left)[0])
  if (!person) return []
  const tokenIds = [...tokens, ...leftTokens.flatMap((part) => rowsOf<{ id: number }>(part))]
  return [
    keyOf.user(userId),
    ...(await keysOfPerson(person, secret)),
    ...tokenIds.map(({ id }) => keyOf.token(id)),
  ]
}

async function keysOfPerson({ email, idp_id }: KnownUser, secret: string): Promise<string[]> {
  return [
    await keyOf.address(secret, email),
    ...(idp_id === null ? [] : [await keyOf.identity(secret, idp_id)]),
  ]
}

/** Takes the user out, and keeps what they had. For every request, message or job that comes later they do not exist. */
async function depart(userId: number, db: Database): Promise<void> {
  const columnsOf = await columnsByTable(db)
  // As text: the client sends every number as a float, and the quotient would have a fraction.
  const part = sql.raw(`sum(octet_length(row)) over (order by place) / ${bytesOfPart}`)
  const steps = movingTables.map((table, step) => {
    const columns = columnsOf.get(table) ?? []
    const names = sql.raw(columns.map((name) => `"${name}"`).join(', '))
    return db.run(sql`
      insert into departures (user_id, step, part, columns, rows)
      select ${userId}, ${step}, part, ${JSON.stringify(columns)}, json_group_array(json(row))
        from (select row, ${part} as part
                from (select rowid as place, json_array(${names}) as row
                        from ${sql.raw(table)} where ${isTheirs(table, userId)}))
       group by part`)
  })
  const leave = db.run(sql`delete from users where id = ${userId}`)
  const [first = leave, ...rest] = [...steps, leave]
  await db.batch([first, ...rest])
}

function isTheirs(table: string, userId: number) {
  if (table === 'users') return sql`id = ${userId}`
  if (table === 'sync_items') return sql`batch_id in (select id from sync_batches where user_id = ${userId})`
  return sql`user_id = ${userId}`
}

async function partsOf(userId: number, db: Database): Promise<Place[]> {
  const [parts] = await db.batch([
    db.all<Place>(sql`select step, part from departures where user_id = ${userId} order by step, part`),
  ])
  return parts
}

/** One at a time: an answer of the database may have ten megabytes at most. */
async function readPart(userId: number, { step, part }: Place, db: Database): Promise<Part> {
  const [[found]] = await db.batch([
    db.all<Part>(
      sql`select * from departures where user_id = ${userId} and step = ${step} and part = ${part}`,
    ),
  ])
  if (!found) throw new Error('A part of the departure is missing')
  return found
}

/** Writes a part, unless it has arrived already. */
async function arrive(userId: number, { step, part, columns, rows }: Part, db: Database): Promise<void> {
  const names: string[] = JSON.parse(columns)
  const values = names.map((_, index) => sql`value ->> ${sql.raw(String(index))}`)
  try {
    await db.batch([
      db.run(sql`insert into arrivals (user_id, step, part) values (${userId}, ${step}, ${part})`),
      db.run(sql`
        insert into ${sql.raw(movingTables[step] ?? '')} (${sql.raw(names.map((name) => `"${name}"`).join(', '))})
        select ${sql.join(values, sql`, `)} from json_each(${rows})`),
    ])
  } catch (error) {
    if (!isTaken(error, 'arrivals.part')) throw error
  }
}

/** The columns that move, as the database has them: a new one moves along. */
async function columnsByTable(db: Database): Promise<Map<string, string[]>> {
  const [rows] = await db.batch([
    db.all<{ tbl: string; name: string }>(sql`
      select t.value as tbl, c.name as name from json_each(${JSON.stringify(movingTables)}) t, pragma_table_info(t.value) c
       where t.value || '.' || c.name not in (select value from json_each(${JSON.stringify(keptColumns)}))`),
  ])
  return new Map(
    [...Map.groupBy(rows, ({ tbl }) => tbl)].map(([table, columns]) => [
      table,
      columns.map(({ name }) => name),
    ]),
  )
}

async function prepareForMoves(db: Database): Promise<void> {
  await db.batch([
    db.run(sql`create table if not exists departures (user_id integer, step integer, part integer,
                 columns text not null, rows text not null, primary key (user_id, step, part))`),
    db.run(sql`create table if not exists arrivals (user_id integer, step integer, part integer,
                 primary key (user_id, step, part))`),
  ])
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
