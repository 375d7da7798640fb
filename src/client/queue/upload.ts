import type { FieldErrors } from '../api.ts'
import type { PurseClient } from '../create.ts'
import { ApiError, requireFromService } from '../errors.ts'
import { inHalves } from '../in-halves.ts'
import type { GetBearer } from '../own-token.ts'
import { stoppedBy } from '../stopped.ts'
import { unwrap } from '../unwrap.ts'
import { type QueueRun, reject, type SyncReport, step } from './run.ts'
import { settle } from './settle.ts'
import type { QueueItem, QueueStore, StoredItem } from './store.ts'

type UploadOptions = {
  client: Pick<PurseClient, 'api'>
  store: QueueStore
  bearer: GetBearer
  /** Runs its argument while nobody else changes an item. */
  holdItems: <T>(work: () => Promise<T>) => Promise<T>
  newId: () => string
  sleep: (ms: number) => Promise<void>
  /** Called when items are in flight. */
  onSending: () => Promise<void>
  /** Of one batch (docs/contract.md, Offline batches). */
  limits: { items: number; bytes: number }
}

export const uploadLimits = { items: 1_000, bytes: 1_000_000 }

/** Sends what is pending and asks what became of what was sent. Throws only what the storage throws. */
export async function upload(options: UploadOptions): Promise<SyncReport> {
  const { client, store } = options
  const report: SyncReport = { created: 0, duplicate: 0, rejected: 0, stopped: null }
  await store.endRun()
  try {
    const pending = await pendingItems(store)
    if (pending.length === 0 && (await store.batches()).every(({ state }) => state === 'lost')) return report
    const headers = await options.bearer()
    if (typeof headers === 'string') return { ...report, stopped: { reason: headers } }
    const run = { client, store, headers, report }
    await land(options, run, chunksOf(pending, options.limits))
  } catch (error) {
    report.stopped = stoppedBy(error)
  }
  await store.endRun()
  if ((await store.items()).some(({ state }) => state !== 'rejected'))
    report.stopped ??= { reason: 'unfinished' }
  return report
}

/**
 * Sends batches and waits for their outcome. One that fails as a whole, perhaps because its amounts would push a balance
 * past its bounds, is sent again in halves, one after the other, so that every item that can land on its own does.
 */
async function land(options: UploadOptions, run: QueueRun, batches: ToSend[][]): Promise<void> {
  for (const batch of batches) await step(run.report, () => send(options, run, batch))
  const failed = await settle(run, options.sleep)
  for (const half of failed.flatMap(inHalves)) {
    if (run.report.stopped?.reason === 'unfinished') return
    await land(options, run, [half])
  }
}

/** An item to send, by its client id. */
type ToSend = { client_id: string | null }

async function pendingItems(store: QueueStore): Promise<QueueItem[]> {
  return (await store.items()).filter(({ state }) => state === 'pending')
}

/** Splits by the limits of a batch. An item that alone exceeds them goes alone, for the service to refuse. */
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

/** Sends a batch. Invalid items are reported with the outcome, so that they do not hold up the valid ones. */
async function send(options: UploadOptions, run: QueueRun, chunk: ToSend[]): Promise<void> {
  const { client, store, headers } = run
  // Items go out as they are now; once they are noted as in flight, they cannot be changed.
  const { items, batch } = await options.holdItems(async () => {
    const ids = new Set(chunk.map(({ client_id }) => client_id))
    const items = (await pendingItems(store)).filter(({ client_id }) => ids.has(client_id))
    const client_ids = items.map(({ client_id }) => client_id)
    const batch = { key: store.batchKey(options.newId()), client_ids, state: 'sending' } as const
    if (items.length > 0) await store.keep(batch)
    return { items, batch }
  })
  if (items.length === 0) return
  await options.onSending()
  try {
    const request = {
      json: { transactions: items.map(toJson) },
      header: { Prefer: 'handling=lenient' },
    } as const
    const taken = await unwrap(client.api.transactions.sync.$post(request, { headers }))
    requireFromService(typeof taken?.sync_id === 'string')
    await store.keep({ ...batch, state: 'taken', sync_id: taken.sync_id })
  } catch (error) {
    await store.keep({ ...batch, state: 'lost' })
    if (!(error instanceof ApiError)) throw error
    for (const rest of await withoutRefused(run, items, error))
      await step(run.report, () => send(options, run, rest))
  }
}

/** Rejects what a refusal names, and returns the rest, in smaller batches. Throws a refusal that names nothing. */
async function withoutRefused(run: QueueRun, items: StoredItem[], error: ApiError): Promise<StoredItem[][]> {
  const isTooLarge = error.status === 413
  if (isTooLarge && items.length > 1) return inHalves(items)
  const tooLarge = isTooLarge ? { item: [error.message] } : undefined
  const named = items.map((_, index) => tooLarge ?? errorsOfItem(error.errors, index))
  if (named.every((errors) => errors === undefined)) throw error
  for (const [index, errors] of named.entries()) {
    const item = items[index]
    if (item && errors) await reject(run, item, errors)
  }
  return [items.filter((_, index) => named[index] === undefined)]
}

/** The errors of one item (`transactions.3.amount`) by field; `item` is the item as a whole. */
function errorsOfItem(errors: FieldErrors, index: number): FieldErrors | undefined {
  const prefix = `transactions.${index}`
  const own = Object.entries(errors)
    .filter(([key]) => key === prefix || key.startsWith(`${prefix}.`))
    .map(([key, texts]) => [key.slice(prefix.length + 1) || 'item', texts])
  return own.length > 0 ? Object.fromEntries(own) : undefined
}
