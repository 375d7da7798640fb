import { and, eq, type SQL, sql } from 'drizzle-orm'
import { runBatch, runOne } from '../../db/batch.ts'
import type { Database } from '../../db/client.ts'
import { countRows } from '../../db/figures.ts'
import { idempotency } from '../../db/idempotency.ts'
import { insertWhere } from '../../db/insert-where.ts'
import { nextTransactionId } from '../../db/next-id.ts'
import type { Owner, Scope } from '../../db/owner.ts'
import { batches, batchParts, type ImportAnswer, imports } from '../../db/schema.ts'
import { EmailNotVerified, Invalid } from '../../domain/failures.ts'
import { sha256Hex } from '../../domain/tokens.ts'
import { maxErrors } from '../../statements/problems.ts'
import { isOfFile } from '../absorption.ts'
import { withinBounds } from '../bounds.ts'
import { createRows, decideOutcomes, invalidItems } from '../bulk-insert.ts'
import { brokenBy, type Rule, selectVerdict } from '../guards.ts'
import { selectCandidates } from '../matches/candidates.ts'
import { joinedOf, joinPairs } from '../matches/join.ts'
import { categoryQuota } from '../quotas.ts'
import { isVerified } from '../verified.ts'
import { createMissingCategories, missingCategories } from './categories.ts'
import { balanceAt, compareClosing } from './closing-balance.ts'
import { explained, type FoundDuplicate, selectDuplicates } from './duplicates.ts'
import { type BrokenItem, errorsOf } from './errors.ts'
import type { ImportFile } from './import-file.ts'
import { daysAround, noDays, pairsWithIds, possibleMatches, type SurePair, surePairs } from './possible.ts'
import { stageImportRows } from './rows.ts'
import { isImportedBy, undoImport } from './undo.ts'

/** What an import did, or would do; `id` is null for a dry run. */
export type ImportResult = ImportAnswer & {
  id: number | null
  counts: { rows: number; created: number; duplicate: number; deletedBefore: number; joined: number }
}

/** The import's own batch, which exists only within the transaction. */
type Batch = { id: string; key: string | null; rowsHash: string | null }

/**
 * Imports a file, all or nothing, in one transaction and one round trip: stages its rows, checks them, compares them
 * with existing ones and creates the rest. What a large file may match is read in another round trip. A dry run does the
 * same and undoes it at the end. The same file with the same key is imported once; repeats get the same answer, which is
 * stored in a further round trip.
 *
 * With `match=sure`, sure matches are joined in the same transaction; a dry run beforehand finds out which those are.
 * Throws EmailNotVerified, Invalid.
 */
export async function storeImport(
  owner: Owner,
  file: ImportFile,
  idempotencyKey: string | undefined,
): Promise<ImportResult> {
  if (file.match !== 'sure') return (await runImport(owner, file, idempotencyKey, [])).result
  const tried = await runImport(owner, { ...file, isDryRun: true }, undefined, []).catch((error) => {
    // A repeat gets the first answer again, even if the file could no longer be imported.
    if (idempotencyKey === undefined || file.isDryRun || !(error instanceof Invalid)) throw error
  })
  if (!tried || !file.isDryRun)
    return (await runImport(owner, file, idempotencyKey, tried?.sure ?? [])).result
  const { counts } = tried.result
  return { ...tried.result, counts: { ...counts, joined: tried.sure.length } }
}

