import type { transactions } from '../../db/schema.ts'

export type Transaction = typeof transactions.$inferSelect
