import type { Ledger } from 'purse-client'
import { createClient, indexedDbStorage, localLedger, unwrap, webStorageTokens } from 'purse-client'
import { looksKey } from './looks.ts'
import { orderKey } from './order.ts'
import { unsaved } from './router.ts'
import { observable } from './store.ts'
import { watched } from './storing.ts'
import { hush } from './ui/toast.tsx'

/** Who is signed in on this device, with their ledger. */
export type Session = { userId: number; ledger: Ledger }

/** Null if no user is signed in, undefined while the ledger is being opened. */
export const session = observable<Session | null | undefined>(undefined)

export const client = createClient({
  // Built without an address, the app calls the server that it comes from.
  baseUrl: import.meta.env.VITE_API_URL || location.origin,
  tokens: webStorageTokens(localStorage),
  onSignedOut: () => void endSession(),
})

const userKey = 'purse.user'
const databaseOf = (userId: number) => `purse-${userId}`

/** Opens the ledger of whoever is signed in now. It needs no network. */
export async function openSession(): Promise<void> {
  session.get()?.ledger.close()
  // Their undo would change a ledger that is closed.
  hush()
  const userId = Number(localStorage.getItem(userKey))
  const token = await client.tokens.get()
  if (!userId || token === null) return session.set(null)
  const storage = watched(indexedDbStorage(databaseOf(userId)))
  session.set({ userId, ledger: await localLedger({ client, storage, userId }) })
}

/** Continues as the user whose token the client has. */
export async function beginSession(userId: number): Promise<void> {
  localStorage.setItem(userKey, String(userId))
  // Otherwise a browser that needs the space may discard what is waiting to be sent.
  void navigator.storage?.persist?.()
  await openSession()
}

/** The time zone of this browser. */
export const ownTimezone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** Set while the user is at the identity provider: a token is accepted only after that. */
const atProvider = 'purse.at-provider'

export async function leaveForProvider(): Promise<void> {
  const { url } = await unwrap(client.api.auth.idp.$get({ query: { timezone: ownTimezone() } }))
  sessionStorage.setItem(atProvider, 'true')
  location.assign(url)
}

export async function comeBack(token: string, userId: number): Promise<void> {
  if (!sessionStorage.getItem(atProvider)) return
  sessionStorage.removeItem(atProvider)
  await client.tokens.set(token)
  await beginSession(userId)
}

/** Whether the user is entering something and should not be interrupted. */
export const isEntering = (): boolean =>
  unsaved.size > 0 || document.querySelector('dialog[open], :is(input, select):focus') !== null

/** Whether the session ended without signing out: what is waiting to be sent is kept until they are back. */
export const isMissed = (): boolean => session.get() === null && localStorage.getItem(userKey) !== null

/** The token is no longer valid, or is another user's. What the user is entering can be finished first, and stays pending too. */
export async function endSession(): Promise<void> {
  const isOwn = session.get()?.userId === Number(localStorage.getItem(userKey))
  if (!isOwn || !isEntering()) await openSession()
}

/** Deletes everything that a person has on this device. */
export async function forgetSession({ userId, ledger }: Session): Promise<void> {
  const forget = () => indexedDB.deleteDatabase(databaseOf(userId))
  localStorage.removeItem(userKey)
  localStorage.removeItem(looksKey)
  localStorage.removeItem(orderKey)
  await openSession()
  forget()
  // A sync that was under way has stored its rows again.
  await ledger.sync()
  if (session.get()?.userId !== userId) forget()
}
