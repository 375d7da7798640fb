export type * from './client/answers.ts'
export type {
  Api,
  Credentials,
  NewTransaction,
  Registration,
  Routes,
  SignedIn,
} from './client/api.ts'
export { type ClientOptions, createClient, type PurseClient } from './client/create.ts'
export { ApiError, ConnectionError, type Duplicate, type FieldErrors } from './client/errors.ts'
export { newClientId } from './client/id.ts'
export { indexedDbStorage } from './client/indexed-db.ts'
export * from './client/offline-queue.ts'
export { defaultRetry, type RetryPolicy } from './client/retry.ts'
export { type KeyValueStorage, memoryStorage, type WebStorage, webStorage } from './client/storage.ts'
export { memoryTokens, type TokenStore, webStorageTokens } from './client/tokens.ts'
export { unwrap } from './client/unwrap.ts'
