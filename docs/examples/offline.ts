/** Recording without a network: every transaction is stored on the device first, and lands once there is one. */
import {
  indexedDbStorage,
  type OfflineQueue,
  offlineQueue,
  type QueueCounts,
  type SyncReport,
} from 'purse-client'
import { client } from './spa.ts'

export type Recorder = { queue: OfflineQueue; send: () => Promise<void>; close: () => void }

/**
 * Opens somebody's queue, and sends whenever there may be a network, until it is closed: close it when they sign out.
 * `client.signIn` returns the id; keep it with the token, so that the app can start without a network.
 */
export async function openRecorder(userId: number): Promise<Recorder> {
  // Without this, a browser that runs out of space may discard what has not been sent yet.
  await navigator.storage?.persist()
  const queue = offlineQueue({ client, storage: indexedDbStorage('purse'), userId })
  const closing = new AbortController()
  const { signal } = closing
  let timer: number | undefined

  async function send(): Promise<void> {
    clearTimeout(timer)
    try {
      const report = await queue.sync()
      tell(report)
      const seconds = secondsToWait(report)
      // One timer, however many runs end like this.
      clearTimeout(timer)
      if (seconds !== undefined && !signal.aborted) timer = window.setTimeout(send, seconds * 1000)
    } catch (error) {
      notice(`What you record cannot be kept on this device: ${error}`)
    }
  }

  const unsubscribe = queue.subscribe(showCounts)
  window.addEventListener('online', send, { signal })
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && send(), {
    signal,
  })
  signal.addEventListener('abort', () => {
    clearTimeout(timer)
    unsubscribe()
  })
  await send()
  return { queue, send, close: () => closing.abort() }
}

/** Stored, then sent in the background: the person never waits for the network. */
export async function recordCoffee({ queue, send }: Recorder, account_id: number): Promise<void> {
  const transaction_date = new Date().toLocaleDateString('sv')
  await queue.add({ account_id, type: 'expense', amount: '3.20', description: 'Coffee', transaction_date })
  if (navigator.onLine) void send()
}

/** What the service has refused, until a person corrects or discards it. */
export async function showRejected({ queue, send }: Recorder): Promise<void> {
  for (const { client_id, transaction, errors, state } of await queue.list()) {
    if (state !== 'rejected') continue
    const texts = Object.values(errors ?? {}).flat()
    const amount = prompt(`${transaction.description}: ${texts.join(' ')}`)
    if (amount === null) await queue.discard(client_id)
    else await queue.resubmit(client_id, { ...transaction, amount })
  }
  await send()
}

/** Why a run stopped, and what helps. Nothing is lost in any case. */
function tell({ stopped, rejected }: SyncReport): void {
  if (rejected > 0) notice('Some transactions need a look.')
  if (stopped?.reason === 'signed-out') notice('Sign in, and they will be sent.')
  if (stopped?.reason === 'other-user')
    notice('Sign in as the person who recorded them, and they will be sent.')
  if (stopped?.reason === 'unverified') notice('Follow the link in our mail, and they will be sent.')
  if (stopped?.reason === 'refused') notice(`They could not be sent: ${stopped.error?.message}`)
}

/** Time until the next run. Undefined if it takes a person, or a network: the browser says when there is one. */
function secondsToWait({ stopped }: SyncReport): number | undefined {
  const { reason, retryAfterSeconds = 30 } = stopped ?? {}
  // There is a network, but something in between answers, or nothing does.
  const isCutOff = reason === 'offline' && navigator.onLine
  if (reason === 'busy' || reason === 'unfinished' || isCutOff) return Math.min(retryAfterSeconds, 3_600)
}

function showCounts({ pending, sending, rejected }: QueueCounts): void {
  document.title = pending + sending + rejected > 0 ? `Purse (${pending + sending} waiting)` : 'Purse'
}

function notice(words: string): void {
  const element = document.querySelector('#notice')
  if (element) element.textContent = words
}
