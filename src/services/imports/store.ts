import { eq, sql } from 'drizzle-orm'
import { runBatch, runOne } from '../../db/batch.ts'
import type { Database } from '../../db/client.ts'
import type { Owner, Scope } from '../../db/owner.ts'
import { type ImportAnswer, imports } from '../../db/schema.ts'
import { EmailNotVerified, Invalid } from '../../domain/failures.ts'
import { sha256Hex } from '../../domain/tokens.ts'
import { withinBounds } from '../bounds.ts'
import { brokenBy } from '../guards.ts'
import { selectCandidates } from '../matches/candidates.ts'
import { categoryQuota } from '../quotas.ts'
import { missingCategories } from './categories.ts'
import { compareClosing } from './closing-balance.ts'
import { explained } from './duplicates.ts'
import { errorsOf } from './errors.ts'
import type { ImportFile } from './import-file.ts'
import { daysAround, possibleMatches, type SurePair, surePairs } from './possible.ts'
import { importStatements, isLookedAtLater, type Plan } from './sql.ts'

type StoredImport = typeof imports.$inferSelect

/** What an import did, or would do; `id` is null for a dry run. */
export type ImportResult = ImportAnswer & {
  id: number | null
  counts: { rows: number; created: number; duplicate: number; deletedBefore: number; joined: number }
}

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

/** Imports a file and joins these pairs. A dry run that is to find sure pairs returns them as well. */
async function runImport(
  owner: Owner,
  file: ImportFile,
  idempotencyKey: string | undefined,
  pairs: SurePair[],
): Promise<{ result: ImportResult; sure: SurePair[] }> {
  const plan = planOf(owner, file, idempotencyKey, pairs)
  const results = await runStatements(owner, file, plan)
  const stored = storedImport(file, plan, results)
  const answer = stored.answer ?? (await newAnswer(owner, file, stored, results))
  if (plan.batch.key !== null && !stored.answer) await keepAnswer(owner.db, stored.id, answer)
  const joined = results.joined.flat()[0]?.joined ?? stored.joined
  return {
    result: { id: file.isDryRun ? null : stored.id, counts: { ...stored, joined }, ...answer },
    sure: triesJoins(file) ? surePairs(stored, results) : [],
  }
}

function planOf(owner: Owner, file: ImportFile, idempotencyKey: string | undefined, pairs: SurePair[]): Plan {
  const key = file.isDryRun ? null : (idempotencyKey ?? null)
  const rowsHash = key === null ? null : sha256Hex(JSON.stringify([file.kind, file.rows]))
  const missing = missingCategories(owner, file.rows)
  const quota = categoryQuota(owner.id, 'category', sql`(select count(*) ${missing})`)
  return { batch: { id: crypto.randomUUID(), key, rowsHash }, missing, quota, pairs }
}

const runStatements = (owner: Owner, file: ImportFile, plan: Plan) =>
  withinBounds('amount', owner.run(importStatements(owner, file, plan)))
type Results = Awaited<ReturnType<typeof runStatements>>

/** The import, or that of an earlier call with the same key. Throws EmailNotVerified, Invalid. */
function storedImport(file: ImportFile, { batch, quota }: Plan, results: Results): StoredImport {
  const { user, broken, brokenTotal, created } = results
  const [earlier] = results.earlier
  if (user.emailVerifiedAt === null) throw new EmailNotVerified()
  if (broken.length > 0) throw new Invalid(errorsOf(file, broken, brokenTotal[0]?.total ?? 0))
  if (earlier && earlier.rowsHash !== batch.rowsHash)
    throw new Invalid({ 'Idempotency-Key': ['The Idempotency-Key has been used for another import.'] })
  const stored = earlier ?? created[0]
  if (!stored) throw brokenBy([quota], results.verdict)
  return stored
}

async function newAnswer(
  { db }: Owner,
  file: ImportFile,
  { id }: StoredImport,
  results: Results,
): Promise<ImportAnswer> {
  // The import is stored by now, so the token is not checked again: a 401 would say that it was not.
  const scope: Scope = { id: sql`${results.user.id}`, isKnown: sql`true`, db }
  const found = isLookedAtLater(file)
    ? await runBatch(db, selectCandidates(scope, daysAround(file, sql`${id}`)))
    : results
  return {
    duplicates: results.duplicates.map((duplicate) => explained(file, duplicate)),
    possible: possibleMatches(id, found, { joinsSure: triesJoins(file) }),
    closing: compareClosing(file, results.balance),
  }
}

/** Stores the answer before it is sent: made again, it would differ once somebody has, say, joined one of the matches. */
async function keepAnswer(db: Database, id: number, answer: ImportAnswer): Promise<void> {
  await runOne(db, db.update(imports).set({ answer }).where(eq(imports.id, id)))
}

/** True for a dry run that is to find out which matches would be joined. */
function triesJoins({ isDryRun, match }: ImportFile): boolean {
  return isDryRun && match === 'sure'
}
