import * as z from 'zod/mini'
import { account } from '../accounts/response-contract.ts'
import { session } from '../auth/contract.ts'
import { storedCheck } from '../balance-checks/response-contract.ts'
import { category } from '../categories/response-contract.ts'
import { doc, field } from '../domain/doc.ts'
import type { FieldErrors } from '../domain/field-errors.ts'
import { addError, checkOrder } from '../domain/field-errors.ts'
import { date, id, oneOf } from '../domain/fields.ts'
import * as shown from '../domain/shown.ts'
import { exportFormats, matchKinds, transactionTypes } from '../domain/types.ts'
import { importLayout, importRecord } from '../imports/response-contract.ts'
import { storedRecurring } from '../recurring/response-contract.ts'
import { coffee, transaction } from '../transactions/response-contract.ts'
import { mary, user } from '../users/contract.ts'

export const exportQuery = z.partial(
  z.object({
    format: field(
      oneOf(exportFormats),
      doc({
        default: 'json',
        description:
          '`json` is everything, `csv` what `POST /api/import/store` reads, `hledger` a journal for hledger.',
      }),
    ),
    from: field(date, doc('The first day, only for `csv`.')),
    to: field(date, doc('The last day, only for `csv`.')),
    account_id: field(
      id,
      doc('One account alone, on either side of a transfer; only for `csv`. Another user’s finds nothing.'),
    ),
  }),
)
export type ExportQuery = z.output<typeof exportQuery>

/** The errors of filters beside a format that has everything, and of a range that ends before it begins. */
export function exportErrors({ format = 'json', from, to, account_id }: ExportQuery): FieldErrors {
  const errors: FieldErrors = {}
  for (const [name, filter] of Object.entries({ from, to, account_id }))
    if (filter && format !== 'csv')
      addError(errors, name, 'The :field field must be empty unless format is csv.')
  checkOrder(errors, { from, to })
  return errors
}

const clientId = () => field(z.nullable(z.string()), doc('The id that the client gave it on creation.'))
const timestamps = { created_at: shown.timestamp(), updated_at: shown.timestamp() }

const profile = shown.object('ExportedProfile', 'The profile.', { ...user.shape, ...timestamps })

const exportedAccount = shown.object('ExportedAccount', 'An account with its balance.', {
  ...account.shape,
  client_id: clientId(),
})

const exportedCategory = shown.object('ExportedCategory', 'A category.', {
  ...category.shape,
  client_id: clientId(),
  ...timestamps,
})

const origin = {
  import_id: field(z.nullable(shown.id()), doc('The import that created it.')),
  booked_by: field(z.nullable(shown.id()), doc('The import whose file has a row equal to it.')),
}

const exportedTransaction = shown.object('ExportedTransaction', 'A transaction.', {
  ...transaction.shape,
  client_id: clientId(),
  ...origin,
})

const exportedImport = shown.object('ExportedImport', 'An import.', {
  ...importRecord.shape,
  first_day: field(z.nullable(shown.calendarDate()), doc('The day of the first row of its file.')),
  last_day: field(z.nullable(shown.calendarDate()), doc('The day of the last row of its file.')),
})

const exportedLayout = shown.object(
  'ExportedLayout',
  'The answers that are kept for a layout of files.',
  z.omit(importLayout, { last_used: true }).shape,
)

const rejectedMatch = shown.object('RejectedMatch', 'Two transactions that are not a match of this kind.', {
  first_id: shown.id(),
  second_id: shown.id(),
  kind: z.enum(matchKinds),
})

const rejectedOccurrence = shown.object(
  'RejectedOccurrence',
  'A transaction that is not this occurrence of a recurring transaction.',
  {
    transaction_id: shown.id(),
    recurring_id: shown.id(),
    occurrence_date: shown.calendarDate(),
  },
)

