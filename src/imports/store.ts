import { eq, sql } from 'drizzle-orm'
import { withinBounds } from '../database/bounds.ts'
import type { Database } from '../database/client.ts'
import type { Owner, Scope } from '../database/owner.ts'
import { brokenBy } from '../database/rules.ts'
import { runAll, runOne } from '../database/run.ts'
import { type ImportAnswer, imports } from '../database/schema.ts'
import { type FoundCandidates, selectCandidates } from '../matches/candidates.ts'
import { Invalid } from '../shared/failures.ts'
import { sha256Hex } from '../shared/tokens.ts'
import { requireVerified } from '../users/verified.ts'
import { namedCategories } from './categories.ts'
import { compareClosing } from './closing-balance.ts'
import { explained } from './duplicates.ts'
import { errorsOf } from './errors.ts'
import type { ImportFile } from './import-file.ts'
import { daysIfCreated, daysOf, possibleMatches, type SurePair, surePairs } from './possible-matches.ts'
import { importedParts } from './rows.ts'
import { importQuota, importStatements, isLookedAtLater, type Plan } from './statements.ts'

type ImportRecord = typeof imports.$inferSelect

/** What an import did, or would do; `id` is null for a dry run. */
export type ImportResult = ImportAnswer & {
  id: number | null
  counts: { rows: number; created: number; duplicate: number; deletedBefore: number; joined: number }
}

/**
 * Imports a file, all or nothing, in one transaction: stages its rows, checks them, compares them with existing ones and
 * creates the new ones. A dry run does the same and rolls it back at the end. The same file with the same key is imported
 * once. Throws EmailNotVerified, Invalid.
 *
 * Usually this is one round trip. It takes one more to look for the matches of a large file, and one more to store the
 * answer to a call with a key, so that repeats get the same answer. With `match=sure`, a dry run comes first, to
 * find the sure matches; the import, which may itself be a dry run, then joins them in its own transaction.
 */
export async function storeImport(
  owner: Owner,
  file: ImportFile,
  idempotencyKey: string | undefined,
): Promise<ImportResult> {
  const pairs = file.match === 'sure' ? await findSurePairs(owner, file, idempotencyKey) : []
  const plan = planOf(file, idempotencyKey, pairs)
  const results = await runStatements(owner, plan)
  const record = importOf(owner, file, plan, results)
  const answer = record.answer ?? (await newAnswer(owner, file, plan, record, results))
  if (plan.hasKey && !record.answer) await recordAnswer(owner.db, record.id, answer)
  const { rows, created, duplicate, deletedBefore } = record
  // A repeat counts the pairs that the first call joined.
  const joined = results.joined.flat()[0]?.joined ?? record.joined
  const id = file.isDryRun ? null : record.id
  return { id, counts: { rows, created, duplicate, deletedBefore, joined }, ...answer }
}

/** The sure matches of a file, found by a dry run that joins nothing. */
async function findSurePairs(
  owner: Owner,
  file: ImportFile,
  idempotencyKey: string | undefined,
): Promise<SurePair[]> {
  const trial = { ...file, isDryRun: true }
  const plan = planOf(trial, undefined, [])
  try {
    const results = await runStatements(owner, plan)
    return surePairs(importOf(owner, trial, plan, results), candidatesOf(results))
  } catch (error) {
    // A repeat gets the first answer again, even if the file could no longer be imported.
    if (idempotencyKey !== undefined && error instanceof Invalid) return []
    throw error
  }
}

function planOf(file: ImportFile, idempotencyKey: string | undefined, pairs: SurePair[]): Plan {
  const { kind, format, rows, isDryRun, takesDeleted, match, closing } = file
  const key = isDryRun ? null : (idempotencyKey ?? null)
  const rowsHash = key === null ? null : sha256Hex(JSON.stringify([kind, rows]))
  const named = namedCategories(rows)
  return {
    batch: { id: crypto.randomUUID(), key, rowsHash },
    file: { kind, format, rows: rows.length },
    parts: importedParts(rows),
    named: named.length > 0 ? JSON.stringify(named) : undefined,
    pairs: JSON.stringify(pairs),
    days: daysOf(file),
    closing: closing ? { accountId: closing.accountId, date: closing.date } : undefined,
    hasKey: key !== null,
    hasClientIds: rows.some(({ client_id }) => client_id !== null),
    isDryRun,
    takesDeleted,
    looksForMatches: match !== 'off' && !isLookedAtLater(file),
    joinsPairs: pairs.length > 0,
  }
}

const runStatements = (owner: Owner, plan: Plan) =>
  withinBounds('amount', owner.run(importStatements(owner, plan)))
type Results = Awaited<ReturnType<typeof runStatements>>

/** The record of the import, or of an earlier one with the same key. Throws EmailNotVerified, Invalid. */
function importOf(owner: Owner, file: ImportFile, { batch, named }: Plan, results: Results): ImportRecord {
  const { user, broken, brokenTotal, created } = results
  const [earlier] = results.earlier.flat()
  requireVerified(user)
  if (broken.length > 0) throw new Invalid(errorsOf(file, broken, brokenTotal[0]?.total ?? 0))
  if (earlier && earlier.rowsHash !== batch.rowsHash)
    throw new Invalid({ 'Idempotency-Key': ['The Idempotency-Key has been used for another import.'] })
  const record = earlier ?? created[0]
  if (!record) throw brokenBy([importQuota(owner, named ?? '[]')], results.verdict.flat())
  return record
}

async function newAnswer(
  { db }: Owner,
  file: ImportFile,
  { days: { from, to } }: Plan,
  { id }: ImportRecord,
  results: Results,
): Promise<ImportAnswer> {
  // The import is stored by now, so the token is not checked again: a 401 would say that nothing was stored.
  const scope: Scope = { id: sql`${results.user.id}`, isKnown: sql`true`, db }
  const days = daysIfCreated({ from, to }, sql`${id}`)
  const found = isLookedAtLater(file)
    ? await runAll(db, selectCandidates(scope, days))
    : candidatesOf(results)
  return {
    duplicates: results.duplicates.map((duplicate) => explained(file, duplicate)),
    possible: possibleMatches(id, found),
    closing: compareClosing(file, results.balance.flat()),
  }
}

/** What may be a match, as far as it was read along with the import. */
function candidatesOf({ names, candidates, looked }: Results): FoundCandidates {
  return { names: names.flat(), candidates: candidates.flat(), looked: looked.flat() }
}

/** Stores the answer for repeats: a new answer would differ if, say, one of the matches had been joined by then. */
async function recordAnswer(db: Database, id: number, answer: ImportAnswer): Promise<void> {
  await runOne(db, db.update(imports).set({ answer }).where(eq(imports.id, id)))
}
