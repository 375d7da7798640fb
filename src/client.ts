export type * from './client/api.ts'
export { type ClientOptions, createClient, type PurseClient } from './client/create.ts'
export { ApiError, ConnectionError } from './client/errors.ts'
export { indexedDbStorage } from './client/indexed-db.ts'
export type { LedgerConflict, LedgerRejection } from './client/ledger/decisions.ts'
export { type Entered, LedgerError } from './client/ledger/entered.ts'
export {
  type Ledger,
  type LedgerOptions,
  localLedger,
} from './client/ledger/ledger.ts'
export type {
  LedgerAccount,
  LedgerCategory,
  LedgerPage,
  LedgerPeriod,
  LedgerProfile,
  LedgerSummary,
  LedgerTransaction,
} from './client/ledger/reads.ts'
export type { Key, Noun } from './client/ledger/rows.ts'
export type { LedgerReport } from './client/ledger/run.ts'
export type { LedgerFilter } from './client/ledger/search.ts'
export { LedgerVersionError } from './client/ledger/store.ts'
export type { Fields as LedgerFields, Named } from './client/ledger/waiting.ts'
export type { Locks } from './client/locks.ts'
export { newClientId } from './client/new-id.ts'
export { defaultRetry, type RetryPolicy } from './client/retry.ts'
export { type AsyncSqlite, type SyncSqlite, sqliteStorage } from './client/sqlite.ts'
export type { Stopped } from './client/stopped.ts'
export { type LedgerStorage, memoryStorage } from './client/storage.ts'
export { memoryTokens, type TokenStore, type WebStorage, webStorageTokens } from './client/tokens.ts'
export { unwrap } from './client/unwrap.ts'
