import { formatMoney, type Minor, moneyNumber } from '../domain/money.ts'
import { pluralize } from '../domain/pluralize.ts'
import { maxListed } from './contract.ts'
import type { Import } from './history.ts'
import type { ImportFile } from './import-file.ts'
import { daysOf, latestDays } from './possible-matches.ts'
import type { Preview } from './preview.ts'
import type { ListedLayout } from './remembered-layouts.ts'
import type { ShownImport, ShownImportResult, ShownLayout } from './response-contract.ts'
import type { ImportResult } from './store.ts'

export function presentImport(found: Import): ShownImport {
  const { id, kind, format, fileName, createdAt } = found
  return {
    id,
    kind,
    format,
    file_name: fileName,
    counts: presentCounts(found),
    created_at: createdAt.toISOString(),
  }
}

function presentCounts({ rows, created, duplicate, deletedBefore }: ImportResult['counts']) {
  return { rows, created, duplicate, deleted_before: deletedBefore }
}

export function presentImportResult(
  { format, skipped, leftOut, isDryRun, rows, halves }: ImportFile,
  result: ImportResult,
  appUrl: string,
): ShownImportResult {
  const { id, counts, settled, unused = [], categorised, accounts = [], reconciled = [] } = result
  const { duplicates, possible, occurrences, closing, checked, preview } = result
  const hasHalves = halves > 0 && counts.created > 0
  const days = hasHalves ? latestDays(daysOf({ rows })) : (possible?.days ?? null)
  const closing_balance = closing && {
    date: closing.date,
    statement: moneyNumber(closing.statement),
    account: moneyNumber(closing.account),
    agrees: closing.statement === closing.account,
  }
  return {
    message: messageOf(counts, isDryRun) + aboutHalves(counts, halves),
    import: {
      id,
      format,
      counts: {
        ...presentCounts(counts),
        possible: possible?.count ?? 0,
        occurrences: occurrences?.count ?? 0,
        categorised,
        halves,
      },
      duplicates: duplicates.map(({ line, transactionId, reasons }) => ({
        row: rowNumber(line, format),
        transaction_id: transactionId,
        reasons,
      })),
      occurrences: (occurrences?.rows ?? []).map((one) => ({
        row: rowNumber(one.line, format),
        transaction_id: isDryRun ? null : one.transactionId,
        recurring_id: one.recurringId,
        occurrence_date: one.occurrenceDate,
      })),
      matches_url: days && `${appUrl}/api/matches?from=${days.from}&to=${days.to}`,
      skipped,
      left_out: leftOutOf(
        reconciled.map((position) => rows[position]),
        leftOut,
      ),
      dry_run: isDryRun,
      accounts_created: accounts,
      settled,
      unused,
      preview: preview && presentPreview(preview, format),
      closing_balance,
      balance_checks: (checked?.checks ?? []).map(presentCheck),
      starting_balance: checked?.startingBalance ? formatMoney(BigInt(checked.startingBalance)) : null,
    },
  }
}

/** The rows that were left out because of a reconciled period, then the records that are not rows. */
function leftOutOf(rows: (ImportFile['rows'][number] | undefined)[], records: ImportFile['leftOut']) {
  const reconciled = rows.flatMap((row) =>
    row
      ? [{ line: row.line, text: (row.description ?? '').slice(0, 200), reason: 'reconciled' as const }]
      : [],
  )
  const all = [...reconciled, ...records]
  return { count: all.length, lines: all.slice(0, maxListed) }
}

/** What the message says of halves of transfers that stay income and expenses. */
function aboutHalves({ created }: ImportResult['counts'], halves: number): string {
  if (halves === 0 || created === 0) return ''
  const words = halves === 1 ? 'is half of a transfer' : 'are halves of transfers'
  return ` ${pluralize(halves, 'row')} of the file ${words} without the other half: see matches_url.`
}

function messageOf({ rows, created, duplicate, deletedBefore }: ImportResult['counts'], isDryRun: boolean) {
  const transactions = pluralize(created, 'transaction')
  const ofKnownRows =
    deletedBefore > 0 ? 'all rows are duplicates or were deleted before' : 'all rows are duplicates'
  const isKnown = rows > 0 && duplicate + deletedBefore === rows
  if (!isDryRun)
    return isKnown ? `Nothing was imported: ${ofKnownRows}.` : `Successfully imported ${transactions}.`
  const would = isKnown ? ofKnownRows : `the import would add ${transactions}`
  return `Nothing was stored: this was a dry run, and ${would}.`
}

type StoredCheck = NonNullable<ImportResult['checked']>['checks'][number]

function presentCheck(check: StoredCheck): ShownImportResult['import']['balance_checks'][number] {
  const { id, date, balance } = check
  const none = { ledger_balance: null, difference: null, state: null, conflict: null }
  if ('file' in check)
    return {
      ...none,
      id: null,
      date,
      balance: null,
      conflict: { id, balance: formatMoney(balance), file: formatMoney(check.file) },
    }
  const difference = BigInt(check.difference)
  return {
    ...none,
    id,
    date,
    balance: formatMoney(balance),
    ledger_balance: moneyNumber(BigInt(balance) + difference),
    difference: moneyNumber(difference),
    state: check.state,
  }
}

/** A row as errors number it: the item of JSON, or the line of a file. */
const rowNumber = (line: number, format: ImportFile['format']) => (format === 'json' ? line - 1 : line)

function presentPreview(preview: Preview, format: ImportFile['format']) {
  return {
    rows: preview.rows.map((row) => ({
      row: rowNumber(row.line, format),
      transaction_date: row.transaction_date,
      type: row.type,
      amount: formatMoney(row.amount),
      description: row.description,
      reference: row.reference,
      account: row.account,
      to_account: row.toAccount,
      category: row.category,
      duplicate_of: row.duplicateOf,
      possible: row.possible,
    })),
    more: preview.more,
    total_in: formatMoney(preview.totalIn),
    total_out: formatMoney(preview.totalOut),
    balance_after: preview.balanceAfter === null ? null : moneyNumber(preview.balanceAfter as Minor),
  }
}

export function presentLayout({
  id,
  accountId,
  format,
  headers,
  settled,
  importId,
  lastUsed,
}: ListedLayout): ShownLayout {
  const last_used = lastUsed?.toISOString() ?? null
  return { id, account_id: accountId, format, headers, values: settled, import_id: importId, last_used }
}
