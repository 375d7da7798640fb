import * as z from 'zod/mini'
import { mostDays } from '../matches/contract.ts'
import { doc, field, grouped } from '../shared/doc.ts'
import { reasons } from '../shared/failure-responses.ts'
import { invalidText } from '../shared/field-errors.ts'
import { flag, id, idempotencyKeyHeader, preprocessed, text } from '../shared/fields.ts'
import { formatMoney, maxTotal } from '../shared/money.ts'
import * as shown from '../shared/shown.ts'
import {
  decimalSeparators,
  importFormats,
  importKinds,
  matchModes,
  signConventions,
} from '../shared/types.ts'
import type { newTransaction } from '../transactions/contract.ts'

/** The largest file (docs/contract.md, Imports), not counting what a form adds around it. */
export const maxFileMegabytes = 5
/** The most entries of a mapping: more than there are fields to map (statements/csv/header-names.ts). */
export const maxMappingEntries = 50
/** The most pairs that an import joins, since triggers do that row by row: any others remain possible matches. */
export const mostJoined = 500
/** The most rows of a file that are listed because they already existed. */
export const mostListed = 100
/** The most rows after the closing date that are added up: they are read under the write lock. */
export const mostRowsBack = 20_000

const mappingText = 'The mapping field must be a JSON object of texts.'
const mappedHeader = z
  .string({ error: mappingText })
  .check(z.maxLength(255, 'The mapping field must not have texts longer than 255 characters.'))

/** A flag that may come as text, as everything does in a form and a query. */
const writtenFlag = preprocessed(
  (input: boolean | 'true' | 'false') => (input === 'true' ? true : input === 'false' ? false : input),
  flag,
)

/** The options of an import: parameters of its query, fields of its form, or fields beside the rows of its JSON. */
export const importOptions = z.object({
  account_id: field(z.optional(id), doc('The account of the file, or of the rows that name none.')),
  statement_account: field(
    z.optional(text()),
    doc('Which account, if the statement holds several: one of the names that the 422 lists.'),
  ),
  delimiter: field(
    z.optional(
      z
        .string({ error: 'The :field field must be a string.' })
        .check(z.maxLength(20, 'The :field field must not be greater than 20 characters.')),
    ),
    doc('What separates the columns, if that cannot be detected.'),
  ),
  date_format: field(
    z.optional(text(50)),
    doc('How dates are written, such as `DD/MM/YYYY`, if that cannot be detected.'),
  ),
  decimal_separator: field(
    z.optional(z.enum(decimalSeparators, { error: invalidText })),
    doc('The decimal separator, if it cannot be detected.'),
  ),
  signs: field(
    z.optional(z.enum(signConventions, { error: invalidText })),
    doc(
      'Which way amounts without marks go: `as_written` if negative amounts were spent, `inverted` if positive ones were, as many cards write charges.',
    ),
  ),
  mapping: field(
    z.optional(
      // In a form or a query it is JSON text, which is parsed before it gets here.
      preprocessed((input: string) => input, z.record(z.string(), mappedHeader, { error: mappingText })),
    ),
    doc({
      type: 'string',
      description: `Which column holds which field, as JSON: \`{"amount":"Betrag"}\`; at most ${maxMappingEntries} entries.`,
      examples: ['{"amount":"Betrag"}'],
    }),
  ),
  dry_run: field(z.optional(writtenFlag), doc('Answers as the import would, and stores nothing.')),
  reimport_deleted: field(
    z.optional(writtenFlag),
    doc('Also imports rows that an earlier import brought and the user deleted.'),
  ),
  match: field(
    z.optional(z.enum(matchModes, { error: invalidText })),
    doc({
      default: 'suggest',
      description: `What to do about possible duplicates and transfers: \`suggest\` counts them (\`possible\`), \`off\` does not look for them, \`sure\` joins up to ${mostJoined} pairs that are sure, which undoing the import separates again.`,
    }),
  ),
})
export type ImportOptions = z.output<typeof importOptions>

type Options = z.input<typeof importOptions>
type Row = z.input<typeof newTransaction>

/** An import as typed clients send it: a file in a form, or rows as JSON. `hc` cannot express that it is either. */
export type ImportRequest = {
  query?: Options
  form?: Options & { file: File | Blob }
  json?: Options & { transactions: (Omit<Row, 'account_id'> & Partial<Pick<Row, 'account_id'>>)[] }
}

