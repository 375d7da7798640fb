import type { ClientResponse } from 'hono/client'
import { hc } from 'hono/client'
import type { ResponseFormat } from 'hono/types'
import type { SuccessStatusCode } from 'hono/utils/http-status'
import type { Api, Credentials, Registration, Routes, SignedIn } from './client/api.ts'
import { ApiError, demandOurs, readJson } from './client/errors.ts'
import { type SendOptions, sender } from './client/send.ts'
import { memoryTokens, type TokenStore } from './client/tokens.ts'

export type * from './client/answers.ts'
export type {
  Api,
  Credentials,
  Duplicate,
  NewTransaction,
  Registration,
  Routes,
  SignedIn,
} from './client/api.ts'
export { ApiError, ConnectionError, type FieldErrors } from './client/errors.ts'
export { newClientId } from './client/id.ts'
export { indexedDbStorage } from './client/indexed-db.ts'
export * from './client/offline-queue.ts'
export { defaultRetry, type RetryPolicy } from './client/retry.ts'
export { type KeyValueStorage, memoryStorage, type WebStorage, webStorage } from './client/storage.ts'
export { memoryTokens, type TokenStore, webStorageTokens } from './client/tokens.ts'

export type ClientOptions = Partial<SendOptions> & {
  /** The service's address, such as `https://api.example.com`. */
  baseUrl: string
  /** Default: memory, which the next page does not know. */
  tokens?: TokenStore
}

export type PurseClient = {
  /** Every route: `api.accounts.$get()` answers a response typed by its status, `unwrap` takes out what was asked for. */
  api: Routes
  tokens: TokenStore
  /** Makes a user and signs them in. Throws ApiError, ConnectionError. */
  register: (registration: Registration) => Promise<SignedIn>
  /** Signs in. Throws ApiError, whose `errors.email` says that the two do not belong together; ConnectionError. */
  signIn: (credentials: Credentials) => Promise<SignedIn>
  /** Revokes the token, and forgets it in any case. Throws ConnectionError where it could not be revoked. */
  signOut: () => Promise<void>
}

/** A typed client of the service. The token goes along by itself, and a 401 clears it. */
export function createClient({ baseUrl, tokens = memoryTokens(), ...options }: ClientOptions): PurseClient {
  const { api } = hc<Api>(baseUrl, { fetch: sender(tokens, options) as typeof fetch })

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
      try {
        await unwrap(api.logout.$post())
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 401)) throw error
      } finally {
        await tokens.clear()
      }
    },
  }
}

/** The body of the answers that are no failure. */
type Unwrapped<R> =
  R extends ClientResponse<infer Body, infer Status, ResponseFormat>
    ? Status extends SuccessStatusCode
      ? Status extends 204
        ? undefined
        : Body
      : never
    : never

/**
 * What was asked for. Throws ApiError where the service refuses, ConnectionError where it could not be reached, which
 * is also so where a success is no JSON: the page of a network that wants a sign-in, or of another server.
 */
export async function unwrap<R extends ClientResponse<unknown, number, ResponseFormat>>(
  answer: R | Promise<R>,
): Promise<Unwrapped<R>> {
  const response = await answer
  const body = readJson(await response.text())
  if (!response.ok) throw new ApiError(response, body)
  demandOurs(body !== undefined || response.status === 204)
  return body as Unwrapped<R>
}
