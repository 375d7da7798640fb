import { eq } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { runOne } from '../db/run.ts'
import { users } from '../db/schema.ts'

/** Resolves if the database answers and has its tables. Throws DatabaseUnavailable if it does not answer. */
export async function checkDatabase(db: Database): Promise<void> {
  await runOne(db, db.select({ id: users.id }).from(users).where(eq(users.id, 0)))
}
