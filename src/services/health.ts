import { eq } from 'drizzle-orm'
import { runBatch } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { users } from '../db/schema.ts'

/** Resolves if the database answers and has its tables. Throws DatabaseUnavailable. */
export async function checkDatabase(db: Database): Promise<void> {
  await runBatch(db, { nobody: db.select({ id: users.id }).from(users).where(eq(users.id, 0)) })
}
