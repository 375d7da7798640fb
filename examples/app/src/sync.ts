import type { Ledger, LedgerReport } from 'purse-client'
import { observable } from './store.ts'

type Connection = { isOnline: boolean; isSyncing: boolean; stopped: LedgerReport['stopped'] }

/** How things stand with the service. */
export const connection = observable<Connection>({
  isOnline: navigator.onLine,
  isSyncing: false,
  stopped: null,
})

/** Between two looks at what others have done, while the app is seen. An unchanged answer costs next to nothing. */
const pollMs = 5_000
/** Several changes in a row are sent together. */
const gatherMs = 200

/** Keeps the ledger and the service alike, until the function that it returns is called. */
export function keepInSync(ledger: Ledger): () => void {
  const end = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isRunning = false

  function later(ms: number): void {
    clearTimeout(timer)
    if (!end.signal.aborted && !document.hidden) timer = setTimeout(run, ms)
  }

  async function run(): Promise<void> {
    if (isRunning) return
    connection.set({ ...connection.get(), isOnline: navigator.onLine })
    if (!navigator.onLine) return
    isRunning = true
    connection.set({ ...connection.get(), isSyncing: true })
    const { stopped, waiting } = await ledger.sync()
    isRunning = false
    const isOnline = navigator.onLine && stopped?.reason !== 'offline'
    connection.set({ isOnline, isSyncing: false, stopped })
    const asked = stopped && 'retryAfterSeconds' in stopped ? (stopped.retryAfterSeconds ?? 0) * 1_000 : 0
    later(waiting > 0 && !stopped ? gatherMs : Math.max(asked, pollMs))
  }

  async function comeBack(): Promise<void> {
    if (document.hidden) return
    await ledger.refresh()
    await run()
  }

  const unsubscribe = ledger.subscribe(() => {
    if (!isRunning) later(gatherMs)
  })
  const { signal } = end
  signal.addEventListener('abort', unsubscribe)
  for (const name of ['online', 'offline']) addEventListener(name, () => void run(), { signal })
  document.addEventListener('visibilitychange', () => void comeBack(), { signal })
  void run()
  return () => end.abort()
}