async function runImport(
  owner: Owner,
  file: ImportFile,
  idempotencyKey: string | undefined,
  pairs: SurePair[],
) {
  const key = file.isDryRun ? null : (idempotencyKey ?? null)
  const rowsHash = key === null ? null : sha256Hex(JSON.stringify([file.kind, file.rows]))
  const batch = { id: crypto.randomUUID(), key, rowsHash }
  const missing = missingCategories(owner, file.rows)
  const quota = categoryQuota(owner.id, 'category', sql`(select count(*) ${missing})`)
  const results = await withinBounds(
    'amount',
    owner.run(statementsOf(owner, file, { batch, missing, quota, pairs })),
  )

  const { user, broken, brokenTotal, created, balance } = results
  const [earlier] = results.earlier
  if (user.emailVerifiedAt === null) throw new EmailNotVerified()
  if (broken.length > 0) throw new Invalid(errorsOf(file, broken, brokenTotal[0]?.total ?? 0))
  if (earlier && earlier.rowsHash !== rowsHash)
    throw new Invalid({ 'Idempotency-Key': ['The Idempotency-Key has been used for another import.'] })
  const stored = earlier ?? created[0]
  if (!stored) throw brokenBy([quota], results.verdict)
  const joinsSure = file.isDryRun && file.match === 'sure'
  // The import is there now, so the token is not asked for again: a 401 would say that it is not.
  const { db } = owner
  const scope: Scope = { id: sql`${user.id}`, isKnown: sql`true`, db }
  const found =
    isLookedAtLater(file) && !stored.answer
      ? await runBatch(db, selectCandidates(scope, daysAround(file, sql`${stored.id}`)))
      : results
  const answer = stored.answer ?? {
    duplicates: results.duplicates.map((found) => explained(file, found)),
    possible: possibleMatches(stored.id, found, { joinsSure }),
    closing: compareClosing(file, balance),
  }
  if (key !== null && !stored.answer) await keepAnswer(db, stored.id, answer)
  const result: ImportResult = {
    id: file.isDryRun ? null : stored.id,
    counts: { ...stored, joined: results.joined.flat()[0]?.joined ?? stored.joined },
    ...answer,
  }
  return { result, sure: joinsSure ? surePairs(stored, results) : [] }
}

/** The possible matches of a file with more rows are read once others can write again. */
const mostRowsLookedAtFirst = 1_000

/** The rows of a dry run no longer exist in a later round trip. */
function isLookedAtLater({ isDryRun, match, rows }: ImportFile): boolean {
  return !isDryRun && match !== 'off' && rows.length > mostRowsLookedAtFirst
}

/** Stores the answer before it is sent: it would be different once somebody has, say, joined one of the matches. */
async function keepAnswer(db: Database, id: number, answer: ImportAnswer): Promise<void> {
  await runOne(db, db.update(imports).set({ answer }).where(eq(imports.id, id)))
}

type Plan = { batch: Batch; missing: SQL; quota: Rule; pairs: SurePair[] }

function statementsOf(owner: Owner, file: ImportFile, { batch, missing, quota, pairs }: Plan) {
  const { db, now } = owner
  const { id } = batch
  const { earlier, isFirst } = idempotency(owner, imports, batch.key)
  // The rows were staged (only for a verified user and a new key), none breaks a rule, and the quota allows the new
  // categories.
  const isSound = sql`(exists (select 1 from ${batches} where id = ${id})
    and not exists (select 1 from ${batchParts} where batch_id = ${id} and invalid > 0)
    and ${quota.holds})`
  const importId = sql`(select id from imports where batch_id = ${id})`
  const matched = pairsWithIds(pairs, importId)
  // The import of this call, or that of the call which it repeats.
  const answered = batch.key === null ? importId : sql`(select id from imports where ${earlier})`
  const run = (statements: SQL[]) => statements.map((statement) => db.run(statement))
  return {
    earlier: db.select().from(imports).where(earlier),
    batch: insertWhere(db, batches, newBatch(owner, id), and(isVerified(owner), isFirst) as SQL),
    items: run(stageImportRows(owner, id, file.rows)),
    broken: db.all<BrokenItem>(
      sql`select position, errors from ${invalidItems(id)} order by position limit ${maxErrors}`,
    ),
    brokenTotal: db.all<{ total: number }>(
      sql`select coalesce(sum(invalid), 0) as total from ${batchParts} where batch_id = ${id}`,
    ),
    verdict: selectVerdict(db, [quota]),
    newCategories: db.run(createMissingCategories(owner, missing, file.isDryRun ? sql`false` : isSound)),
    decided: db.run(decideOutcomes(id, [], { deleted: !file.takesDeleted })),
    duplicates: db.all<FoundDuplicate>(selectDuplicates(id)),
    created: insertWhere(db, imports, newImport(owner, file, batch), isSound).returning(),
    rows: db.run(createRows(id, now, { isSynced: false, importId, guard: sql`${importId} is not null` })),
    counted: run(countRows(owner.id, isImportedBy(importId))),
    booked: run(markBooked(owner, id, importId)),
    joins: pairs.length > 0 ? run(joinPairs(owner, matched, sql`true`)) : [],
    joined:
      pairs.length > 0
        ? [
            db.all<{ joined: number }>(sql`
          update imports set joined = (select count(*) from (${joinedOf(owner.id, matched)}))
           where id = ${importId} returning joined`),
          ]
        : [],
    balance: db.all<{ balance: number | null }>(balanceAt(owner, file)),
    ...selectCandidates(
      owner,
      file.match === 'off' || isLookedAtLater(file) ? noDays : daysAround(file, answered),
    ),
    forgotten: file.takesDeleted && !file.isDryRun ? [db.run(forgetTaken(owner, importId))] : [],
    undone: file.isDryRun ? run(undoImport(owner.id, importId, { which: sql`true`, isDryRun: true })) : [],
    cleared: db.delete(batches).where(eq(batches.id, id)),
  }
}

