import { emptyFields, type QueueItem, queueStore } from '../queue/store.ts'
import { type LedgerStorage, memoryStorage } from '../storage.ts'
import type { Key } from './rows.ts'
import { damaged, unlessDamaged } from './store.ts'
import { creation, type Fields, newWaiting, type Waiting, withoutUnchanged } from './waiting.ts'

/** What an offline queue has left in the storage, in the form in which a ledger keeps it, and the keys of its entries. */
export async function waitingInQueue(
  { list }: LedgerStorage,
  name: string,
  newKey: () => Key,
): Promise<{ taken: Waiting[]; keys: string[] }> {
  // Each is listed once: what is added meanwhile stays in the queue, for the next time.
  const batches = await list(`${name}/batch/`)
  const pairs = await list(`${name}/item/`)
  const listed = memoryStorage()
  await listed.write([...batches, ...pairs])
  const items = new Map((await queueStore(listed, name).items()).map((item) => [item.key, item]))
  const taken = pairs.map(([key, value]) => {
    const item = items.get(key)
    const one = typeof item?.client_id === 'string' ? unlessDamaged(() => waitingOf(item, newKey)) : undefined
    return one ?? damaged(`transaction ${newKey()}`, value)
  })
  return { taken, keys: [...batches, ...pairs].map(([key]) => key) }
}

/** What may have landed is sent once more to find out, as the queue would do; what has been done since waits behind it. */
function waitingOf(
  { client_id, transaction, earlier, discarded, errors, ...item }: QueueItem,
  newKey: () => Key,
): Waiting {
  const isSpent = errors?.client_id !== undefined
  const isSent = !isSpent && (item.mayHaveLanded || item.state === 'sending' || discarded)
  const [set, was] = [transaction, earlier ?? transaction].map(asFields) as [Fields, Fields]
  const one = { ...newWaiting('transaction', isSpent ? newKey() : `#${client_id}`, 0), errors }
  if (!isSent) return { ...one, next: creation(set) }
  const next = discarded
    ? { op: 'delete' as const, set: {}, was }
    : withoutUnchanged({ op: 'update', set, was })
  return { ...one, sent: creation(was), next: next ?? null }
}

function asFields({ force, ...given }: QueueItem['transaction']): Fields {
  const keyOf = (id: string | number | null | undefined) => (id == null ? null : String(id))
  return {
    ...emptyFields,
    ...given,
    account_id: String(given.account_id),
    to_account_id: keyOf(given.to_account_id),
    category_id: keyOf(given.category_id),
  }
}
