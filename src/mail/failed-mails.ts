import { type Database, runOne } from '../database/run.ts'
import { failedMails } from '../database/schema.ts'

/** An email that could not be sent, without its contents. */
export type FailedMail = { id: string; kind: string; recipient: string; reason: string }

/** Records an email that could not be sent. A repeated id is ignored. */
export async function recordFailedMail(db: Database, mail: FailedMail, now: Date): Promise<void> {
  const row = { ...mail, failedAt: now }
  await runOne(db, db.insert(failedMails).values(row).onConflictDoNothing())
}
