import * as z from 'zod/mini'
import { mostDays } from '../matches/contract.ts'
import { doc, field, grouped } from '../shared/doc.ts'
import { reasons } from '../shared/failure-responses.ts'
import { invalidText } from '../shared/field-errors.ts'
import { id, preprocessed, text, writtenFlag } from '../shared/fields.ts'
import { idempotencyKeyHeader } from '../shared/idempotency-key-header.ts'
import { formatMoney, maxTotal } from '../shared/money.ts'
import * as shown from '../shared/shown.ts'
import {
  categoriseModes,
  decimalSeparators,
  feeConventions,
  importFormats,
  importKinds,
  matchModes,
  signConventions,
  transactionTypes,
} from '../shared/types.ts'
import type { newTransaction } from '../transactions/contract.ts'

/** The largest file (docs/contract.md, Imports), not counting what a form adds around it. */
export const maxFileMegabytes = 5
/** The most entries of a mapping: more than there are fields to map (formats/csv/header-names.ts). */
export const maxMappingEntries = 50
/** The most rows of a file that are listed because they already existed. */
export const mostListed = 100
/** The most rows of a file that a dry run shows. */
export const mostPreviewed = 200
/** The most rows after the closing date that are added up: they are read under the write lock. */
export const mostRowsBack = 20_000

