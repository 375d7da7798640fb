import { sql } from 'drizzle-orm'
import type { Database } from '../../src/database/run.ts'

/** Creates a table of writers, and the log in which every transaction that writes names its own (written-by.ts). */
export async function createWritten(db: Database): Promise<void> {
  await db.batch([
    db.run(sql`create table written (writer integer)`),
    db.run(sql`
      create table reconciliation_log (
        id integer primary key, write_id integer, by_kind text, by_name text, token_id integer
      )`),
  ])
}
