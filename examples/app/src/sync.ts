import type { Ledger, LedgerReport } from 'purse-client'
import { endSession } from './session.ts'
import { observable } from './store.ts'

type Connection = { isOnline: boolean; stopped: LedgerReport['stopped'] }

/** The state of syncing, and what ended the last attempt early. */
export const connection = observable<Connection>({ isOnline: navigator.onLine, stopped: null })

/** The time between checks for what others have done. If they have done nothing, a check costs next to nothing. */
const pollMs = 5_000
/** Several changes in a row are sent together. */
const gatherMs = 100

/** Keeps the ledger in sync while the app is visible, until the function that it returns is called. */
export function keepInSync(ledger: Ledger): () => void {
  const waiting = () => JSON.stringify(ledger.waiting())
  let left = waiting()
  let isRunning = false

  async function run(): Promise<void> {
    if (isRunning || document.hidden) return
    if (!navigator.onLine) return connection.set({ isOnline: false, stopped: null })
    isRunning = true
    const { stopped } = await ledger.sync().finally(() => {
      isRunning = false
    })
    left = waiting()
    connection.set({ isOnline: stopped?.reason !== 'offline', stopped })
    // Somebody has signed in or out in another tab.
    if (stopped?.reason === 'signed-out' || stopped?.reason === 'other-user') await endSession()
  }

  const look = () => ledger.refresh().then(run)
  const events = ['online', 'offline', 'focus']
  for (const name of events) addEventListener(name, look)
  // Tabs notify each other of each sync, which is no reason for another: only new changes are.
  const unsubscribe = ledger.subscribe(() => isRunning || waiting() === left || setTimeout(run, gatherMs))
  const timer = setInterval(run, pollMs)
  void run()
  return () => {
    for (const name of events) removeEventListener(name, look)
    unsubscribe()
    clearInterval(timer)
  }
}
