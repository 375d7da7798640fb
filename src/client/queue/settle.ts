import type { FieldErrors } from '../api.ts'
import { ApiError, requireFromService } from '../errors.ts'
import { unwrap } from '../unwrap.ts'
import { type QueueRun, reject, step } from './run.ts'
import { emptyFields, type StoredItem, type TakenBatch } from './store.ts'

/** The pause before each request for the outcome, some 50 seconds in all. A small batch is done before the first. */
const pollDelaysMs = [0, 250, 500, 1_000, 2_000, 4_000, ...Array<number>(8).fill(5_000)]

/**
 * Waits for the outcome of every batch that the service has, and applies it to the items. Returns the items of each batch
 * that failed together, perhaps because of a single one.
 */
export async function settle(run: QueueRun, sleep: (ms: number) => Promise<void>): Promise<SyncItem[][]> {
  const { store, report } = run
  const failed: SyncItem[][] = []
  let open = (await store.batches()).filter((batch) => batch.state === 'taken')
  for (const delayMs of pollDelaysMs) {
    if (open.length === 0) return failed
    await sleep(delayMs)
    const unfinished: TakenBatch[] = []
    for (const batch of open) {
      await step(report, async () => {
        const together = await settleBatch(run, batch)
        if (!together) unfinished.push(batch)
        else if (together.length > 0) failed.push(together)
      })
    }
    open = unfinished
  }
  if (open.length > 0) report.stopped ??= { reason: 'unfinished' }
  return failed
}

/** Settles one batch. Returns the items that failed together, `[]` if none did, undefined while it is unprocessed. */
async function settleBatch(run: QueueRun, batch: TakenBatch): Promise<SyncItem[] | undefined> {
  const status = await statusOf(run, batch)
  if (!status) {
    const { key, client_ids } = batch
    await run.store.keep({ key, client_ids, state: 'lost' })
    return []
  }
  if (status.completed_at === null) return undefined
  const failed = status.items.filter(({ errors }) => errors?.batch)
  const together = failed.length > 1 ? failed : []
  await conclude(
    run,
    status.items.filter((outcome) => !together.includes(outcome)),
  )
  // This comes last, so that the outcome is asked for again after a crash.
  await run.store.remove([batch])
  return together
}

/**
 * Undefined for a batch that the service has forgotten, or that went out under another user: its items are sent again,
 * and still land once.
 */
async function statusOf({ client: { api }, headers }: QueueRun, { sync_id }: TakenBatch) {
  try {
    const status = await unwrap(api.transactions.sync[':id'].$get({ param: { id: sync_id } }, { headers }))
    requireFromService(Array.isArray(status?.items))
    return status
  } catch (error) {
    if (error instanceof ApiError && [403, 404].includes(error.status)) return undefined
    throw error
  }
}

/** One item of a batch as the service answers it. */
type SyncItem = NonNullable<Awaited<ReturnType<typeof statusOf>>>['items'][number]

/** First removes the items that need nothing else, which makes room, then deals with the others one by one. */
async function conclude(run: QueueRun, outcomes: SyncItem[]): Promise<void> {
  const { store } = run
  const items = new Map((await store.items()).map((item) => [item.client_id, item]))
  const found = outcomes.flatMap((outcome) => {
    const item = items.get(outcome.client_id ?? '')
    return item ? [{ item, outcome }] : []
  })
  const isPlain = ({ item, outcome }: (typeof found)[number]) =>
    hasLanded(outcome) ? !item.earlier && !item.discarded : item.discarded
  const plain = found.filter(isPlain)
  await store.remove(plain.map(({ item }) => item))
  for (const { item, outcome } of plain) count(run, item, outcome)

  for (const { item, outcome } of found.filter((one) => !isPlain(one))) {
    const errors = hasLanded(outcome) ? await catchUp(run, item, outcome) : (outcome.errors ?? unprocessed)
    if (errors) await reject(run, item, errors)
    else {
      await store.remove([item])
      count(run, item, outcome)
    }
  }
}

const unprocessed = { item: ['It could not be processed.'] }

function hasLanded(one: SyncItem): one is SyncItem & { outcome: 'created' | 'duplicate' } {
  return one.outcome === 'created' || one.outcome === 'duplicate'
}

function count({ report }: QueueRun, { discarded }: StoredItem, outcome: SyncItem): void {
  if (!discarded && hasLanded(outcome)) report[outcome.outcome] += 1
}

/**
 * Brings a row up to date with its item, which was sent, got no answer, and was then corrected or discarded. Returns
 * the errors if the service refuses.
 */
async function catchUp(
  { client: { api }, headers }: QueueRun,
  { transaction, discarded }: StoredItem,
  { transaction_id }: SyncItem,
): Promise<FieldErrors | undefined> {
  if (transaction_id === null) return
  const row = api.transactions[':id']
  const param = { id: transaction_id }
  try {
    if (discarded) await unwrap(row.$delete({ param }, { headers }))
    else await unwrap(row.$put({ param, json: { ...emptyFields, ...transaction } }, { headers }))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (error.status === 422) return error.errors
    // Deleted by its owner since it landed.
    if (error.status !== 404) throw error
  }
}
