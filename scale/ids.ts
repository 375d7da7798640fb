import { sql } from 'drizzle-orm'
import type { Database } from '../src/db/client.ts'
import { runAll } from '../src/db/run.ts'

/** Each database has its own range of ids, so that an id tells where its row was created. Number 0 begins at 1. */
export const idsPerDatabase = 2 ** 40

/** The tables with autoincremented ids. */
const countedTables = ['users', 'tokens', 'accounts', 'categories', 'imports']

/** The number of the database that assigned an id. */
export function databaseOf(id: number): number {
  return Math.floor(id / idsPerDatabase)
}

/** Makes a migrated database count its ids from the start of its range. Repeating it changes nothing. */
export async function allotIds(db: Database, number: number): Promise<void> {
  // Raw, since the driver sends every number as a float, and this column would store it as one.
  const start = sql.raw(String(number * idsPerDatabase))
  const names = JSON.stringify(countedTables)
  await runAll(db, {
    raised: db.run(sql`update sqlite_sequence set seq = ${start}
                where seq < ${start} and name in (select value from json_each(${names}))`),
    added: db.run(sql`insert into sqlite_sequence (name, seq) select value, ${start} from json_each(${names})
                where value not in (select name from sqlite_sequence)`),
    transactions: db.run(sql`insert into spent_ids (noun, highest) values ('transactions', ${start})
                on conflict do update set highest = max(highest, excluded.highest)`),
  })
}
