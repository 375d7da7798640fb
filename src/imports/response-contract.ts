import * as z from 'zod/mini'
import { balanceCheck, exampleCheck } from '../balance-checks/response-contract.ts'
import { doc, field } from '../domain/doc.ts'
import { formatMoney, maxTotal } from '../domain/money.ts'
import * as shown from '../domain/shown.ts'
import { importFormats, importKinds, leftOutReasons, transactionTypes } from '../domain/types.ts'
import { reasons } from '../failures/failure-responses.ts'
import { maxDays } from '../matches/contract.ts'

import { maxListed, maxPreviewed } from './contract.ts'

// The responses to imports; contract.ts has the requests.

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
    occurrences: field(
      shown.count(),
      doc('New rows that are occurrences of recurring transactions: 0 with `match=off`.'),
    ),
    categorised: field(
      shown.count(),
      doc('Rows without a category for which `categorise=learned` found one.'),
    ),
    halves: field(
      shown.count(),
      doc('Rows that the file calls halves of transfers, and whose other half it does not have.'),
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

const linkedRow = shown.object('LinkedRow', 'A new row that is the occurrence of a recurring transaction.', {
  row: field(shown.count(), doc('The row as errors number it.')),
  transaction_id: field(z.nullable(shown.id()), doc('Null for a dry run.')),
  recurring_id: shown.id(),
  occurrence_date: field(shown.calendarDate(), doc('The date by the rule, which identifies it.')),
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
    file_name: field(z.nullable(z.string()), doc('The name of the file in the form; null if it had none.')),
    counts,
    created_at: shown.timestamp(),
  },
  {
    id: 1,
    kind: 'bank' as const,
    format: 'ofx' as const,
    file_name: 'checking-2026-11.ofx',
    counts: { rows: 32, created: 30, duplicate: 1, deleted_before: 1 },
    created_at: shown.exampleTime,
  },
)
export type ShownImport = z.output<typeof importRecord>

export const undoneImport = shown.object(
  'UndoneImport',
  'What undoing an import did to balance checks.',
  { broken_checks: field(z.array(balanceCheck), doc('Those that were `ok` before.')) },
  { broken_checks: [exampleCheck()] },
)

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

const importedCheck = shown.object('ImportedCheck', 'The balance of a statement, as a balance check.', {
  id: field(z.nullable(shown.id()), doc('Null if another balance stays.')),
  date: shown.calendarDate(),
  balance: z.nullable(shown.amount()),
  ledger_balance: z.nullable(shown.total()),
  difference: z.nullable(shown.total()),
  state: field(z.nullable(z.string()), doc('`ok` or `broken`.')),
  conflict: field(
    z.nullable(
      shown.object('CheckConflict', 'A balance that a person has entered, which stays.', {
        id: shown.id(),
        balance: shown.amount(),
        file: field(shown.amount(), doc('What the file says.')),
      }),
    ),
    doc('If a person has entered another balance for that day.'),
  ),
})

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
  rows: field(z.array(previewedRow).check(z.maxLength(maxPreviewed)), doc(`The first ${maxPreviewed} rows.`)),
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
  'The answers that are kept for a layout of files: how its next file is read.',
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

const leftOutLine = shown.object('LeftOutLine', 'A record of a file that is not a row.', {
  line: field(
    shown.count(),
    doc('The line of the file, the row of a sheet, or the number of the entry (OFX, CAMT).'),
  ),
  text: field(z.string(), doc('At most 200 characters of it.')),
  reason: field(
    z.enum(leftOutReasons),
    doc('Such as `told` for an answer, or `other_account` for an account that was not chosen.'),
  ),
})

const leftOut = shown.object('LeftOut', 'The records of a file that are not rows.', {
  count: shown.count(),
  lines: field(z.array(leftOutLine).check(z.maxLength(maxListed)), doc(`The first ${maxListed}.`)),
})

const importOutcome = shown.object('ImportOutcome', 'What a file added, or would add.', {
  id: field(z.nullable(shown.id()), doc('Null for a dry run.')),
  format: format(),
  counts: countsWithPossible,
  duplicates: field(
    z.array(existingRow).check(z.maxLength(maxListed)),
    doc(`The first ${maxListed} rows that already existed.`),
  ),
  occurrences: field(
    z.array(linkedRow).check(z.maxLength(maxListed)),
    doc(`The first ${maxListed} new rows that are occurrences of recurring transactions.`),
  ),
  matches_url: field(
    z.nullable(z.string()),
    doc(
      `Where to find the possible matches: \`GET /api/matches\` with their days, the last ${maxDays} of them at most. Null if there are neither these nor \`halves\`.`,
    ),
  ),
  skipped: field(
    shown.count(),
    doc(
      'Rows that are no transactions: pending, declined or informational ones, and starting balances of accounts that existed.',
    ),
  ),
  left_out: leftOut,
  dry_run: z.boolean(),
  accounts_created: field(
    z.array(z.string()),
    doc('The names of the accounts that were created, or would be (`create_accounts`).'),
  ),
  settled: settled(),
  unused: field(
    z.array(z.string()),
    doc(
      'The options of the request for which the file has no use, such as `states.Pending` where nothing is pending.',
    ),
  ),
  preview: field(z.nullable(preview), doc('Null unless it is a dry run.')),
  balance_checks: field(
    z.array(importedCheck),
    doc(
      'The balances of the statement at the ends of days that were over, compared with those of the account.',
    ),
  ),
  starting_balance: field(
    z.nullable(shown.amount()),
    doc('The starting balance with which all checks of the account would be right, if none ever was.'),
  ),
  closing_balance: field(
    z.nullable(closingBalance),
    doc(`Null if the file gives none, or if the account was beyond ±${formatMoney(maxTotal)} on that day.`),
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
      counts: {
        rows: 32,
        created: 30,
        duplicate: 1,
        deleted_before: 1,
        possible: 2,
        occurrences: 1,
        categorised: 0,
        halves: 0,
      },
      duplicates: [{ row: 4, transaction_id: 7, reasons: ['same_amount', 'same_day', 'same_reference'] }],
      occurrences: [{ row: 5, transaction_id: 9, recurring_id: 3, occurrence_date: '2026-11-30' }],
      matches_url: 'https://api.purse.example/api/matches?from=2026-10-26&to=2026-12-06',
      skipped: 1,
      left_out: { count: 1, lines: [{ line: 12, text: 'Card authorisation', reason: 'pending' as const }] },
      dry_run: false,
      accounts_created: [],
      settled: { signs: { value: 'as_written', proof: 'the format defines its signs' } },
      unused: [],
      preview: null,
      balance_checks: [],
      starting_balance: null,
      closing_balance: { date: '2026-11-20', statement: 1237.5, account: 1237.5, agrees: true },
    },
  },
)
export type ShownImportResult = z.output<typeof importResult>
