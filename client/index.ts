export type * from './api.ts'
export { type ClientOptions, createClient, type PurseClient } from './create.ts'
export { ApiError, ConnectionError } from './errors.ts'
export { indexedDbStorage } from './indexed-db.ts'
export type { LedgerConflict, LedgerRejection } from './ledger/conflicts.ts'
export { type Entered, LedgerError, type WriteOptions } from './ledger/entered.ts'
export {
  type Ledger,
  type LedgerOptions,
  localLedger,
} from './ledger/ledger.ts'
export type { LedgerException } from './ledger/occurrences.ts'
export type { Fields as LedgerFields, Named } from './ledger/pending.ts'
export type {
  LedgerAccount,
  LedgerBalancesReport,
  LedgerCategory,
  LedgerCheck,
  LedgerExplainedCheck,
  LedgerForecast,
  LedgerMonthlyReport,
  LedgerOccurrence,
  LedgerPage,
  LedgerProfile,
  LedgerRecurring,
  LedgerSummary,
  LedgerTransaction,
  LedgerUpcoming,
} from './ledger/present.ts'
export type { Key, Noun } from './ledger/rows.ts'
export type { LedgerReport } from './ledger/run.ts'
export type { LedgerFilter, LedgerMonths, LedgerPeriod, LedgerRange } from './ledger/search.ts'
export { LedgerVersionError } from './ledger/store.ts'
export type { Locks } from './locks.ts'
export { newClientId } from './new-id.ts'
export { type RestoreDifference, type Restored, RestoreError, restore } from './restore.ts'
export { defaultRetry, type RetryPolicy } from './retry.ts'
export { type AsyncSqlite, type SyncSqlite, sqliteStorage } from './sqlite.ts'
export type { Stopped } from './stopped.ts'
export { type LedgerStorage, memoryStorage } from './storage.ts'
export { memoryTokens, type TokenStore, type WebStorage, webStorageTokens } from './tokens.ts'
export { unwrap } from './unwrap.ts'
