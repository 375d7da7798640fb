import * as z from 'zod'
import { importKinds, itemOutcomes, syncStates } from './enums.ts'
import { at, calendarDate, count, fieldErrors, id, named, timestamp, total } from './kinds.ts'

/** Offline batches and imports. */

export const syncAccepted = named(
  'SyncAccepted',
  z.object({
    message: z.string(),
    sync_id: z.string(),
    status_url: z.string().describe('Where to ask what became of the batch.'),
  }),
  'The batch is stored and will be processed.',
  {
    message: 'Sync process started in the background.',
    sync_id: '0197f3a1-5c0e-7d3a-9b1f-2f6f0e6a1c55',
    status_url: 'https://api.purse.example/api/transactions/sync/0197f3a1-5c0e-7d3a-9b1f-2f6f0e6a1c55',
  },
)

const syncCounts = named(
  'SyncCounts',
  z.object({ total: count, created: count, duplicate: count, invalid: count, failed: count }),
  'How many items a batch has, and how many of them came to what.',
)

const syncItem = named(
  'SyncItem',
  z.object({
    index: count.describe('Position in the batch, from 0.'),
    client_id: z.string().nullable(),
    outcome: z.enum(itemOutcomes),
    transaction_id: id.nullable().describe('The new row, or for a duplicate the one that was there.'),
    errors: fieldErrors.nullable(),
  }),
  'One item of an offline batch.',
)

export const syncStatus = named(
  'SyncStatus',
  z.object({
    id: z.string(),
    status: z.enum(syncStates),
    counts: syncCounts,
    items: z.array(syncItem),
    created_at: timestamp,
    completed_at: timestamp.nullable(),
  }),
  'What became of an offline batch, item by item.',
  {
    id: '0197f3a1-5c0e-7d3a-9b1f-2f6f0e6a1c55',
    status: 'completed',
    counts: { total: 1, created: 1, duplicate: 0, invalid: 0, failed: 0 },
    items: [{ index: 0, client_id: 'phone-1', outcome: 'created', transaction_id: 1, errors: null }],
    created_at: at,
    completed_at: at,
  },
)

const importCounts = named(
  'ImportCounts',
  z.object({ rows: count, created: count, duplicate: count }),
  'How many rows a file has, and how many of them were new.',
)
const importFormats = z.string().describe('Such as csv, ofx, qif, camt.053, mt940, json.')

export const importRecord = named(
  'ImportRecord',
  z.object({
    id,
    kind: z.enum(importKinds),
    format: importFormats,
    counts: importCounts,
    created_at: timestamp,
  }),
  'A file that was imported.',
  { id: 1, kind: 'bank', format: 'ofx', counts: { rows: 31, created: 30, duplicate: 1 }, created_at: at },
)

const closingBalance = named(
  'ClosingBalance',
  z.object({
    date: calendarDate,
    statement: total.describe('What the bank says.'),
    account: total.describe('What the account holds on that day after the import.'),
    agrees: z.boolean(),
  }),
  'The closing balance of a statement beside that of the account.',
)

const importOutcome = named(
  'ImportOutcome',
  z.object({
    id: id.nullable().describe('Null for a dry run.'),
    format: importFormats,
    counts: importCounts,
    skipped: count.describe('Lines that are no transactions: pending ones, sums, blanks.'),
    dry_run: z.boolean(),
    closing_balance: closingBalance
      .nullable()
      .describe(
        'Null where the file names none, where the account was past ±90000000000000.00 on that day, or where more than 20,000 transactions of the account are later.',
      ),
  }),
  'What a file brought, or would bring.',
)

export const importResult = named(
  'ImportResult',
  z.object({ message: z.string(), import: importOutcome }),
  'What an import did.',
  {
    message: 'Successfully imported 30 transactions.',
    import: {
      id: 1,
      format: 'ofx',
      counts: { rows: 31, created: 30, duplicate: 1 },
      skipped: 0,
      dry_run: false,
      closing_balance: { date: '2026-11-20', statement: 1237.5, account: 1237.5, agrees: true },
    },
  },
)
