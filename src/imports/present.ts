import { counted } from '../shared/counted.ts'
import { moneyNumber } from '../shared/money.ts'
import type { ShownImport, ShownImportResult } from './contract.ts'
import type { Import } from './history.ts'
import type { ImportFile } from './import-file.ts'
import type { ImportResult } from './store.ts'

export function presentImport(found: Import): ShownImport {
  const { id, kind, format, createdAt } = found
  return { id, kind, format, counts: presentCounts(found), created_at: createdAt.toISOString() }
}

function presentCounts({ rows, created, duplicate, deletedBefore }: Omit<ImportResult['counts'], 'joined'>) {
  return { rows, created, duplicate, deleted_before: deletedBefore }
}

export function presentImportResult(
  { format, skipped, isDryRun }: ImportFile,
  { id, counts, duplicates, possible, closing }: ImportResult,
  appUrl: string,
): ShownImportResult {
  const closing_balance = closing && {
    date: closing.date,
    statement: moneyNumber(closing.statement),
    account: moneyNumber(closing.account),
    agrees: closing.statement === closing.account,
  }
  return {
    message: importMessage(counted(counts.created, 'transaction'), isDryRun),
    import: {
      id,
      format,
      counts: { ...presentCounts(counts), possible: possible?.count ?? 0, joined: counts.joined },
      duplicates: duplicates.map(({ line, transactionId, reasons }) => ({
        row: format === 'json' ? line - 1 : line,
        transaction_id: transactionId,
        reasons,
      })),
      matches_url: possible && `${appUrl}/api/matches?from=${possible.days.from}&to=${possible.days.to}`,
      skipped,
      dry_run: isDryRun,
      closing_balance,
    },
  }
}

function importMessage(created: string, isDryRun: boolean): string {
  return isDryRun
    ? `Nothing was stored: this was a dry run, and the import would add ${created}.`
    : `Successfully imported ${created}.`
}
