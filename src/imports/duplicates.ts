import { type SQL, sql } from 'drizzle-orm'
import type { MatchReason } from '../domain/match-row.ts'
import { duplicateReasons } from '../transactions/duplicates.ts'
import type { ImportFile } from './import-file.ts'

/** A row of a file that already exists. */
export type FoundDuplicate = {
  position: number
  id: number
  description: string | null
  reference: string | null
}

/**
 * Selects the first rows of a decided batch that already exist, with the transactions that they duplicate. Which rows
 * these are is decided in transactions/bulk-duplicates.ts.
 */
export function selectDuplicates(batchId: string, limit: number): SQL {
  return sql`
    select found.key as position, transactions.id, description, reference
      from (select key, value from sync_batches cross join json_each(outcomes)
             where sync_batches.id = ${batchId} and value ->> 0 = 'duplicate' limit ${limit}) found
     cross join transactions on transactions.id = found.value ->> 1
     order by found.key`
}

/** A duplicate, with the reasons why it is one. */
export function withReasons({ rows }: ImportFile, { position, id, ...words }: FoundDuplicate) {
  const row = rows[position]
  // A row with a client id of its own is compared by that alone.
  const hasClientId = !row || row.client_id !== null
  const reasons: MatchReason[] = hasClientId ? ['same_client_id'] : duplicateReasons(row, words)
  return { line: row?.line ?? position + 1, transactionId: id, reasons }
}
