import { createClient, indexedDbStorage, type Ledger, localLedger, webStorageTokens } from 'purse-client'
import { observable } from './store.ts'

/** Who is signed in on this device, with their ledger. */
export type Session = { userId: number; ledger: Ledger }

/** Null if nobody is signed in, undefined while the ledger is opened. */
export const session = observable<Session | null | undefined>(undefined)

export const client = createClient({
  baseUrl: import.meta.env.VITE_API_URL,
  tokens: webStorageTokens(localStorage),
  // What waits to be sent stays on the device until the same person is back.
  onSignedOut: () => void openSession(),
})

const userKey = 'purse.user'
const databaseOf = (userId: number) => `purse-${userId}`

/** Opens the ledger of whoever is signed in by now. It needs no network. */
export async function openSession(): Promise<void> {
  session.get()?.ledger.close()
  const userId = Number(localStorage.getItem(userKey))
  const token = await client.tokens.get()
  if (!userId || token === null) return session.set(null)
  const storage = indexedDbStorage(databaseOf(userId))
  session.set({ userId, ledger: await localLedger({ client, storage, userId }) })
}

/** Goes on as a user whose token the client has. */
export async function beginSession(userId: number): Promise<void> {
  localStorage.setItem(userKey, String(userId))
  // Else a browser that needs the space may throw away what waits to be sent.
  void navigator.storage?.persist?.()
  await openSession()
}

/** Forgets on this device all that a person has. */
export async function forgetSession({ userId }: Session): Promise<void> {
  localStorage.removeItem(userKey)
  await openSession()
  indexedDB.deleteDatabase(databaseOf(userId))
}
