import type { Ledger } from 'purse-client'
import { createClient, indexedDbStorage, localLedger, unwrap, webStorageTokens } from 'purse-client'
import { observable } from './store.ts'

/** Who is signed in on this device, with their ledger. */
export type Session = { userId: number; ledger: Ledger }

/** Null if nobody is signed in, undefined while the ledger is opened. */
export const session = observable<Session | null | undefined>(undefined)

export const client = createClient({
  baseUrl: import.meta.env.VITE_API_URL,
  tokens: webStorageTokens(localStorage),
  onSignedOut: () => void endSession(),
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

/** Set while somebody is at the identity provider: a token that nobody here asked for is not taken. */
const atProvider = 'purse.at-provider'

export async function leaveForProvider(): Promise<void> {
  const { url } = await unwrap(client.api.auth.idp.$get({ query: {} }))
  sessionStorage.setItem(atProvider, 'true')
  location.assign(url)
}

export async function comeBack(token: string, userId: number): Promise<void> {
  if (!sessionStorage.getItem(atProvider)) return
  sessionStorage.removeItem(atProvider)
  await client.tokens.set(token)
  await beginSession(userId)
}

/** Whether somebody is at work, whom nothing should interrupt. */
export const isEntering = (): boolean =>
  document.querySelector('dialog[open], :is(input, select):focus') !== null

/** Whether a session has ended without their signing out: what waits to be sent is kept until they are back. */
export const isMissed = (): boolean => session.get() === null && localStorage.getItem(userKey) !== null

/** The token has ended, or is another's. What is being entered can be finished first; it waits with the rest. */
export async function endSession(): Promise<void> {
  const isOwn = session.get()?.userId === Number(localStorage.getItem(userKey))
  if (!isOwn || !isEntering()) await openSession()
}

/** Forgets on this device all that a person has. */
export async function forgetSession({ userId }: Session): Promise<void> {
  localStorage.removeItem(userKey)
  await openSession()
  indexedDB.deleteDatabase(databaseOf(userId))
}
