import { and, asc, eq, getTableColumns, gt, type SQL, sql } from 'drizzle-orm'
import { presentAccount } from '../accounts/present.ts'
import { presentSession } from '../auth/present.ts'
import { type Session, sessionColumns } from '../auth/sessions.ts'
import { presentStoredCheck } from '../balance-checks/present.ts'
import { checkColumns } from '../balance-checks/read.ts'
import { presentCategory } from '../categories/present.ts'
import { lastChange } from '../database/change-numbers.ts'
import { jsonRows } from '../database/json-row.ts'
import { hasLiveAccount } from '../database/live-accounts.ts'
import type { Owner } from '../database/owner.ts'
import type { ResultOf } from '../database/run.ts'
import {
  accounts,
  balanceChecks,
  importedOriginals,
  importLayouts,
  imports,
  rejectedMatches,
  rejectedOccurrences,
  tokens,
  users,
} from '../database/schema.ts'
import { formatMoney } from '../domain/money.ts'
import { presentTimestamps } from '../domain/present.ts'
import { writeCursor } from '../feed/cursor.ts'
import { presentImport, presentLayout } from '../imports/present.ts'
import { presentStoredRule } from '../recurring/present.ts'
import { presentTransaction } from '../transactions/present.ts'
import type { Transaction } from '../transactions/read.ts'
import { presentUser } from '../users/present.ts'
import { formatVersion, type ListName, type ShownExport } from './contract.ts'
import {
  DataChanged,
  type ExportReader,
  firstStatements,
  selectExportedRules,
  transactionPages,
} from './pages.ts'

/** Reads the first page, and returns everything of the user as JSON in parts, a row in each line. */
export async function exportJson(reader: ExportReader, epoch: number): Promise<AsyncGenerator<string>> {
  const { owner } = reader
  const first = await reader.read((limit) => ({
    ...firstStatements(owner, {}, limit),
    counted: countRows(owner),
    rules: selectExportedRules(owner),
    checks: selectExportedChecks(owner),
    imports: nextImports(owner, limit),
    layouts: selectLayouts(owner),
    rejected: selectRejected(owner),
    rejectedOccurrences: selectRejectedOccurrences(owner),
    remembered: nextRemembered(owner, limit),
    tokens: selectTokens(owner),
  }))
  const { user, layouts, rejected } = first
  const [counted] = first.counted
  if (!counted) throw new DataChanged()
  const head: Pick<ShownExport, 'format_version' | 'exported_at' | 'cursor' | 'counts' | 'profile'> = {
    format_version: formatVersion,
    exported_at: owner.now.toISOString(),
    cursor: writeCursor({ epoch, userId: user.id, seq: counted.seq }),
    counts: {
      accounts: first.accounts.length,
      categories: first.categories.length,
      recurring: first.rules.length,
      transactions: counted.transactions,
      balance_checks: first.checks.length,
      imports: counted.imports,
      layouts: layouts.length,
      rejected_matches: rejected.length,
      rejected_occurrences: first.rejectedOccurrences.length,
      remembered_rows: counted.remembered,
      tokens: first.tokens.length,
    },
    profile: { ...presentUser(user), ...presentTimestamps(user) },
  }
  const lists: Lists = {
    accounts: once(first.accounts, (row) => ({ ...presentAccount(row), client_id: row.clientId })),
    categories: once(first.categories, (row) => ({
      ...presentCategory(row),
      client_id: row.clientId,
      ...presentTimestamps(row),
    })),
    recurring: once(first.rules, (row) => ({ ...presentStoredRule(row), ...presentTimestamps(row) })),
    transactions: each(transactionPages(reader, {}, first), exportedTransaction),
    balance_checks: once(first.checks, (row) => ({ ...presentStoredCheck(row), ...presentTimestamps(row) })),
    imports: each(
      reader.pages(first.imports, (limit, { id }) => nextImports(owner, limit, id)),
      (row) => ({ ...presentImport(row), first_day: row.firstDay, last_day: row.lastDay }),
    ),
    layouts: once(layouts, exportedLayout),
    rejected_matches: once(rejected, ({ firstId, secondId, kind }) => ({
      first_id: firstId,
      second_id: secondId,
      kind,
    })),
    rejected_occurrences: once(first.rejectedOccurrences, exportedRejectedOccurrence),
    remembered_rows: each(
      reader.pages(first.remembered, (limit, { id }) => nextRemembered(owner, limit, id)),
      exportedRemembered,
    ),
    tokens: once(first.tokens, exportedToken),
  }
  return write(head, lists)
}

type Lists = { [Name in ListName]: AsyncGenerator<ShownExport[Name]> }

