import { eq, sql } from 'drizzle-orm'
import { withinBounds } from '../database/bounds.ts'
import type { Owner, UserScope } from '../database/owner.ts'
import { isRolledBack } from '../database/rollback.ts'
import { violationOf } from '../database/rules.ts'
import { type Database, runAll, runOne } from '../database/run.ts'
import { imports, type LinkableRow, type StoredImportResponse } from '../database/schema.ts'
import type { SuggestedCategory } from '../domain/category-learning.ts'
import { type CalendarDate, dateIn } from '../domain/dates.ts'
import { Invalid } from '../failures/failures.ts'
import { sha256Hex } from '../identity/tokens.ts'
import { type FoundCandidates, selectCandidates } from '../matches/candidates.ts'
import { copiedFieldNames } from '../transactions/bulk-insert.ts'
import { learnedCategories } from '../transactions/learned-categories.ts'
import { requireVerified } from '../users/verified.ts'
import { storedChecks } from './balance-checks.ts'
import { namedCategories } from './categories.ts'
import { compareClosing } from './closing-balance.ts'
import { maxListed } from './contract.ts'
import { withReasons } from './duplicates.ts'
import { errorsOf } from './errors.ts'
import type { ImportFile, ImportRow } from './import-file.ts'
import { newAccountQuota } from './new-accounts.ts'
import { linksOf, occurrencesOf } from './occurrences.ts'
import { daysIfCreated, daysOf, possibleByPosition, possibleMatches } from './possible-matches.ts'
import { type Preview, previewOf } from './preview.ts'
import { reconciledRows } from './reconciled.ts'
import { importedParts } from './rows.ts'
import { findsMatchesLater, importQuota, importStatements, type Plan } from './statements.ts'

type ImportRecord = typeof imports.$inferSelect

/** The user's rules, read on a day in their time zone. */
type Linkable = { rules: LinkableRow[]; today: CalendarDate }

/** The result of an import; `id` is null for a dry run. */
export type ImportResult = StoredImportResponse & {
  id: number | null
  counts: { rows: number; created: number; duplicate: number; deletedBefore: number }
  preview: Preview | null
}

/**
 * Imports a file, all or nothing, in one transaction: stages its rows, checks them, compares them with existing ones and
 * creates the new ones. A dry run does the same and rolls it back at the end. The same file with the same key is imported
 * once. Throws EmailNotVerified, Invalid.
 *
 * Usually this is one round trip. It takes one more to look for the matches of a large file, one more to learn from the
 * user's categories, one more for a user with recurring transactions that were not read yet, and one more to store the response to a call with a key, so that repeats get the same response.
 */
export async function storeImport(
  owner: Owner,
  file: ImportFile,
  idempotencyKey: string | undefined,
  linkable: Linkable | undefined,
) {
  const suggested = file.learnsCategories ? await suggestForRows(owner, file) : new Map()
  const plan = planOf(file, suggested, idempotencyKey)
  const results = await linkAndRun(owner, plan, linkable)
  const record = importOf(owner, plan, results)
  const accounts = results.newAccounts.flat().map(({ name }) => name)
  const reconciled = results.locked.flat().map(({ position }) => position)
  const read = {
    reconciled,
    settled: file.settled,
    unused: file.unused,
    categorised: suggested.size,
    accounts,
  }
  const response = record.response ?? { ...read, ...(await newResponse(owner, plan, record, results)) }
  if (plan.key !== null && !record.response) await recordResponse(owner.db, record.id, response)
  const { rows, created, duplicate, deletedBefore } = record
  const counts = { rows, created, duplicate, deletedBefore }
  if (!file.isDryRun) return { id: record.id, counts, preview: null, ...read, ...response }
  const found = { ...results, possible: possibleByPosition(record, candidatesOf(results)), suggested }
  const preview = previewOf(file, found, results.after.flat())
  return { id: null, counts, preview, ...response, duplicates: response.duplicates.slice(0, maxListed) }
}

/** The categories that the user's earlier rows suggest for rows without one, by position. */
async function suggestForRows(owner: Owner, { rows }: ImportFile): Promise<Map<number, SuggestedCategory>> {
  const suggest = await learnedCategories(owner)
  return new Map(
    rows.flatMap(({ type, description, category, account }, position) => {
      const accountId = typeof account === 'number' ? account : null
      const found = category === null ? suggest({ type, description, accountId }) : null
      return found ? [[position, found] as const] : []
    }),
  )
}

function planOf(
  file: ImportFile,
  suggested: Map<number, SuggestedCategory>,
  idempotencyKey: string | undefined,
): Plan {
  const { rows, isDryRun } = file
  const key = isDryRun ? null : (idempotencyKey ?? null)
  const filed = rows.map((row, position) => ({
    ...row,
    category: suggested.get(position)?.id ?? row.category,
  }))
  const named = namedCategories(rows)
  return {
    file,
    batchId: crypto.randomUUID(),
    key,
    rowsHash: key === null ? null : hashOf(file),
    parts: importedParts(filed, file.product),
    named: named.length > 0 ? JSON.stringify(named) : undefined,
    days: daysOf(file),
    links: null,
    isDryRun,
  }
}

