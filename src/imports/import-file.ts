import type { LeftOut, Settled } from '../../statements/index.ts'
import type { imports } from '../database/schema.ts'
import type { CalendarDate } from '../domain/dates.ts'
import type { MatchMode } from '../domain/match-row.ts'
import type { Minor } from '../domain/money.ts'
import type { reconciledModes } from '../domain/types.ts'
import { copiedFieldNames } from '../transactions/bulk-insert.ts'
import type { NewBookedDays, NewOccurrence, NewTransaction } from '../transactions/contract.ts'
import type { NewAccount } from './new-accounts.ts'
import type { LayoutToKeep } from './remembered-layouts.ts'

/** One row of an import. Accounts and categories are given by id or by name; unknown categories are created. */
export type ImportRow = NullsForAbsent<
  Omit<NewTransaction & NewBookedDays & NewOccurrence, 'account_id' | 'to_account_id' | 'category_id'>
> & {
  /** The row's number in the file, as errors name it. */
  line: number
  account: number | string | null
  to_account: number | string | null
  category: number | string | null
}

type AlwaysGiven = 'line' | 'type' | 'amount' | 'transaction_date' | 'account' | 'to_account' | 'category'

/** The fields of a row that a file or a request does not give. */
const absent = Object.fromEntries(copiedFieldNames.map((name) => [name, null]))

/** Makes a row from the fields that are given. */
export function toImportRow(given: Pick<ImportRow, AlwaysGiven> & Partial<ImportRow>): ImportRow {
  return { ...absent, ...given, force: given.force ?? false } as ImportRow
}

type NullsForAbsent<Fields> = {
  [Name in keyof Fields]-?: undefined extends Fields[Name]
    ? Exclude<Fields[Name], undefined> | null
    : Fields[Name]
}

/** What an account held at the end of a day. */
export type AccountBalance = { accountId: number; date: CalendarDate; balance: Minor }

/** A file, or the JSON of a request, whose rows have been read. */
export type ImportFile = {
  kind: (typeof imports.$inferSelect)['kind']
  format: (typeof imports.$inferSelect)['format']
  rows: ImportRow[]
  /** The account that the form gives, for rows that name none. */
  accountId: number | null
  /** The name of the file in the form; null if it has none. */
  fileName: string | null
  /** The app that has written the file; null if it is unknown. */
  product: string | null
  /** How many rows are halves of transfers without the other half. */
  halves: number
  /** The accounts that are created for the rows. */
  newAccounts: NewAccount[]
  /** How many entries are not rows, because they moved no money. */
  skipped: number
  /** The records of the file that are not rows. */
  leftOut: LeftOut[]
  /** The account's closing balance according to the statement. */
  closing: AccountBalance | null
  /** The balances of the statement that become checks of its account: at the ends of days that were over. */
  checks: AccountBalance[]
  isDryRun: boolean
  /** Whether rows that the user has deleted are imported again. */
  importsDeleted: boolean
  /** Whether possible duplicates and transfers are searched for. */
  match: MatchMode
  /** Whether rows without a category get the one that the user's earlier rows suggest. */
  learnsCategories: boolean
  /** What is done with rows that would change a reconciled period; null if that has to be asked. */
  reconciled: (typeof reconciledModes)[number] | null
  /** How the aspects of the file were settled. */
  settled: Settled
  /** The options of the request for which the file has no use. */
  unused: string[]
  /** The layout to store; null if it is not to be remembered. */
  layout: LayoutToKeep | null
}
