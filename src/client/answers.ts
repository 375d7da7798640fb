import type { Served } from './api.ts'

/** What a route answers where nothing is wrong. */
type Answer<Path extends keyof Served, Method extends keyof Served[Path]> = Served[Path][Method] extends {
  output: infer Output
}
  ? Output
  : never

/** Rows as the service shows them: amounts are texts (`"12.50"`), balances and totals numbers, times ISO 8601. */
export type User = Answer<'/api/me', '$get'>
export type Session = Answer<'/api/tokens', '$get'>[number]
export type Account = Answer<'/api/accounts/:id', '$get'>
export type Category = Answer<'/api/categories/:id', '$get'>
/** As creating and changing one answers. */
export type Transaction = Answer<'/api/transactions/:id', '$put'>
/** As lists and GET show one: with its accounts and its category. */
export type TransactionWithRelations = Answer<'/api/transactions/:id', '$get'>
export type TransactionPage = Answer<'/api/transactions', '$get'>
export type Summary = Answer<'/api/summary', '$get'>
/** An accepted batch, and what has become of it. */
export type AcceptedBatch = Answer<'/api/transactions/sync', '$post'>
export type Batch = Answer<'/api/transactions/sync/:id', '$get'>
/** What an import did, and how it is shown afterwards. */
export type ImportResult = Answer<'/api/import/store', '$post'>
export type Import = Answer<'/api/imports/:id', '$get'>
