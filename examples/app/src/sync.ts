import type { Ledger, LedgerReport, Named } from 'purse-client'
import { endSession } from './session.ts'
import { observable } from './store.ts'

type Connection = { isOnline: boolean; stopped: LedgerReport['stopped'] }

/** The state of syncing, and what ended the last attempt early. */
export const connection = observable<Connection>({ isOnline: navigator.onLine, stopped: null })

/** The time between checks for what others have done: longer each time that nothing has changed. */
const pollMs = { first: 4_000, longest: 30_000, growth: 1.5 }
/** Several changes in a row are sent together. */
const gatherMs = 100

/** Keeps the ledger in sync while the app is visible, until the function that it returns is called. */
export function keepInSync(ledger: Ledger): () => void {
  let seen = pendingOf(ledger)
  let isRunning = false
  let isEnded = false
  let pauseMs = pollMs.first
  let timer: ReturnType<typeof setTimeout> | undefined

  const hasNews = () => [...pendingOf(ledger)].some((one) => !seen.has(one))

  function runAfter(milliseconds: number): void {
    clearTimeout(timer)
    if (!isEnded && !document.hidden) timer = setTimeout(run, milliseconds)
  }

  async function run(): Promise<void> {
    if (isRunning || document.hidden) return
    if (!navigator.onLine) return connection.set({ isOnline: false, stopped: null })
    isRunning = true
    seen = pendingOf(ledger)
    const { stopped, sent, received } = await ledger.sync().finally(() => {
      isRunning = false
      // In its place if the sync ends: a storage that has failed may work again.
      runAfter(pollMs.longest)
    })
    if (isEnded) return
    const isQuiet = sent + received === 0
    pauseMs = isQuiet ? Math.min(pauseMs * pollMs.growth, pollMs.longest) : pollMs.first
    connection.set({ isOnline: stopped?.reason !== 'offline', stopped })
    // Another tab has signed in or out.
    if (stopped?.reason === 'signed-out' || stopped?.reason === 'other-user') await endSession()
    runAfter(!stopped && hasNews() ? gatherMs : pauseMs)
    seen = pendingOf(ledger)
  }

  const look = () => ledger.refresh().then(run)
  const events = ['online', 'offline', 'focus', 'visibilitychange']
  for (const name of events) addEventListener(name, look)
  // Tabs notify each other of each sync, which is no reason for another: only new changes are.
  const unsubscribe = ledger.subscribe(() => !isRunning && hasNews() && runAfter(gatherMs))
  void run()
  return () => {
    isEnded = true
    for (const name of events) removeEventListener(name, look)
    unsubscribe()
    clearTimeout(timer)
  }
}

/** The changes that can be sent. A conflict or rejection can be sent once it is decided. */
export function readyIn(ledger: Ledger) {
  const unresolved = new Set([...ledger.conflicts(), ...ledger.rejected()].map(idOf))
  return ledger.waiting().filter((one) => !unresolved.has(idOf(one)))
}

export const idOf = ({ noun, key }: Named): string => `${noun} ${key}`

/** The changes that can be sent, as texts to compare. */
const pendingOf = (ledger: Ledger) => new Set(readyIn(ledger).map((one) => JSON.stringify(one)))
