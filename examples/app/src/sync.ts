import type { Ledger, LedgerReport } from 'purse-client'
import { observable } from './store.ts'

type Connection = { isOnline: boolean; stopped: LedgerReport['stopped'] }

/** How things stand with the service, and what ended the last attempt early. */
export const connection = observable<Connection>({ isOnline: navigator.onLine, stopped: null })

/** Between two looks at what others have done. If they have done nothing, a look costs next to nothing. */
const pollMs = 5_000
/** Several changes in a row are sent together. */
const gatherMs = 100

/** Keeps the ledger and the service alike while the app is seen, until the function that it returns is called. */
export function keepInSync(ledger: Ledger): () => void {
  let isRunning = false

  async function run(): Promise<void> {
    if (isRunning || document.hidden) return
    if (!navigator.onLine) return connection.set({ isOnline: false, stopped: null })
    isRunning = true
    const { stopped } = await ledger.sync()
    isRunning = false
    connection.set({ isOnline: stopped?.reason !== 'offline', stopped })
  }

  const look = () => ledger.refresh().then(run)
  const events = ['online', 'offline', 'focus']
  for (const name of events) addEventListener(name, look)
  const unsubscribe = ledger.subscribe(() => isRunning || setTimeout(run, gatherMs))
  const timer = setInterval(run, pollMs)
  void run()
  return () => {
    for (const name of events) removeEventListener(name, look)
    unsubscribe()
    clearInterval(timer)
  }
}