/** Texts by name. In a form or a query it is JSON text, or a field of its own for each (`mapping.amount`). */
const texts = (name: string, description: string, example: string) => {
  const error = `The ${name} field must be a JSON object of texts.`
  const one = z
    .string({ error })
    .check(z.maxLength(255, `The ${name} field must not have texts longer than 255 characters.`))
  return field(
    z.optional(preprocessed((input: string) => input, z.record(z.string(), one, { error }))),
    doc({
      type: 'string',
      description: `${description}, as JSON: \`${example}\`; at most ${maxMappingEntries} entries. Each may be a field of its own too, such as \`${name}.${Object.keys(JSON.parse(example))[0]}\`.`,
      examples: [example],
    }),
  )
}

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
    doc('What separates the columns, up to three characters, if that cannot be detected.'),
  ),
  encoding: field(
    z.optional(text(40)),
    doc('The encoding of the text, such as `windows-1253`, if it cannot be detected.'),
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
  mapping: texts(
    'mapping',
    'Which column holds which field, by its header or its number; for the amount, `3,4` means debits in column 3 and credits in column 4',
    '{"amount":"Betrag"}',
  ),
  states: texts(
    'states',
    'Whether rows moved money (`booked` or `skipped`), for words in the column of states that are unknown',
    '{"Pending":"skipped"}',
  ),
  marks: texts(
    'marks',
    'Whether amounts came `in` or went `out`, for words in the column of types that are unknown',
    '{"Corr":"in"}',
  ),
  fees: field(
    z.optional(z.enum(feeConventions, { error: invalidText })),
    doc('Whether the amounts contain the fees beside them, if that cannot be proved.'),
  ),
  remember: field(
    z.optional(writtenFlag),
    doc({ default: true, description: 'Whether the next file of the same layout is read like this one.' }),
  ),
  categorise: field(
    z.optional(z.enum(categoriseModes, { error: invalidText })),
    doc({
      default: 'off',
      description:
        '`learned` gives rows without a category the one under which the user filed the same payee before.',
    }),
  ),
  create_accounts: field(
    z.optional(writtenFlag),
    doc(
      'Creates the accounts that a file of `import/store` names and the user lacks: of type `bank`, with the starting balance that the file gives, or 0.',
    ),
  ),
  dry_run: field(z.optional(writtenFlag), doc('Answers as the import would, and stores nothing.')),
  reimport_deleted: field(
    z.optional(writtenFlag),
    doc('Also imports rows that an earlier import brought and the user deleted.'),
  ),
  match: field(
    z.optional(
      z.enum(matchModes, {
        error: ({ input }) =>
          input === 'sure'
            ? 'The :field sure no longer exists: join the sure matches of the import with POST /api/matches/join.'
            : invalidText,
      }),
    ),
    doc({
      default: 'suggest',
      description:
        'What to do about possible duplicates and transfers: `suggest` counts them (`possible`), `off` does not look for them.',
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
    categorised: field(
      shown.count(),
      doc('Rows without a category for which `categorise=learned` found one.'),
    ),
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

/** A category that was suggested, and why. */
const filedUnder = shown.object('FiledUnder', 'The category of an imported row.', {
  id: field(z.nullable(shown.id()), doc('Null if the import creates the category.')),
  name: z.string(),
  because: field(z.nullable(z.string()), doc('Why it was suggested; null if the file names it.')),
})

const previewedRow = shown.object('PreviewedRow', 'A row of a file as it would be stored.', {
  row: field(shown.count(), doc('The row as errors number it.')),
  transaction_date: shown.calendarDate(),
  type: z.enum(transactionTypes),
  amount: shown.amount(),
  description: z.nullable(z.string()),
  reference: z.nullable(z.string()),
  account: field(z.nullable(z.string()), doc('The name of its account.')),
  to_account: z.nullable(z.string()),
  category: z.nullable(filedUnder),
  duplicate_of: field(z.nullable(shown.id()), doc('The transaction that it repeats.')),
  possible: field(
    z.nullable(shown.id()),
    doc('A transaction that may be the same event, or the other leg of a transfer.'),
  ),
})

const preview = shown.object('ImportPreview', 'What a file would come to.', {
  rows: field(
    z.array(previewedRow).check(z.maxLength(mostPreviewed)),
    doc(`The first ${mostPreviewed} rows.`),
  ),
  more: field(shown.count(), doc('How many rows follow.')),
  total_in: shown.amount(),
  total_out: shown.amount(),
  balance_after: field(
    z.nullable(shown.total()),
    doc('What the account of the import would hold; null if rows name their accounts.'),
  ),
})

const settledAspect = shown.object('SettledAspect', 'How an aspect of a file was settled.', {
  value: z.string(),
  proof: field(z.string(), doc('The evidence, `as the request says`, or the import whose answer was used.')),
})
const settled = () =>
  field(
    z.record(z.string(), settledAspect),
    doc(
      'How each aspect of the file was settled, by the option that could have told it (`signs`, `date_format`, `mapping.amount` …); empty for JSON.',
    ),
  )

export const importLayout = shown.object(
  'ImportLayout',
  'What is remembered of a layout of files: how the next file of the layout is read.',
  {
    id: shown.id(),
    account_id: field(
      z.nullable(shown.id()),
      doc('The account of the files; null if these name their accounts themselves.'),
    ),
    format: format(),
    headers: field(
      z.array(z.string()),
      doc(
        'The headers of the table or, without headers, the kinds of its columns; empty for statement formats.',
      ),
    ),
    values: field(z.record(z.string(), z.string()), doc('The answers, by option.')),
    import_id: field(shown.id(), doc('The import that settled them: undoing it forgets them.')),
    last_used: z.nullable(shown.timestamp()),
  },
  {
    id: 1,
    account_id: 1,
    format: 'csv' as const,
    headers: ['Date', 'Description', 'Amount'],
    values: { signs: 'inverted', 'mapping.amount': 'Amount' },
    import_id: 12,
    last_used: shown.exampleTime,
  },
)
export type ShownLayout = z.output<typeof importLayout>

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
  accounts_created: field(
    z.array(z.string()),
    doc('The names of the accounts that were created, or would be (`create_accounts`).'),
  ),
  settled: settled(),
  preview: field(z.nullable(preview), doc('Null unless it is a dry run.')),
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
      counts: { rows: 32, created: 30, duplicate: 1, deleted_before: 1, possible: 2, categorised: 0 },
      duplicates: [{ row: 4, transaction_id: 7, reasons: ['same_amount', 'same_day', 'same_reference'] }],
      matches_url: 'https://api.purse.example/api/matches?from=2026-10-26&to=2026-12-06',
      skipped: 0,
      dry_run: false,
      accounts_created: [],
      settled: { signs: { value: 'as_written', proof: 'the format defines its signs' } },
      preview: null,
      closing_balance: { date: '2026-11-20', statement: 1237.5, account: 1237.5, agrees: true },
    },
  },
)
export type ShownImportResult = z.output<typeof importResult>
