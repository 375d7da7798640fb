import { sql } from 'drizzle-orm'
import type { Database } from '../src/db/client.ts'

/** Every database has a range of ids of its own, so that an id says where its row was made. Number 0 begins at 1. */
export const idsPerDatabase = 2 ** 40

/** The tables whose ids are counted up. */
const countedTables = ['users', 'tokens', 'accounts', 'categories', 'transactions', 'imports']

/** The number of the database that gave out an id. */
export function databaseOf(id: number): number {
  return Math.floor(id / idsPerDatabase)
}

/** Lets a migrated database count its ids from the beginning of its own range. Done again, it changes nothing. */
export async function allotIds(db: Database, number: number): Promise<void> {
  // As text: the client sends every number as a float, and this column would keep it as one.
  const start = sql.raw(String(number * idsPerDatabase))
  const names = JSON.stringify(countedTables)
  await db.batch([
    db.run(sql`update sqlite_sequence set seq = ${start}
                where seq < ${start} and name in (select value from json_each(${names}))`),
    db.run(sql`insert into sqlite_sequence (name, seq) select value, ${start} from json_each(${names})
                where value not in (select name from sqlite_sequence)`),
  ])
}
