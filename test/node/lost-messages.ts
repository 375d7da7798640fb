import { isNull } from 'drizzle-orm'
import { batches as storedBatches } from '../../src/database/schema.ts'
import type { openDatabase } from '../databases/open.ts'

/** Makes waiting batches look half a minute old, when a message that has not arrived counts as lost. */
export async function loseMessages(db: ReturnType<typeof openDatabase>): Promise<void> {
  await db.batch([
    db
      .update(storedBatches)
      .set({ queuedAt: new Date(0) })
      .where(isNull(storedBatches.completedAt)),
  ])
}
