import { hc } from 'hono/client'
import type { Api, Credentials, Registration, Routes, SignedIn } from './api.ts'
import { ApiError } from './errors.ts'
import { type SendOptions, sender } from './send.ts'
import { clearEnded, memoryTokens, type TokenStore } from './tokens.ts'
import { unwrap } from './unwrap.ts'

export type ClientOptions = Partial<SendOptions> & {
  /** The service's address, such as `https://api.example.com`, with or without `/api` at its end. */
  baseUrl: string
  /** Default: in memory, lost when the page is left. */
  tokens?: TokenStore
}

export type PurseClient = {
  /** Every route: `api.accounts.$get()` resolves to a response typed by its status; `unwrap` gets its body. */
  api: Routes
  tokens: TokenStore
  /** Registers a user and signs them in. Throws ApiError, ConnectionError. */
  register: (registration: Registration) => Promise<SignedIn>
  /** Signs in. Throws ConnectionError, and ApiError: for wrong credentials, its `errors.email` says so. */
  signIn: (credentials: Credentials) => Promise<SignedIn>
  /** Revokes the token, and clears it even if that fails. Throws ApiError, ConnectionError. */
  signOut: () => Promise<void>
}

/** A typed client of the service. It sends the token with each request, and clears it after a 401. */
export function createClient({ baseUrl, tokens = memoryTokens(), ...options }: ClientOptions): PurseClient {
  // The paths of the routes begin with /api.
  const { api } = hc<Api>(baseUrl.replace(/\/api\/*$/, ''), {
    fetch: sender(tokens, options) as typeof fetch,
  })

  async function keep(signedIn: SignedIn): Promise<SignedIn> {
    await tokens.set(signedIn.access_token)
    return signedIn
  }

  return {
    api,
    tokens,
    register: async (json) => keep(await unwrap(api.register.$post({ json }))),
    signIn: async (json) => keep(await unwrap(api.login.$post({ json }))),
    async signOut() {
      const token = await tokens.get()
      if (token === null) return
      try {
        await unwrap(api.logout.$post({}, { headers: { Authorization: `Bearer ${token}` } }))
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 401)) throw error
      } finally {
        await clearEnded(tokens, token)
      }
    },
  }
}
