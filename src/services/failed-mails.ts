import type { Database } from '../db/client.ts'
import { failedMails } from '../db/schema.ts'

/** A mail that could not be sent, without its contents. */
export type FailedMail = { id: string; kind: string; recipient: string; reason: string }

/** Keeps a record of a mail that could not be sent; the same mail is recorded once. */
export async function recordFailedMail(db: Database, mail: FailedMail, now: Date): Promise<void> {
  await db.batch([
    db
      .insert(failedMails)
      .values({ ...mail, failedAt: now })
      .onConflictDoNothing(),
  ])
}