const rememberedRow = shown.object(
  'RememberedRow',
  'A row of a file whose transaction was edited, joined with another or deleted, so that the next file does not bring it back.',
  {
    id: field(shown.id(), doc('The id of the transaction.')),
    account_id: shown.id(),
    to_account_id: z.nullable(shown.id()),
    type: z.enum(transactionTypes),
    amount: shown.amount(),
    reference: z.nullable(z.string()),
    transaction_date: shown.calendarDate(),
    kind: field(
      z.nullable(z.enum(matchKinds)),
      doc('The kind of match in which it was joined; null if it was not.'),
    ),
    ...origin,
    joined_id: field(z.nullable(shown.id()), doc('The transaction that replaced it first.')),
    merged_into_id: field(z.nullable(shown.id()), doc('The transaction that replaces it now.')),
    kept: field(
      z.nullable(z.string()),
      doc('The transaction before it was joined, as JSON, with amounts in cents and times in milliseconds.'),
    ),
  },
)

const exportedCheck = shown.object(
  'ExportedBalanceCheck',
  'A balance of the bank. Its difference follows from the rest.',
  {
    ...storedCheck.shape,
    ...timestamps,
  },
)

const exportedRecurring = shown.object('ExportedRecurring', 'A recurring transaction.', {
  ...storedRecurring.shape,
  ...timestamps,
})

const exportedToken = shown.object(
  'ExportedToken',
  'A token, without its secret.',
  z.omit(session, { is_current: true }).shape,
)

const lists = {
  accounts: z.array(exportedAccount),
  categories: z.array(exportedCategory),
  recurring: z.array(exportedRecurring),
  transactions: field(z.array(exportedTransaction), doc('By date, then id, oldest first.')),
  balance_checks: field(z.array(exportedCheck), doc('By account and day.')),
  imports: z.array(exportedImport),
  layouts: z.array(exportedLayout),
  rejected_matches: z.array(rejectedMatch),
  rejected_occurrences: z.array(rejectedOccurrence),
  remembered_rows: z.array(rememberedRow),
  tokens: z.array(exportedToken),
}
export type ListName = keyof typeof lists

const countsOfLists = Object.fromEntries(Object.keys(lists).map((name) => [name, shown.count()]))
const counts = shown.object(
  'ExportCounts',
  'The number of rows of each list.',
  countsOfLists as Record<ListName, ReturnType<typeof shown.count>>,
)

/** The version of the format, raised by a change that readers of the former version would misread. */
export const formatVersion = 1

const someone = { ...mary(), created_at: shown.exampleTime, updated_at: shown.exampleTime }

/** The export as JSON. */
export const fullExport = shown.object(
  'FullExport',
  'Everything of a user, as it was at one moment. Without `complete` at its end, it broke off: export again.',
  {
    format_version: field(shown.count(), doc('Always 1.')),
    exported_at: shown.timestamp(),
    cursor: field(z.string(), doc('Where `GET /api/changes` continues after this export.')),
    counts,
    profile,
    ...lists,
    complete: field(z.boolean(), doc('Always true, and the last member.')),
  },
  {
    format_version: formatVersion,
    exported_at: shown.exampleTime,
    cursor: 'WzEsMSwxMDRd',
    counts: {
      accounts: 0,
      categories: 0,
      transactions: 1,
      recurring: 0,
      balance_checks: 0,
      imports: 0,
      layouts: 0,
      rejected_matches: 0,
      rejected_occurrences: 0,
      remembered_rows: 0,
      tokens: 0,
    },
    profile: someone,
    accounts: [],
    categories: [],
    transactions: [{ ...coffee(), client_id: null, import_id: null, booked_by: null }],
    recurring: [],
    balance_checks: [],
    imports: [],
    layouts: [],
    rejected_matches: [],
    rejected_occurrences: [],
    remembered_rows: [],
    tokens: [],
    complete: true,
  },
)
export type ShownExport = z.output<typeof fullExport>
