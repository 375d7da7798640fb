/** A ledger that syncs with the service whenever there is a network. */
import { indexedDbStorage, type Ledger, localLedger } from 'purse-client'
import { client } from './spa.ts'

export type Book = { ledger: Ledger; sync: () => Promise<void>; close: () => void }

/**
 * Opens somebody's ledger, and syncs when the app starts, when it comes to the foreground, and when the network is back,
 * until it is closed: close it when they sign out. `client.signIn` returns the id; keep it with the token.
 */
export async function openBook(userId: number): Promise<Book> {
  // Without this, a browser that runs out of space may discard what has not been sent yet.
  await navigator.storage?.persist()
  const ledger = await localLedger({ client, storage: indexedDbStorage('purse'), userId })
  const closing = new AbortController()
  const { signal } = closing
  let timer: number | undefined

  async function sync(): Promise<void> {
    clearTimeout(timer)
    // Runs take turns, so what was done during one is sent with the next.
    const { stopped } = await ledger.sync()
    // There is a network, but the service is down, or something in between answers.
    const isCutOff = stopped?.reason === 'offline' && navigator.onLine
    if (signal.aborted || !(stopped?.reason === 'busy' || isCutOff)) return
    // At least once an hour, whatever a clock or something in between says.
    timer = window.setTimeout(sync, Math.min(stopped.retryAfterSeconds ?? 30, 3_600) * 1000)
  }

  window.addEventListener('online', sync, { signal })
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && sync(), {
    signal,
  })
  signal.addEventListener('abort', () => {
    clearTimeout(timer)
    ledger.close()
  })
  void sync()
  return { ledger, sync, close: () => closing.abort() }
}

/** Shown at once, stored, then sent in the background: the person never waits for the network. */
export async function buyCoffee({ ledger, sync }: Book, account_id: string): Promise<void> {
  const transaction_date = new Date().toLocaleDateString('sv')
  const category_id = ledger.categories().find(({ name }) => name === 'Eating Out')?.key ?? null
  const coffee = { type: 'expense', amount: '3.20', description: 'Coffee' } as const
  await ledger.create('transaction', { ...coffee, account_id, category_id, transaction_date })
  if (navigator.onLine) void sync()
}

/** What only a person can decide: whose value of a field to keep, and what to do about what was refused. */
export async function decide({ ledger, sync }: Book): Promise<void> {
  for (const conflict of ledger.conflicts()) {
    const [mine, theirs] = [conflict.mine, conflict.theirs].map((fields) => JSON.stringify(fields))
    const isMine = confirm(`Keep ${mine}? Otherwise it will be ${theirs}.`)
    await (isMine ? ledger.keepMine(conflict) : ledger.keepTheirs(conflict))
  }
  for (const rejection of ledger.rejected())
    if (confirm(`Drop it? ${Object.values(rejection.errors).flat().join(' ')}`))
      await ledger.discard(rejection)
  await sync()
}
