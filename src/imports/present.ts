import type { ShownImportError } from '../shared/failure-responses.ts'
import type { FileQuestion } from '../shared/failures.ts'
import { formatMoney, type Minor, moneyNumber } from '../shared/money.ts'
import { pluralize } from '../shared/pluralize.ts'
import { maxListed } from './contract.ts'
import type { Import } from './history.ts'
import type { ImportFile } from './import-file.ts'
import type { Preview } from './preview.ts'
import type { ListedLayout } from './remembered-layouts.ts'
import type { ShownImport, ShownImportResult, ShownLayout } from './response-contract.ts'
import type { ImportResult } from './store.ts'

export function presentImport(found: Import): ShownImport {
  const { id, kind, format, createdAt } = found
  return { id, kind, format, counts: presentCounts(found), created_at: createdAt.toISOString() }
}

function presentCounts({
  rows,
  created,
  duplicate,
  deletedBefore,
}: Omit<ImportResult['counts'], 'categorised'>) {
  return { rows, created, duplicate, deleted_before: deletedBefore }
}

export function presentImportResult(
  { format, skipped, leftOut, isDryRun }: ImportFile,
  result: ImportResult,
  appUrl: string,
): ShownImportResult {
  const { id, counts, settled, unused = [], categorised, accounts = [] } = result
  const { duplicates, possible, closing, checked, preview } = result
  const closing_balance = closing && {
    date: closing.date,
    statement: moneyNumber(closing.statement),
    account: moneyNumber(closing.account),
    agrees: closing.statement === closing.account,
  }
  return {
    message: messageOf(counts, isDryRun),
    import: {
      id,
      format,
      counts: { ...presentCounts(counts), possible: possible?.count ?? 0, categorised },
      duplicates: duplicates.map(({ line, transactionId, reasons }) => ({
        row: rowNumber(line, format),
        transaction_id: transactionId,
        reasons,
      })),
      matches_url: possible && `${appUrl}/api/matches?from=${possible.days.from}&to=${possible.days.to}`,
      skipped,
      left_out: { count: leftOut.length, lines: leftOut.slice(0, maxListed) },
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

function messageOf({ rows, created, duplicate, deletedBefore }: ImportResult['counts'], isDryRun: boolean) {
  const transactions = pluralize(created, 'transaction')
  const ofKnownRows =
    deletedBefore > 0 ? 'all rows are duplicates or were deleted before' : 'all rows are duplicates'
  const isKnown = rows > 0 && duplicate + deletedBefore === rows
  if (!isDryRun)
    return isKnown ? `Nothing was imported: ${ofKnownRows}.` : `Successfully imported ${transactions}.`
  const would = isKnown ? `${ofKnownRows}` : `the import would add ${transactions}`
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

export function presentQuestions(questions: readonly FileQuestion[]): ShownImportError['questions'] {
  return questions.map(({ field, text, dependsOn, options }) => ({
    field,
    text,
    depends_on: dependsOn,
    options: options.map(({ value, label, example }) => ({
      value,
      label,
      example: example.map(({ line, date, type, amount, description }) => ({
        row: line,
        transaction_date: date,
        type,
        amount: formatMoney(amount),
        description,
      })),
    })),
  }))
}
