import { and, eq, type SQL, sql } from 'drizzle-orm'
import { idempotency } from '../../db/idempotency.ts'
import { insertWhere } from '../../db/insert-where.ts'
import type { Owner } from '../../db/owner.ts'
import { batches, batchItems, imports } from '../../db/schema.ts'
import { EmailNotVerified, Invalid } from '../../domain/failures.ts'
import { hashSecret } from '../../domain/tokens.ts'
import { maxErrors } from '../../statements/problems.ts'
import { withinBounds } from '../bounds.ts'
import {
  countInserted,
  failRuleBreakers,
  insertPending,
  matchClientIds,
  settlePending,
  undoImport,
} from '../bulk-insert.ts'
import { brokenBy, type Rule, selectVerdict } from '../guards.ts'
import { categoryQuota } from '../quotas.ts'
import { isVerified } from '../verified.ts'
import { assignCategories, createCategories, missingCategories } from './categories.ts'
import { balanceAt, type ClosingComparison, compareClosing } from './closing-balance.ts'
import { type BrokenItem, errorsOf } from './errors.ts'
import type { ImportFile } from './import-file.ts'
import { stageImportRows } from './rows.ts'

/** What an import did, or would do; `id` is null for a dry run. */
export type ImportResult = {
  id: number | null
  counts: { rows: number; created: number; duplicate: number }
  closing: ClosingComparison | null
}

/** The import's own batch, which exists only within the transaction. */
type Batch = { id: string; key: string | null; rowsHash: string | null }

/**
 * Imports a file, all or nothing, in one transaction and one round trip: stages its rows, checks them, compares them
 * with existing ones and creates the rest. A dry run does the same and undoes it at the end. The same file with the
 * same key is imported once; repeats get the same answer. Throws EmailNotVerified, Invalid.
 */
export async function storeImport(
  owner: Owner,
  file: ImportFile,
  idempotencyKey: string | undefined,
): Promise<ImportResult> {
  const key = file.isDryRun ? null : (idempotencyKey ?? null)
  const rowsHash = key === null ? null : await hashSecret(JSON.stringify([file.kind, file.rows]))
  const batch = { id: crypto.randomUUID(), key, rowsHash }
  const missing = missingCategories(owner, file.rows)
  const quota = categoryQuota(owner.id, 'category', sql`(select count(*) ${missing})`)
  const results = await withinBounds('amount', owner.run(statementsOf(owner, file, batch, missing, quota)))

  const { user, broken, brokenTotal, created, outcomes, balance } = results
  const [earlier] = results.earlier
  if (user.emailVerifiedAt === null) throw new EmailNotVerified()
  if (broken.length > 0) throw new Invalid(errorsOf(file, broken, brokenTotal[0]?.total ?? 0))
  if (earlier && earlier.rowsHash !== rowsHash)
    throw new Invalid({ 'Idempotency-Key': ['The Idempotency-Key has been used for another import.'] })
  if (!earlier && created.length === 0) throw brokenBy([quota], results.verdict)
  const count = (outcome: string) => outcomes.find((row) => row.outcome === outcome)?.items ?? 0
  const counts = { rows: file.rows.length, created: count('pending'), duplicate: count('duplicate') }
  return {
    id: file.isDryRun ? null : ((earlier ?? created[0])?.id ?? null),
    counts: earlier ? { rows: earlier.rows, created: earlier.created, duplicate: earlier.duplicate } : counts,
    closing: compareClosing(file, balance),
  }
}

function statementsOf(owner: Owner, file: ImportFile, batch: Batch, missing: SQL, quota: Rule) {
  const { db, now } = owner
  const { id } = batch
  const { earlier, isFirst } = idempotency(owner, imports, batch.key)
  const hasFailed = sql`batch_id = ${id} and outcome = 'failed'`
  // The rows were staged (only for a verified user and a new key), none breaks a rule, and the quota allows the new
  // categories.
  const isSound = sql`(exists (select 1 from ${batches} where id = ${id})
    and not exists (select 1 from ${batchItems} where ${hasFailed})
    and ${quota.holds})`
  const importId = sql`(select id from imports where batch_id = ${id})`
  const run = (statements: SQL[]) => statements.map((statement) => db.run(statement))
  return {
    earlier: db.select().from(imports).where(earlier),
    batch: insertWhere(db, batches, newBatch(owner, id), and(isVerified(owner), isFirst) as SQL),
    items: run(stageImportRows(owner, id, file.rows)),
    judged: db.run(failRuleBreakers(id)),
    broken: db.all<BrokenItem>(
      sql`select position, errors from ${batchItems} where ${hasFailed} order by position limit ${maxErrors}`,
    ),
    brokenTotal: db.all<{ total: number }>(
      sql`select count(*) as total from ${batchItems} where ${hasFailed}`,
    ),
    verdict: selectVerdict(db, [quota]),
    newCategories: db.run(createCategories(owner, missing, file.isDryRun ? sql`false` : isSound)),
    categories: run(assignCategories(owner, id, file.rows)),
    clientIds: db.run(matchClientIds(id)),
    settled: run(settlePending(id)),
    outcomes: db.all<{ outcome: string; items: number }>(
      sql`select outcome, count(*) as items from ${batchItems} where batch_id = ${id} group by outcome`,
    ),
    created: insertWhere(db, imports, newImport(owner, file, batch), isSound).returning({ id: imports.id }),
    rows: db.run(insertPending(id, now, { isSynced: false, importId, guard: sql`${importId} is not null` })),
    counted: run(countInserted(id)),
    balance: db.all<{ balance: number | null }>(balanceAt(owner, file)),
    undone: file.isDryRun ? run(undoImport(owner.id, importId, sql`true`)) : [],
    cleared: db.delete(batches).where(eq(batches.id, id)),
  }
}

function newBatch(owner: Owner, id: string) {
  const times = { createdAt: owner.now, queuedAt: owner.now }
  return { id, userId: owner.id, status: 'processing' as const, bodyHash: '', ...times }
}

/** The record of an import; its counts are those of the staged items. */
function newImport(owner: Owner, { kind, format, rows }: ImportFile, { id, key, rowsHash }: Batch) {
  const count = (outcome: string) =>
    sql<number>`(select count(*) from ${batchItems} where batch_id = ${id} and outcome = ${outcome})`
  return {
    userId: owner.id,
    batchId: id,
    kind,
    format,
    rows: rows.length,
    created: count('pending'),
    duplicate: count('duplicate'),
    idempotencyKey: key,
    rowsHash,
    createdAt: owner.now,
  }
}
