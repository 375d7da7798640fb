import type { ShownAccount } from '../accounts/contract.ts'
import type { ShownBatch } from '../sync/contract.ts'
import type { ShownCategory } from '../categories/contract.ts'
import type { ShownChange, ShownFeed } from '../changes/contract.ts'
import type { ShownImport, ShownImportResult } from '../imports/contract.ts'
import type { ShownMatchList } from '../matches/contract.ts'
import type { ShownResult } from '../changes/operations-contract.ts'
import type { ShownUser } from '../users/contract.ts'
import type { ShownSession, ShownSignIn } from '../auth/contract.ts'
import type { ShownSummary } from '../summary/contract.ts'
import type { ShownTransaction, ShownTransactionWithRelations } from '../transactions/contract.ts'
import type { User } from '../database/owner.ts'
import { counted } from '../shared/counted.ts'
import { writeCursor } from '../changes/feed-cursor.ts'
import { errorsByField } from '../shared/field-errors.ts'
import { formatMoney, moneyNumber, sumOfBalances } from '../shared/money.ts'
import type { Account } from '../accounts/accounts.ts'
import type { Category } from '../categories/categories.ts'
import type { Feed } from '../changes/pull/feed.ts'
import type { Change } from '../changes/pull/rows.ts'
import type { Import } from '../imports/history.ts'
import type { ImportFile } from '../imports/import-file.ts'
import type { ImportResult } from '../imports/store.ts'
import type { Matches } from '../matches/list.ts'
import type { Outcome } from '../changes/push/outcomes.ts'
import type { Session } from '../auth/sessions.ts'
import type { SignedIn } from '../auth/token.ts'
import type { Summary } from '../summary/summarise.ts'
import type { SyncStatus } from '../sync/status.ts'
import type { Transaction, TransactionWithRelations } from '../transactions/read.ts'

// Rows as the contract shows them: snake case, amounts and starting balances as strings, other balances and totals as
// numbers.

export function presentUser(user: User): ShownUser {
  return {
    id: user.id,
    name: user.name,
    email: user.email,
    idp_id: user.idpId,
    avatar: user.avatar,
    email_verified_at: user.emailVerifiedAt?.toISOString() ?? null,
    timezone: user.timezone,
    reminder_time: user.reminderTime,
    reminder_last_sent_at: user.reminderLastSentAt?.toISOString() ?? null,
  }
}

export function presentSignIn({ token, user }: SignedIn): ShownSignIn {
  return {
    access_token: token,
    token_type: 'Bearer',
    user: presentUser(user),
    email_verified: user.emailVerifiedAt !== null,
    email_verified_at: user.emailVerifiedAt?.toISOString() ?? null,
  }
}

export function presentSession(session: Session, currentTokenId: number): ShownSession {
  return {
    id: session.id,
    user_agent: session.userAgent,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    is_current: session.id === currentTokenId,
  }
}

export function presentAccount(account: Account): ShownAccount {
  return {
    id: account.id,
    user_id: account.userId,
    name: account.name,
    type: account.type,
    starting_balance: formatMoney(account.startingBalance),
    notes: account.notes,
    version: account.version,
    ...presentTimestamps(account),
    balance: moneyNumber(account.balance),
  }
}

export function presentCategory({ id, userId, name, type, version }: Category): ShownCategory {
  return { id, user_id: userId, name, type, version }
}

export function presentTransaction(transaction: Transaction): ShownTransaction {
  return {
    id: transaction.id,
    user_id: transaction.userId,
    account_id: transaction.accountId,
    to_account_id: transaction.toAccountId,
    category_id: transaction.categoryId,
    type: transaction.type,
    amount: formatMoney(transaction.amount),
    description: transaction.description,
    reference: transaction.reference,
    transaction_date: transaction.transactionDate,
    is_synced: transaction.isSynced,
    version: transaction.version,
    ...presentTimestamps(transaction),
  }
}

export function presentWithRelations(found: TransactionWithRelations): ShownTransactionWithRelations {
  const { transaction, ...relations } = found
  return { ...presentTransaction(transaction), ...relations }
}

export function presentSync({ batch, items }: SyncStatus): ShownBatch {
  const count = (outcome: string) => items.filter((item) => item.outcome[0] === outcome).length
  return {
    id: batch.id,
    status: batch.status,
    counts: {
      total: items.length,
      created: count('created'),
      duplicate: count('duplicate'),
      invalid: count('invalid'),
      failed: count('failed'),
    },
    items: items.map(({ clientId, outcome: [outcome, transactionId, errors] }, index) => ({
      index,
      client_id: clientId,
      outcome,
      transaction_id: transactionId,
      errors: errors && errorsByField(errors, 'item'),
    })),
    created_at: batch.createdAt.toISOString(),
    completed_at: batch.completedAt?.toISOString() ?? null,
  }
}

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

export function presentSummary(summary: Summary): ShownSummary {
  const { income, expense } = summary
  return {
    total_balance: moneyNumber(summary.totalBalance),
    accounts: summary.accounts.map((account) => ({
      id: account.id,
      name: account.name,
      type: account.type,
      starting_balance: formatMoney(account.startingBalance),
      balance: moneyNumber(account.balance),
    })),
    monthly_summary: {
      income: moneyNumber(income),
      expense: moneyNumber(expense),
      net: moneyNumber(income - expense),
    },
    category_breakdown: summary.breakdown.map(({ id, name, total }) => ({
      category_id: id,
      category_name: name,
      total: moneyNumber(total),
    })),
  }
}

export function presentFeed({ changes, cursor, hasMore, isSnapshot, balances }: Feed): ShownFeed {
  return {
    changes: changes.map(presentChange),
    cursor: writeCursor(cursor),
    has_more: hasMore,
    snapshot: isSnapshot,
    ...(!hasMore && {
      balances: balances.map(({ id, balance }) => ({ account_id: id, balance: moneyNumber(balance) })),
      total_balance: moneyNumber(sumOfBalances(balances.map(({ balance }) => balance))),
    }),
  }
}

function presentChange(change: Change): ShownChange {
  const { noun, id, row } = change
  if (row === null) return { noun, id, data: null }
  if (noun === 'profile') return { noun, id, data: presentUser(row) }
  const fed = { client_id: row.clientId }
  if (noun === 'category') return { noun, id, data: { ...presentCategory(row), ...fed } }
  if (noun === 'transaction') return { noun, id, data: { ...presentTransaction(row), ...fed } }
  // An account's balance changes without the account, so the feed sends balances separately.
  const { balance, ...account } = presentAccount(row)
  return { noun, id, data: { ...account, ...fed } }
}

export function presentOutcome(found: Outcome): ShownResult {
  const { index, outcome, id, version, fields, errors, current } = found
  const data = current && presentChange(current).data
  return {
    index,
    outcome,
    ...(id !== null && { id }),
    ...(version !== null && { version }),
    ...(fields && { fields }),
    ...(errors && { errors }),
    ...(data && { data }),
  }
}

export function presentMatches({ matches, searchedBackTo }: Matches): ShownMatchList {
  return {
    matches: matches.map(({ kind, ids, daysApart, certainty, reasons, transactions }) => ({
      kind,
      ids,
      days_apart: daysApart,
      certainty,
      reasons,
      transactions: transactions.map(presentTransaction),
    })),
    searched_back_to: searchedBackTo,
  }
}

function presentTimestamps(row: { createdAt: Date; updatedAt: Date }) {
  return { created_at: row.createdAt.toISOString(), updated_at: row.updatedAt.toISOString() }
}
