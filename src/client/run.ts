import type { FieldErrors } from './api.ts'
import type { PurseClient } from './create.ts'
import { ApiError, ConnectionError } from './errors.ts'
import type { Bearer } from './owner.ts'
import type { QueueStore, StoredItem } from './queue-store.ts'
import { isPassing } from './retry.ts'

/** What one run did. Whatever stopped it, nothing is lost: the next run goes on from there. */
export type SyncReport = {
  created: number
  /** Existed already: the answer to an earlier run was lost. */
  duplicate: number
  /** Refused for good, and kept with their errors for the app to show. */
  rejected: number
  stopped: Stopped | null
}

/**
 * Offline: try again when there is a network. Signed out: sign in. Other user: the token and the queue belong to
 * different people. Unverified: the address must be verified first. Busy: try again after `retryAfterSeconds`.
 * Unfinished: some still wait, for the service or for another run; try again later. Refused: a fault, which `error`
 * describes.
 */
export type Stopped = {
  reason: 'offline' | 'signed-out' | 'other-user' | 'unverified' | 'busy' | 'unfinished' | 'refused'
  retryAfterSeconds?: number | undefined
  error?: Error
}

/** One run of the queue, as its steps know it. */
export type Run = {
  client: Pick<PurseClient, 'api'>
  /** Sent with every request: a run belongs to one person, even if another signs in meanwhile. */
  headers: Bearer
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
export async function reject({ store, report }: Run, item: StoredItem, errors: FieldErrors): Promise<void> {
  await store.keepItem({ ...item, errors })
  report.rejected += 1
}

/** What a failure means to the app. Rethrows what neither the service nor the network caused. */
export function stoppedBy(error: unknown): Stopped {
  if (error instanceof ConnectionError) return { reason: 'offline', error }
  if (!(error instanceof ApiError)) throw error
  if (error.status === 401) return { reason: 'signed-out', error }
  if (error.requiresVerifiedEmail) return { reason: 'unverified', error }
  const { retryAfterSeconds } = error
  if (retryAfterSeconds === undefined && !isPassing(error.status)) return { reason: 'refused', error }
  return { reason: 'busy', error, retryAfterSeconds }
}

/** Splits a list that was refused as a whole into two halves, to be sent one after the other. */
export function inHalves<Item>(items: Item[]): Item[][] {
  const half = Math.ceil(items.length / 2)
  return [items.slice(0, half), items.slice(half)]
}
