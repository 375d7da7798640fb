import type { FieldErrors } from '../api.ts'
import type { PurseClient } from '../create.ts'
import type { BearerHeader } from '../own-token.ts'
import { type Stopped, stoppedBy } from '../stopped.ts'
import type { QueueStore, StoredItem } from './store.ts'

/** What one run did. Whatever stopped it, nothing is lost: the next run goes on from there. */
export type SyncReport = {
  created: number
  /** Existed already: the answer to an earlier run was lost. */
  duplicate: number
  /** Refused for good, and kept with their errors for the app to show. */
  rejected: number
  stopped: Stopped | null
}

/** What the steps of one run share. */
export type QueueRun = {
  client: Pick<PurseClient, 'api'>
  /** Sent with every request: a run belongs to one person, even if another signs in meanwhile. */
  headers: BearerHeader
  store: QueueStore
  report: SyncReport
}

/** Does one step. If it is refused, the run goes on with the next; what stops the whole run is thrown. */
export async function step(report: SyncReport, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const stopped = stoppedBy(error)
    if (stopped.reason !== 'refused') throw error
    report.stopped ??= stopped
  }
}

/** Keeps an item with its errors, for a person to look at. */
export async function reject(
  { store, report }: QueueRun,
  item: StoredItem,
  errors: FieldErrors,
): Promise<void> {
  await store.keep({ ...item, errors })
  report.rejected += 1
}
