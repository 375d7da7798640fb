import type { PurseClient } from '../create.ts'
import type { BearerHeader, GetBearer } from '../own-token.ts'
import type { Stopped } from '../stopped.ts'
import type { Copy } from './copy.ts'
import type { Change, Pending, Result } from './pending.ts'
import { type Key, references } from './rows.ts'
import { type Entry, partsOf } from './store.ts'

/** The result of one sync. If it ended early, nothing is lost: the next one continues. */
export type LedgerReport = {
  /** Changes that were sent, with nothing left to do about them. */
  sent: number
  /** Changes that were received, including this device's own. */
  received: number
  /** Changes that conflict with a change made elsewhere: see `conflicts`. */
  conflicts: number
  /** Changes that were rejected: see `rejected`. */
  rejected: number
  /** Changes that are still pending, without conflicts and rejections. */
  waiting: number
  stopped: Stopped | null
}

export type SyncOptions = Pick<
  Copy,
  | 'stored'
  | 'commit'
  | 'keep'
  | 'markChanged'
  | 'markServed'
  | 'markAllChanged'
  | 'showChanged'
  | 'showProgress'
> & {
  client: Pick<PurseClient, 'api'>
  bearer: GetBearer
  limits: typeof syncLimits
}

/** The most that an upload and a page may hold (docs/client.md, Keeping a copy). */
export const syncLimits = { operations: 500, bytes: 1_000_000, rows: 5_000 }

/** One sync. Results that arrive before the feed's last page are applied with that page. */
export type LedgerRun = SyncOptions & {
  report: LedgerReport
  headers: BearerHeader
  /** Results that have not been applied yet, by the id of the pending change. */
  results: Map<string, Result>
  /** The ids of the changes that this run has sent. One that succeeds leaves, so that a later change can follow. */
  attempted: Set<string>
  /** True once the feed's last page has been applied, and with it all results. */
  isUpToDate: boolean
  /** True once the rows have not added up, so that all are read again: at most once in a run. */
  isRepaired: boolean
  /** True once the cursor has been refused, so that a snapshot is read: at most once in a run. */
  isRenewed: boolean
}

/** Stores a pending change. Its row is shown with the others that the run changes. */
export function keepChanged(run: LedgerRun, id: string, pending: Pending | undefined): Entry {
  const entry = run.keep(id, pending)
  run.markChanged(...partsOf(id))
  return entry
}

/** The ids of the rows that a change refers to, as in `Stored.pending`. */
export function referredTo(change: Change | null): string[] {
  return references.map(([field, noun]) => `${noun} ${change?.set[field]}`)
}

/** False for a rule that has been deleted. */
export function isKnownRule(run: LedgerRun, key: Key): boolean {
  const { rows, pending } = run.stored()
  return rows.get('recurring', key) !== undefined || pending.has(`recurring ${key}`)
}
