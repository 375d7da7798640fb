/** Recording without a network: every transaction is stored on the device first, and lands once there is one. */
import { type OfflineQueue, offlineQueue, type QueueCounts, type SyncReport } from 'purse-client'
import { indexedDbStorage } from './indexed-db.ts'
import { client } from './spa.ts'

/**
 * Opens somebody's queue, and sends whenever there may be a network. The id is that of `client.signIn`; keep it beside
 * the token, so that the app starts without a network as well.
 */
export async function openQueue(userId: number): Promise<OfflineQueue> {
  const queue = offlineQueue({ client, storage: indexedDbStorage('purse'), userId })
  queue.subscribe(showCounts)
  const send = async () => tell(await queue.sync(), send)
  addEventListener('online', send)
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && send())
  await send()
  return queue
}

/** Stored, then sent in the background: the person never waits for the network. */
export async function recordCoffee(queue: OfflineQueue, account_id: number): Promise<void> {
  const transaction_date = new Date().toLocaleDateString('sv')
  await queue.add({ account_id, type: 'expense', amount: '3.20', description: 'Coffee', transaction_date })
  if (navigator.onLine) void queue.sync()
}

/** What the service has refused: each goes on when a person corrects or discards it. */
export async function showRejected(queue: OfflineQueue): Promise<void> {
  for (const { client_id, transaction, errors, state } of await queue.list()) {
    if (state !== 'rejected') continue
    const amount = prompt(
      `${transaction.description}: ${Object.values(errors ?? {})
        .flat()
        .join(' ')}`,
    )
    if (amount === null) await queue.discard(client_id)
    else await queue.resubmit(client_id, { ...transaction, amount })
  }
  await queue.sync()
}

/** Why a run stopped, and what helps. Nothing is lost in any case. */
function tell({ stopped, rejected }: SyncReport, again: () => void): void {
  if (rejected > 0) notice('Some transactions need a look.')
  if (stopped?.reason === 'signed-out') notice('Sign in, and they will be sent.')
  if (stopped?.reason === 'unverified') notice('Follow the link in our mail, and they will be sent.')
  if (stopped?.reason === 'refused') notice(`They could not be sent: ${stopped.error?.message}`)
  if (stopped?.reason === 'busy' || stopped?.reason === 'unfinished')
    setTimeout(again, (stopped.retryAfterSeconds ?? 30) * 1000)
  // Offline: the browser says when that is over.
}

function showCounts({ pending, sending, rejected }: QueueCounts): void {
  document.title = pending + sending + rejected > 0 ? `Purse (${pending + sending} waiting)` : 'Purse'
}

function notice(words: string): void {
  const element = document.querySelector('#notice')
  if (element) element.textContent = words
}