/** Writes the members. Throws DataChanged if a list has another number of rows than counted at first. */
async function* write(head: Pick<ShownExport, 'counts'>, lists: Lists): AsyncGenerator<string> {
  yield JSON.stringify(head).slice(0, -1)
  for (const [name, pages] of Object.entries(lists) as [ListName, Lists[ListName]][]) {
    let rows = 0
    yield `,\n"${name}":[`
    for await (const page of pages) {
      yield page.map((row) => `${rows++ === 0 ? '' : ','}\n${JSON.stringify(row)}`).join('')
    }
    if (rows !== head.counts[name]) throw new DataChanged()
    yield ']'
  }
  yield ',\n"complete":true}\n'
}

async function* each<Row, Shown>(pages: AsyncIterable<Row[]>, present: (row: Row) => Shown) {
  for await (const page of pages) yield page.map(present)
}

async function* once<Row, Shown>(rows: Row[], present: (row: Row) => Shown) {
  yield rows.map(present)
}

/** The number of the last change, and the rows of the lists that have pages. */
function countRows({ db, id }: Owner) {
  const of = (rows: SQL) => sql<number>`(select ${rows} where user_id = users.id)`
  return db
    .select({
      seq: lastChange(sql`users.id`),
      transactions: of(sql`coalesce(sum(transaction_count), 0) from ${accounts}`),
      imports: of(sql`count(*) from ${imports}`),
      remembered: of(sql`count(*) from ${importedOriginals}`),
    })
    .from(users)
    .where(eq(users.id, id))
}

function nextImports(owner: Owner, limit: number, after = 0) {
  const { response: _, ...columns } = getTableColumns(imports)
  const page = owner.db
    .select(columns)
    .from(imports)
    .where(and(eq(imports.userId, owner.id), gt(imports.id, after)))
    .orderBy(asc(imports.id))
    .limit(limit)
    .as('imports')
  return owner.db.select({ rows: jsonRows(columns) }).from(page)
}

function nextRemembered(owner: Owner, limit: number, after = 0) {
  const columns = getTableColumns(importedOriginals)
  const page = owner.db
    .select(columns)
    .from(importedOriginals)
    .where(and(eq(importedOriginals.userId, owner.id), gt(importedOriginals.id, after)))
    .orderBy(asc(importedOriginals.id))
    .limit(limit)
    .as('imported_originals')
  return owner.db.select({ rows: jsonRows(columns) }).from(page)
}

const selectExportedChecks = ({ db, id }: Owner) =>
  db
    .select({ ...checkColumns, createdAt: balanceChecks.createdAt, updatedAt: balanceChecks.updatedAt })
    .from(balanceChecks)
    .where(and(eq(balanceChecks.userId, id), hasLiveAccount))
    .orderBy(asc(balanceChecks.accountId), asc(balanceChecks.date))

const selectLayouts = ({ db, id }: Owner) =>
  db.select().from(importLayouts).where(eq(importLayouts.userId, id)).orderBy(asc(importLayouts.id))

const selectRejected = ({ db, id }: Owner) =>
  db.select().from(rejectedMatches).where(eq(rejectedMatches.userId, id))

const selectRejectedOccurrences = ({ db, id }: Owner) =>
  db.select().from(rejectedOccurrences).where(eq(rejectedOccurrences.userId, id))

const selectTokens = ({ db, id }: Owner) =>
  db.select(sessionColumns).from(tokens).where(eq(tokens.userId, id)).orderBy(asc(tokens.id))

type Row<Select extends (...parameters: never[]) => { _: { result: unknown[] } }> = ResultOf<
  ReturnType<Select>
>[number]

function exportedTransaction(row: Transaction): ShownExport['transactions'][number] {
  const { clientId, bookedBy } = row
  return { ...presentTransaction(row), client_id: clientId, booked_by: bookedBy }
}

function exportedLayout(row: Row<typeof selectLayouts>): ShownExport['layouts'][number] {
  const { last_used, ...layout } = presentLayout({ ...row, lastUsed: null })
  return layout
}

function exportedRejectedOccurrence({
  transactionId,
  recurringId,
  occurrenceDate,
}: Row<typeof selectRejectedOccurrences>): ShownExport['rejected_occurrences'][number] {
  return { transaction_id: transactionId, recurring_id: recurringId, occurrence_date: occurrenceDate }
}

function exportedRemembered(
  row: typeof importedOriginals.$inferSelect,
): ShownExport['remembered_rows'][number] {
  return {
    id: row.id,
    account_id: row.accountId,
    to_account_id: row.toAccountId,
    type: row.type,
    amount: formatMoney(row.amount),
    reference: row.reference,
    transaction_date: row.transactionDate,
    kind: row.kind,
    import_id: row.importId,
    booked_by: row.bookedBy,
    joined_id: row.joinedId,
    merged_into_id: row.mergedIntoId,
    kept: row.kept,
  }
}

function exportedToken(row: Session): ShownExport['tokens'][number] {
  const { is_current, ...token } = presentSession(row)
  return token
}