/** The fields that every stored hash is over, in their order. */
const alwaysHashed: readonly (keyof ImportRow)[] = [
  ...(['client_id', 'type', 'amount', 'description', 'reference', 'transaction_date', 'force'] as const),
  ...(['line', 'account', 'to_account', 'category'] as const),
]
const laterFields = copiedFieldNames.filter((name) => !alwaysHashed.includes(name))

/** A later field counts only if it has a value, so that a retry matches a hash from before the field existed. */
function hashOf({ kind, rows }: ImportFile): string {
  const hashed = rows.map((row) => {
    const names = [...alwaysHashed, ...laterFields.filter((name) => row[name] !== null)]
    return Object.fromEntries(names.map((name) => [name, row[name]]))
  })
  return sha256Hex(JSON.stringify([kind, hashed]))
}

/** Stores rows as occurrences of the user's rules. Where these are not known, a user who has some takes another round trip. */
async function linkAndRun(owner: Owner, plan: Plan, linkable: Linkable | undefined) {
  const { file } = plan
  if (file.match === 'off') return runStatements(owner, { ...plan, links: [] })
  const linked = (rules: LinkableRow[], today: CalendarDate) =>
    runStatements(owner, { ...plan, links: linksOf(file, rules, today) })
  if (linkable) return linked(linkable.rules, linkable.today)
  const results = await runStatements(owner, plan)
  const rules = results.linkable.flat()
  const isStored = rules.length === 0 || results.earlier.flat().length > 0
  return isStored ? results : linked(rules, dateIn(results.user.timezone, owner.now))
}

/** If accounts were to be created for rows that are invalid, everything is rolled back, and a dry run finds the errors. */
async function runStatements(owner: Owner, plan: Plan) {
  const run = (one: Plan) => withinBounds('amount', owner.run(importStatements(owner, one)))
  try {
    return await run(plan)
  } catch (error) {
    if (!isRolledBack(error)) throw error
    return run({ ...plan, isDryRun: true })
  }
}
type Results = Awaited<ReturnType<typeof runStatements>>

/** The record of the import, or of an earlier one with the same key. Throws EmailNotVerified, Invalid. */
function importOf(owner: Owner, { file, rowsHash, named }: Plan, results: Results): ImportRecord {
  const { user, broken, brokenTotal, created } = results
  const [earlier] = results.earlier.flat()
  requireVerified(user)
  const [accountFlags] = results.accountFlags
  if (accountFlags?.[0]?.ruleFlags === '0')
    throw violationOf([newAccountQuota(owner, file.newAccounts)], accountFlags)
  if (broken.length > 0) throw new Invalid(errorsOf(file, broken, brokenTotal[0]?.total ?? 0))
  if (earlier && earlier.rowsHash !== rowsHash)
    throw new Invalid({ 'Idempotency-Key': ['The Idempotency-Key has been used for another import.'] })
  const locked = results.locked.flat()
  if (!earlier && file.reconciled === null && locked.length > 0) throw reconciledRows(file, locked)
  const record = earlier ?? created[0]
  if (!record) throw violationOf([importQuota(owner, named ?? '[]')], results.ruleFlags.flat())
  return record
}

async function newResponse(
  { db }: Owner,
  { file, days: planned }: Plan,
  { id }: ImportRecord,
  results: Results,
): Promise<Omit<StoredImportResponse, 'settled' | 'unused' | 'categorised' | 'accounts' | 'reconciled'>> {
  // The import is stored by now, so the token is not checked again: a 401 would say that nothing was stored.
  const scope: UserScope = { id: sql`${results.user.id}`, isValid: sql`true`, db }
  const days = daysIfCreated(planned, sql`${id}`)
  const found = findsMatchesLater(file)
    ? await runAll(db, selectCandidates(scope, days))
    : candidatesOf(results)
  return {
    duplicates: results.duplicates.map((duplicate) => withReasons(file, duplicate)),
    possible: possibleMatches(id, found),
    occurrences: occurrencesOf(file, results.linked.flat()),
    closing: compareClosing(file, results.balance.flat()),
    checked: storedChecks(file, results),
  }
}

/** The candidates for matches that were read together with the import. */
function candidatesOf({ names, candidates, importSpans, payees, searched }: Results): FoundCandidates {
  return {
    names: names.flat(),
    candidates: candidates.flat(),
    importSpans: importSpans.flat(),
    payees: payees.flat(),
    searched: searched.flat(),
  }
}

/** Stores the response for repeats: a new response would differ if, say, one of the matches had been joined by then. */
async function recordResponse(db: Database, id: number, response: StoredImportResponse): Promise<void> {
  await runOne(db, db.update(imports).set({ response }).where(eq(imports.id, id)))
}