export const newImportKey = idempotencyKeyHeader(
  doc(
    'Makes the call safe to repeat: with the same rows, a repeat answers with the import of the first call.',
  ),
)

export const undoOptions = z.object({
  force: field(
    z.optional(
      preprocessed((input: boolean | 'true' | 'false') => ['1', 'true'].includes(String(input)), z.boolean()),
    ),
    doc('Also deletes transactions that have been changed since.'),
  ),
})

const counts = shown.object('ImportCounts', 'How many rows a file has, and how many of them were new.', {
  rows: shown.count(),
  created: shown.count(),
  duplicate: shown.count(),
  deleted_before: field(
    shown.count(),
    doc('Rows that the user had deleted; `reimport_deleted` imports them.'),
  ),
})

const countsWithPossible = shown.object(
  'ImportOutcomeCounts',
  'How many rows a file has, how many of them were new, and how many may match others.',
  {
    ...counts.shape,
    possible: field(shown.count(), doc('Possible matches of the rows that it created: 0 with `match=off`.')),
    joined: field(shown.count(), doc('Pairs that were joined, or would be: 0 unless `match=sure`.')),
  },
)

const existingRow = shown.object('ExistingRow', 'A row of a file whose transaction already existed.', {
  row: field(
    shown.count(),
    doc('The row as errors number it: the line or entry of a file, or the item of a JSON body.'),
  ),
  transaction_id: shown.id(),
  reasons: reasons(),
})

const format = () =>
  field(z.enum(importFormats), doc({ type: 'string', description: `One of ${importFormats.join(', ')}.` }))

export const importRecord = shown.object(
  'ImportRecord',
  'A file that was imported.',
  {
    id: shown.id(),
    kind: z.enum(importKinds),
    format: format(),
    counts,
    created_at: shown.timestamp(),
  },
  {
    id: 1,
    kind: 'bank' as const,
    format: 'ofx' as const,
    counts: { rows: 32, created: 30, duplicate: 1, deleted_before: 1 },
    created_at: shown.exampleTime,
  },
)
export type ShownImport = z.output<typeof importRecord>

const closingBalance = shown.object(
  'ClosingBalance',
  'The closing balance of a statement, and that of the account.',
  {
    date: shown.calendarDate(),
    statement: field(shown.total(), doc('What the bank says.')),
    account: field(shown.total(), doc('What the account holds on that day after the import.')),
    agrees: z.boolean(),
  },
)

const importOutcome = shown.object('ImportOutcome', 'What a file added, or would add.', {
  id: field(z.nullable(shown.id()), doc('Null for a dry run.')),
  format: format(),
  counts: countsWithPossible,
  duplicates: field(
    z.array(existingRow).check(z.maxLength(mostListed)),
    doc(`The first ${mostListed} rows that already existed.`),
  ),
  matches_url: field(
    z.nullable(z.string()),
    doc(
      `Where to find the possible matches: \`GET /api/matches\` with their days, the last ${mostDays} of them at most. Null if there are none.`,
    ),
  ),
  skipped: field(
    shown.count(),
    doc('Entries of a statement that moved no money: pending, declined or informational ones.'),
  ),
  dry_run: z.boolean(),
  closing_balance: field(
    z.nullable(closingBalance),
    doc(
      `Null if the file gives none, if the account was beyond ±${formatMoney(maxTotal)} on that day, or if the account has more than ${grouped(mostRowsBack)} later transactions.`,
    ),
  ),
})

export const importResult = shown.object(
  'ImportResult',
  'What an import did.',
  { message: z.string(), import: importOutcome },
  {
    message: 'Successfully imported 30 transactions.',
    import: {
      id: 1,
      format: 'ofx' as const,
      counts: { rows: 32, created: 30, duplicate: 1, deleted_before: 1, possible: 2, joined: 0 },
      duplicates: [{ row: 4, transaction_id: 7, reasons: ['same_amount', 'same_day', 'same_reference'] }],
      matches_url: 'https://api.purse.example/api/matches?from=2026-10-26&to=2026-12-06',
      skipped: 0,
      dry_run: false,
      closing_balance: { date: '2026-11-20', statement: 1237.5, account: 1237.5, agrees: true },
    },
  },
)
export type ShownImportResult = z.output<typeof importResult>