/** Marks the typed rows that stand for a row of the file, so that no row of a later day is taken to be their duplicate. */
function markBooked({ id: userId }: Owner, batchId: string, importId: SQL): SQL[] {
  const ids = (place: number, rows = sql`true`) => sql`
    select value ->> ${sql.raw(String(place))} from ${batches}, json_each(outcomes)
     where ${batches.id} = ${batchId} and value ->> 0 = 'duplicate' and ${rows}`
  const isTyped = (row: string) => sql`not ${isOfFile(row)} and ${importId} is not null`
  return [
    sql`
    update transactions set booked_by = ${importId}
     where id in (${ids(1, sql`value ->> 3 is null`)}) and +user_id = ${userId} and ${isTyped('transactions')}`,
    sql`update remembered set booked_by = ${importId} where user_id = ${userId} and id in (${ids(3)}) and ${isTyped('remembered')}`,
  ]
}

/**
 * Forgets deleted rows that are imported again: an equal row of another file now duplicates the new one. References are
 * looked up, not compared pair by pair: thousands of rows may be equal in all else.
 */
function forgetTaken({ id }: Owner, importId: SQL): SQL {
  const place = sql.raw('account_id, transaction_date, amount')
  const inAllElse = sql`${place}, type, coalesce(to_account_id, 0)`
  return sql`
    with taken as materialized (
      select distinct ${place}, type, to_account_id, reference from transactions where ${isImportedBy(importId)}
    ), gone as materialized (
      select gone.* from (select distinct ${place} from taken) cross join remembered gone using (${place})
       where gone.user_id = ${id} and gone.survivor_id is null
    )
    delete from remembered where user_id = ${id} and id in (
      select id from gone
       where (${inAllElse}, reference) in (select ${inAllElse}, reference from taken)
          or (${inAllElse}) in (select ${inAllElse} from taken where reference is null)
          or reference is null and (${inAllElse}) in (select ${inAllElse} from taken))`
}

function newBatch(owner: Owner, id: string) {
  const times = { createdAt: owner.now, queuedAt: owner.now }
  return { id, userId: owner.id, status: 'processing' as const, bodyHash: '', ...times }
}

/** The record of an import, from the outcomes of its items. */
function newImport(owner: Owner, { kind, format, rows }: ImportFile, { id, key, rowsHash }: Batch) {
  const count = (outcome: string) =>
    sql<number>`(
      select count(*) from ${batches}, json_each(outcomes) where ${batches.id} = ${id} and value ->> 0 = ${outcome})`
  return {
    userId: owner.id,
    batchId: id,
    kind,
    format,
    rows: rows.length,
    created: count('created'),
    duplicate: count('duplicate'),
    deletedBefore: count('deleted_before'),
    firstId: nextTransactionId,
    idempotencyKey: key,
    rowsHash,
    createdAt: owner.now,
  }
}
