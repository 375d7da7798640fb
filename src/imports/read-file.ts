import type { Balance, LeftOut, Reading, Remembered, Row } from '../../statements/index.ts'
import { addDays, type CalendarDate } from '../domain/dates.ts'
import type { Minor } from '../domain/money.ts'
import { Invalid } from '../failures/failures.ts'
import { answersOf } from './answers.ts'
import type { ImportOptions } from './contract.ts'
import { type AccountBalance, type ImportFile, toImportRow } from './import-file.ts'
import { newAccountsOf, startsUsed } from './new-accounts.ts'
import { layoutToKeep } from './remembered-layouts.ts'

/** The import of a file that was read. Rows that name no account get `account_id`. Throws Invalid. */
export function toImportFile(
  kind: ImportFile['kind'],
  reading: Reading,
  options: ImportOptions,
  {
    fileName,
    remembered,
    accounts,
    today,
  }: {
    fileName: string | null
    remembered: Remembered | null
    accounts: string[] | null
    today: CalendarDate
  },
): ImportFile {
  const { layout, settled, unused, balances } = reading
  const accountId = options.account_id ?? null
  const isMissing = accountId === null && (kind === 'bank' || reading.rows.some(({ account }) => !account))
  if (isMissing) throw new Invalid({ account_id: [missingAccount[kind]] })
  const newAccounts = accounts ? newAccountsOf(reading, accounts) : []
  const isNamed = reading.rows.some(({ account }) => account !== null)
  return importFile(kind, options, {
    format: layout?.format ?? 'csv',
    rows: reading.rows.map((row) => rowOf(row, accountId)),
    accountId,
    fileName,
    product: reading.product,
    halves: reading.halves,
    newAccounts,
    skipped: reading.leftOut.filter(movedNothing).length - startsUsed(reading, newAccounts),
    leftOut: reading.leftOut,
    closing: balancesOf([balances.closing], accountId)[0] ?? null,
    checks: options.balance_checks === 'off' ? [] : balancesOf(checkedBalances(reading, today), accountId),
    settled,
    unused,
    layout: layout && layoutToKeep(layout, isNamed ? null : accountId, answersOf(options), remembered),
  })
}

/** The errors of a file whose rows have no account. */
export const missingAccount = {
  bank: 'The account id field is required.',
  generic: 'The account id field is required when the file has no account column.',
}

const reasonsOfSkipped = new Set<LeftOut['reason']>([
  ...(['told', 'pending', 'not_booked', 'declined', 'zero', 'no_movement'] as const),
  ...(['split_parent', 'starting_balance'] as const),
])

/** True for the records that `skipped` counts. */
const movedNothing = ({ reason }: LeftOut) => reasonsOfSkipped.has(reason)

function rowOf(
  { lines, date, toAccount, toDate, account, amount, currency: _, ...row }: Row,
  accountId: number | null,
) {
  return toImportRow({
    ...row,
    line: lines[0] ?? 0,
    account: account ?? accountId,
    to_account: toAccount,
    to_booked_on: toDate ?? null,
    amount: Math.abs(amount) as Minor,
    transaction_date: date,
  })
}

function balancesOf(balances: (Balance | null)[], accountId: number | null): AccountBalance[] {
  if (accountId === null) return []
  return balances.flatMap((one) => (one ? [{ accountId, date: one.date, balance: one.amount }] : []))
}

/** A table whose last day is nearer than this may go on on that day. */
const daysUntilOver = 3

/** The balances of known direction at the ends of days that were over when the file was made, one for each day. */
function checkedBalances(reading: Reading, today: CalendarDate): Balance[] {
  const { balances, createdOn, layout } = reading
  const closing = layout?.format === 'csv' ? overBalance(reading, today) : balances.closing
  const found = [balances.opening, closing].flatMap((one) => one ?? [])
  const isOver = ({ date, isProved }: Balance) => isProved && date < (createdOn ?? today)
  return [...new Map(found.filter(isOver).map((one) => [one.date, one])).values()]
}

/** The closing balance of a table or, if that may go on on its last day, the balance at the end of the day before. */
function overBalance({ balances: { closing }, rows }: Reading, today: CalendarDate): Balance | null {
  if (!closing || closing.date <= addDays(today, -daysUntilOver)) return closing
  const last = rows.filter(({ date }) => date === closing.date)
  const before = rows.map(({ date }) => date).filter((date) => date < closing.date)
  const date = before.toSorted().at(-1)
  const moved = last.reduce((sum, { amount }) => sum + amount, 0)
  return date === undefined ? null : { ...closing, date, amount: (closing.amount - moved) as Minor }
}

/** Combines the rows with the options of the request. */
export function importFile(
  kind: ImportFile['kind'],
  { dry_run, reimport_deleted, match = 'suggest', categorise, remember, reconciled }: ImportOptions,
  { layout = null, ...found }: Pick<ImportFile, 'format' | 'rows' | 'accountId'> & Partial<ImportFile>,
): ImportFile {
  return {
    kind,
    fileName: null,
    product: null,
    halves: 0,
    newAccounts: [],
    skipped: 0,
    leftOut: [],
    closing: null,
    checks: [],
    settled: {},
    unused: [],
    ...found,
    layout: remember === false ? null : layout,
    isDryRun: dry_run ?? false,
    importsDeleted: reimport_deleted ?? false,
    match,
    learnsCategories: categorise === 'learned',
    reconciled: reconciled ?? null,
  }
}
