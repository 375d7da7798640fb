import { type PurseClient, unwrap } from '../client.ts'
import { ApiError, ConnectionError, type FieldErrors } from './errors.ts'
import type { QueueStore, SentBatch, StoredItem } from './queue-store.ts'

/** What one run did. Whatever stopped it, nothing is lost: the next run goes on from there. */
export type SyncReport = {
  created: number
  /** Were there already: an earlier run's answer was lost on the way. */
  duplicate: number
  /** Refused for good, and kept with their errors for the app to show. */
  rejected: number
  stopped: Stopped | null
}

/**
 * Offline: try again when there is a network. Signed out: sign in. Unverified: the address must be verified first.
 * Busy: try again after `retryAfterSeconds`. Unfinished: taken, and not processed yet; ask again later.
 * Refused: a fault, of which `error` tells.
 */
export type Stopped = {
  reason: 'offline' | 'signed-out' | 'unverified' | 'busy' | 'unfinished' | 'refused'
  retryAfterSeconds?: number
  error?: Error
}

export type UploadOptions = {
  client: Pick<PurseClient, 'api'>
  store: QueueStore
  sleep: (ms: number) => Promise<void>
  /** Hears which items are on their way. */
  onSending: (items: StoredItem[]) => Promise<void>
  /** Of one batch: what the service takes is 1,000 items and 1 MB (docs/decisions.md, Sync). */
  limits: { items: number; bytes: number }
}

export const uploadLimits = { items: 1_000, bytes: 1_000_000 }

/** Before each question for the outcome of a batch: some 50 seconds in all. */
const pollDelaysMs = [250, 500, 1_000, 2_000, 4_000, ...Array.from({ length: 8 }, () => 5_000)]

/** Sends what is pending and asks what became of what was sent. Throws only what the storage throws. */
export async function upload(options: UploadOptions): Promise<SyncReport> {
  const report: SyncReport = { created: 0, duplicate: 0, rejected: 0, stopped: null }
  try {
    const pending = await pendingItems(options.store)
    for (const chunk of chunksOf(pending, options.limits)) await send(options, chunk, report)
    for (const batch of await options.store.batches()) {
      if (!report.stopped) await settle(options, batch, report)
    }
  } catch (error) {
    report.stopped = stoppedBy(error)
  }
  return report
}

async function pendingItems(store: QueueStore): Promise<StoredItem[]> {
  const items = await store.items()
  const sent = new Set((await store.batches()).flatMap(({ client_ids }) => client_ids))
  return items.filter(({ client_id, errors }) => errors === null && !sent.has(client_id))
}

/** Splits by the limits of a batch; an item beyond them by itself goes alone, and is refused by the service. */
function chunksOf(items: StoredItem[], limits: UploadOptions['limits']): StoredItem[][] {
  const chunks: StoredItem[][] = []
  let bytes = 0
  for (const item of items) {
    const size = new TextEncoder().encode(JSON.stringify(toJson(item))).length + 1
    const last = chunks.at(-1)
    if (last && last.length < limits.items && bytes + size <= limits.bytes) {
      last.push(item)
      bytes += size
    } else {
      chunks.push([item])
      bytes = size
    }
  }
  return chunks
}

function toJson({ client_id, transaction }: StoredItem) {
  return { ...transaction, client_id }
}

/** Sends a batch. The good items of it are taken, the others reported with the outcome: none holds up another. */
async function send(options: UploadOptions, items: StoredItem[], report: SyncReport): Promise<void> {
  const { client, store, onSending } = options
  if (items.length === 0) return
  await onSending(items)
  try {
    const { sync_id } = await unwrap(
      client.api.transactions.sync.$post({
        json: { transactions: items.map(toJson) },
        header: { Prefer: 'handling=lenient' },
      }),
    )
    await store.saveBatch({ sync_id, client_ids: items.map(({ client_id }) => client_id) })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    for (const rest of await withoutRefused(store, items, error, report)) await send(options, rest, report)
  } finally {
    await onSending([])
  }
}

