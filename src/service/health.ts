import { eq } from 'drizzle-orm'
import { type Database, runOne } from '../database/run.ts'
import { users } from '../database/schema.ts'

/** Resolves if the database responds and has its tables. Throws DatabaseUnavailable if it does not respond. */
export async function checkDatabase(db: Database): Promise<void> {
  await runOne(db, db.select({ id: users.id }).from(users).where(eq(users.id, 0)))
}
