import type { FieldErrors, NewTransaction } from '../api.ts'
import { readJson } from '../errors.ts'
import type { KeyValueStorage } from '../storage.ts'

/** What a person records; the queue adds the id. */
export type Recorded = Omit<NewTransaction, 'client_id'>

type Optional<T> = { [F in keyof T]-?: object extends Pick<T, F> ? F : never }[keyof T]

/** The optional fields of a transaction, all empty: a correction empties those that it leaves out. */
export const emptyFields: Record<Exclude<Optional<Recorded>, 'force'>, null> = {
  to_account_id: null,
  category_id: null,
  description: null,
  reference: null,
}

/** A transaction that is waiting, or that the service has refused. */
export type QueuedTransaction = {
  /** Made when the transaction was added, and sent with it every time, so that it lands once. */
  client_id: string
  transaction: Recorded
  added_at: string
  /** Sending: in flight, or accepted by the service but not yet processed. Rejected: `errors` says why. */
  state: 'pending' | 'sending' | 'rejected'
  errors: FieldErrors | null
}

/** An item as it is stored. Each change of it is one atomic write of its key. */
export type StoredItem = Omit<QueuedTransaction, 'state'> & {
  key: string
  /** What may have landed before the item was corrected: the row then gets the correction. */
  earlier: Recorded | null
  /** Discarded, though it may have landed: its row is then deleted. */
  discarded: boolean
}

export type QueueItem = StoredItem & {
  state: QueuedTransaction['state']
  /**
   * True if an earlier attempt to send it may have landed; of one under way (`sending`), it says nothing. It may be true
   * of an item that was never sent, which only costs requests.
   */
  mayHaveLanded: boolean
}

/**
 * Items that are sent together, noted beforehand. Sending: a run is sending them. Taken: the service has the batch, under
 * `sync_id`, and its outcome is not known yet. Lost: no answer said that it was taken, or the service has forgotten it.
 */
export type SentBatch = { key: string; client_ids: string[] } & (
  | { state: 'sending' | 'lost' }
  | { state: 'taken'; sync_id: string }
)
export type TakenBatch = Extract<SentBatch, { state: 'taken' }>

type Entry = StoredItem | SentBatch

export type QueueStore = ReturnType<typeof queueStore>

/** The items and batches of one queue. A crash between any two calls loses nothing: the next run goes on from there. */
export function queueStore(storage: KeyValueStorage, name: string) {
  const [itemPrefix, batchPrefix] = [`${name}/item/`, `${name}/batch/`]
  /** What did not fit into the storage, by key. It is lost when the page is left, and the work is then repeated. */
  const unsaved = new Map<string, string>()
  /** What this page has saved. Of any other item, the note that it was sent may be lost with the page that sent it. */
  const saved = new Set<string>()

  /** Throws if there is no room. */
  async function save({ key, ...value }: Entry): Promise<void> {
    await storage.set(key, JSON.stringify(value))
    saved.add(key)
    unsaved.delete(key)
  }

  /** For a run's own notes: a full storage must not keep items from landing. */
  async function keep(entry: Entry): Promise<void> {
    await save(entry).catch(() => unsaved.set(entry.key, JSON.stringify(entry)))
  }

  async function remove(entries: Entry[]): Promise<void> {
    for (const { key } of entries) unsaved.delete(key)
    await storage.delete(entries.map(({ key }) => key))
  }

  /** Unsaved values count only for items that the storage still has. */
  async function items(): Promise<StoredItem[]> {
    const pairs = await storage.list(itemPrefix)
    return pairs
      .map(([key, value]) => read<StoredItem>(key, unsaved.get(key) ?? value))
      .filter((item) => item !== undefined && 'client_id' in item && 'transaction' in item)
  }

  async function batches(): Promise<SentBatch[]> {
    const pairs = [...(await storage.list(batchPrefix)), ...unsaved]
    return [...new Map(pairs.filter(([key]) => key.startsWith(batchPrefix)))]
      .map(([key, value]) => read<SentBatch>(key, value))
      .filter((batch) => batch !== undefined && 'client_ids' in batch && 'state' in batch)
  }

  return {
    /** The key of a new item. Items are listed, and sent, in the order of their keys: that in which they were added. */
    itemKey: (addedAtMs: number, client_id: string) =>
      `${itemPrefix}${String(addedAtMs).padStart(15, '0')}-${client_id}`,
    batchKey: (id: string) => `${batchPrefix}${id}`,

    save,
    keep,
    remove,
    batches,

    async items(): Promise<QueueItem[]> {
      // Batches first: what lands in between shows as gone, not as pending.
      const all = await batches()
      const idsOf = (some: SentBatch[]) => new Set(some.flatMap(({ client_ids }) => client_ids))
      const lost = idsOf(all.filter(({ state }) => state === 'lost'))
      const onTheWay = idsOf(all.filter(({ state }) => state !== 'lost'))
      return (await items()).map((item) => ({
        ...item,
        state: item.errors ? 'rejected' : onTheWay.has(item.client_id) ? 'sending' : 'pending',
        mayHaveLanded:
          item.earlier !== null || lost.has(item.client_id) || !(item.errors || saved.has(item.key)),
      }))
    },

    /** After a run or a crash: makes one lost batch of all that are not taken, without the items that are gone. */
    async endRun(): Promise<void> {
      const all = (await batches()).filter(({ state }) => state !== 'taken')
      const [first, ...others] = all
      if (!first) return
      const sent = new Set(all.flatMap(({ client_ids }) => client_ids))
      const client_ids = (await items()).map(({ client_id }) => client_id).filter((id) => sent.has(id))
      if (client_ids.length === 0) return remove(all)
      const lost: SentBatch = { key: first.key, client_ids, state: 'lost' }
      await keep(lost)
      await remove(others)
    },
  }
}

/** Undefined for a damaged entry, which must not hold up the rest. */
function read<Entry>(key: string, value: string): Entry | undefined {
  const parsed = readJson(value)
  return typeof parsed === 'object' && parsed !== null ? ({ ...parsed, key } as Entry) : undefined
}
