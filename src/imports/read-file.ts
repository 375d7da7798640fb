import {
  answersOf,
  chooseAccount,
  type FileOptions,
  type GenericFile,
  identityOf,
  type Kept,
  readGeneric,
  readStatement,
  type Settled,
} from '../../statements/index.ts'
import type { KeptLayout } from '../database/schema.ts'
import type { CalendarDate } from '../shared/dates.ts'
import { Invalid } from '../shared/failures.ts'
import type { Minor } from '../shared/money.ts'
import type { ImportOptions } from './contract.ts'
import { type ImportFile, toImportRow } from './import-file.ts'
import { newAccountsOf, startsLeftOut } from './new-accounts.ts'
import { keptOf, type LayoutOfFile, layoutToKeep } from './remembered-layouts.ts'

/** The context in which a file is read: stored layouts, typed rows and existing accounts. */
export type FileContext = {
  layouts: KeptLayout[]
  today: CalendarDate
  typed?: FileOptions['typed']
  /** The names of the user's accounts, if others are to be created. */
  accounts?: string[] | undefined
}

/** Reads a generic CSV file, or a workbook with one table. Rows that name no account get `account_id`. Throws Invalid. */
export function readGenericFile(bytes: Uint8Array, options: ImportOptions, context: FileContext): ImportFile {
  const accountId = options.account_id ?? null
  const kept = keptFor(bytes, options, 'generic', context)
  const { typed, today } = context
  const read = readWithStoredSigns(bytes, { ...options, typed, today }, kept)
  const { settled, headers } = read
  const newAccounts = context.accounts ? newAccountsOf(read, context.accounts) : []
  const rows = read.rows.map(({ date, ...row }) =>
    toImportRow({ ...row, account: row.account ?? accountId, transaction_date: date }),
  )
  if (rows.some(({ account }) => account === null))
    throw new Invalid({
      account_id: ['The account id field is required when the file has no account column.'],
    })
  const isNamed = read.rows.some(({ account }) => account !== null)
  const file = { format: 'csv' as const, headers, accountId: isNamed ? null : accountId }
  const accounts = accountsOf(read.rows, settled, kept)
  const toKeep = accounts
    ? { ...settled, accounts: { value: accounts, proof: 'named in the file' } }
    : settled
  const layout = layoutToKeep(file, toKeep, answersOf(options), kept)
  const skipped = read.skipped + startsLeftOut(read, newAccounts)
  const found = { format: file.format, rows, accountId, newAccounts, skipped, settled, layout }
  return importFile('generic', options, found)
}

/** Reads a bank statement, whose entries all get `account_id`. Throws Invalid. */
export function readStatementFile(
  bytes: Uint8Array,
  options: ImportOptions,
  context: FileContext,
): ImportFile {
  const kept = keptFor(bytes, options, 'bank', context)
  const told = { ...options, kept, typed: context.typed, today: context.today }
  const { format, accounts, settled: aspects, headers } = readStatement(bytes, told)
  const accountId = options.account_id
  if (accountId === undefined) throw new Invalid({ account_id: ['The account id field is required.'] })
  const chosen = chooseAccount(accounts, told)
  const { entries, closingBalance, skipped } = chosen.account
  const settled = { ...aspects, ...chosen.settled }
  const rows = entries.map(({ line, date, amount, description, reference }) =>
    toImportRow({
      line,
      account: accountId,
      to_account: null,
      category: null,
      type: amount > 0 ? 'income' : 'expense',
      amount: Math.abs(amount) as Minor,
      description,
      reference,
      transaction_date: date,
    }),
  )
  const closing = closingBalance && { accountId, date: closingBalance.date, balance: closingBalance.amount }
  const layout = layoutToKeep({ format, headers, accountId }, settled, answersOf(options), kept)
  return importFile('bank', options, { format, rows, accountId, skipped, closing, settled, layout })
}

/** Reads a file. Applies stored signs only to accounts whose files proved them. */
function readWithStoredSigns(bytes: Uint8Array, options: FileOptions, kept: Kept | null): GenericFile {
  const file = readGeneric(bytes, { ...options, kept })
  const known = kept?.values.accounts?.split('\n')
  const isOther = ({ account }: { account: string | null }) => account !== null && !known?.includes(account)
  if (!kept || file.settled.signs?.proof !== kept.source || !file.rows.some(isOther)) return file
  const { signs: _, ...values } = kept.values
  return readGeneric(bytes, { ...options, kept: { ...kept, values } })
}

/** The accounts to store with these signs, one per line: those of the file and those stored before. */
function accountsOf(rows: GenericFile['rows'], { signs }: Settled, kept: Kept | null): string {
  const before = kept?.values.signs === signs?.value ? (kept?.values.accounts?.split('\n') ?? []) : []
  return [...new Set([...before, ...rows.flatMap(({ account }) => account ?? [])])].sort().join('\n')
}

/** Combines the rows with the options of the request. */
export function importFile(
  kind: ImportFile['kind'],
  { dry_run, reimport_deleted, match = 'suggest', categorise, remember }: ImportOptions,
  { layout = null, ...found }: Pick<ImportFile, 'format' | 'rows' | 'accountId'> & Partial<ImportFile>,
): ImportFile {
  return {
    kind,
    newAccounts: [],
    skipped: 0,
    closing: null,
    settled: {},
    ...found,
    layout: remember === false ? null : layout,
    isDryRun: dry_run ?? false,
    importsDeleted: reimport_deleted ?? false,
    match,
    learnsCategories: categorise === 'learned',
  }
}

/** The stored layout of a file, for its account or, if the file names its accounts, for all of them. */
function keptFor(
  bytes: Uint8Array,
  options: ImportOptions,
  kind: ImportFile['kind'],
  { layouts }: FileContext,
): Kept | null {
  const identity = layouts.length > 0 ? identityOf(bytes, options, kind === 'generic') : null
  if (!identity) return null
  const of = (accountId: LayoutOfFile['accountId']) => keptOf(layouts, { ...identity, accountId })
  return of(options.account_id ?? null) ?? (kind === 'generic' ? of(null) : null)
}