/** What to send in place of a batch that was refused, always less than it. Throws the refusal where nothing helps. */
async function withoutRefused(
  store: QueueStore,
  items: StoredItem[],
  error: ApiError,
  report: SyncReport,
): Promise<StoredItem[][]> {
  const [first] = items
  if (error.status === 413 && items.length > 1) {
    const half = Math.ceil(items.length / 2)
    return [items.slice(0, half), items.slice(half)]
  }
  if (error.status === 413 && first) {
    await reject(store, first, { item: [error.message] }, report)
    return []
  }
  const named = items.map((_, index) => errorsOfItem(error.errors, index))
  if (error.status !== 422 || named.every((errors) => errors === undefined)) throw error
  for (const [index, errors] of named.entries()) {
    const item = items[index]
    if (item && errors) await reject(store, item, errors, report)
  }
  return [items.filter((_, index) => named[index] === undefined)]
}

/** Of `transactions.3.amount` and its like what concerns one item, by field; `item` is the item as a whole. */
function errorsOfItem(errors: FieldErrors, index: number): FieldErrors | undefined {
  const prefix = `transactions.${index}`
  const own = Object.entries(errors)
    .filter(([key]) => key === prefix || key.startsWith(`${prefix}.`))
    .map(([key, texts]) => [key.slice(prefix.length + 1) || 'item', texts])
  return own.length > 0 ? Object.fromEntries(own) : undefined
}

/** Waits for the outcome of a batch, removes what has landed, and keeps the rest with what is wrong with it. */
async function settle({ client, store, sleep }: UploadOptions, batch: SentBatch, report: SyncReport) {
  for (const delayMs of pollDelaysMs) {
    await sleep(delayMs)
    const status = await statusOf(client, batch)
    if (!status) return store.removeBatch(batch)
    if (status.completed_at !== null) return conclude(store, batch, status.items, report)
  }
  report.stopped = { reason: 'unfinished' }
}

/** Undefined for a batch that the service has forgotten: its items are sent again, and land once all the same. */
async function statusOf({ api }: UploadOptions['client'], { sync_id }: SentBatch) {
  try {
    return await unwrap(api.transactions.sync[':id'].$get({ param: { id: sync_id } }))
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

type Outcome = NonNullable<Awaited<ReturnType<typeof statusOf>>>['items'][number]

async function conclude(store: QueueStore, batch: SentBatch, outcomes: Outcome[], report: SyncReport) {
  const items = new Map((await store.items()).map((item) => [item.client_id, item]))
  const landed: StoredItem[] = []
  for (const { client_id, outcome, errors } of outcomes) {
    const item = items.get(client_id ?? '')
    if (!item) continue
    if (outcome === 'created' || outcome === 'duplicate') {
      landed.push(item)
      report[outcome] += 1
    } else await reject(store, item, errors ?? { item: ['It could not be processed.'] }, report)
  }
  await store.removeItems(landed)
  // Last: after a crash before this the outcome is asked for again.
  await store.removeBatch(batch)
}

async function reject(store: QueueStore, item: StoredItem, errors: FieldErrors, report: SyncReport) {
  await store.saveItem({ ...item, errors })
  report.rejected += 1
}

function stoppedBy(error: unknown): Stopped {
  if (error instanceof ConnectionError) return { reason: 'offline', error }
  if (!(error instanceof ApiError)) throw error
  if (error.status === 401) return { reason: 'signed-out', error }
  if (error.requiresVerifiedEmail) return { reason: 'unverified', error }
  const { retryAfterSeconds } = error
  const isBusy = retryAfterSeconds !== undefined || [408, 429, 502, 503, 504].includes(error.status)
  if (!isBusy) return { reason: 'refused', error }
  return { reason: 'busy', error, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) }
}
