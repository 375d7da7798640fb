import { and, eq, type SQL, sql } from 'drizzle-orm'
import { ownProduct } from '../../statements/index.ts'
import { idempotency } from '../database/idempotency.ts'
import { insertWhere } from '../database/insert-where.ts'
import { addToTotals } from '../database/kept-totals.ts'
import { nextTransactionId } from '../database/next-transaction-id.ts'
import type { Owner, UserScope } from '../database/owner.ts'
import { categoryQuota } from '../database/quotas.ts'
import { type Rule, selectRuleFlags } from '../database/rules.ts'
import { toStatements } from '../database/run.ts'
import { accounts, batches, batchParts, imports, type StoredOutcome } from '../database/schema.ts'
import { setCause } from '../database/written-by.ts'
import type { CalendarDate, Span } from '../domain/dates.ts'
import { maxErrors } from '../domain/field-errors.ts'
import type { OccurrenceLink } from '../domain/recurrence/links.ts'
import { selectCandidates } from '../matches/candidates.ts'
import { hasNoLinkable, selectLinkable } from '../recurring/linkable.ts'
import { isImported } from '../transactions/bulk-duplicates.ts'
import {
  createRows,
  determineOutcomes,
  invalidItems,
  itemsLeftOut,
  leaveOutReconciled,
  transientBatch,
} from '../transactions/bulk-insert.ts'
import { isVerified } from '../users/verified.ts'
import { storeChecks } from './balance-checks.ts'
import { createMissingCategories, missingCategories } from './categories.ts'
import { selectBalanceOn } from './closing-balance.ts'
import { maxListed, maxPreviewed } from './contract.ts'
import { type FoundDuplicate, selectDuplicates } from './duplicates.ts'
import type { BrokenItem } from './errors.ts'
import type { ImportFile } from './import-file.ts'
import { createAccounts, newAccountQuota, startingBalancesGiven, undoAccounts } from './new-accounts.ts'
import { linkRows, selectLinked } from './occurrences.ts'
import { daysIfCreated } from './possible-matches.ts'
import { keepLayout } from './remembered-layouts.ts'
import { stageImportRows } from './rows.ts'
import { isImportedBy } from './undo.ts'

/**
 * An import that is about to be stored: the statements that an option excludes are left out. The batch exists only within
 * the transaction. `key` is null for a dry run, and `named` is JSON (categories.ts).
 */
export type Plan = {
  file: ImportFile
  batchId: string
  key: string | null
  rowsHash: string | null
  parts: { from: number; json: string }[]
  named: string | undefined
  days: Span
  /** The rows that are occurrences; null if the user's rules are not known yet, and nothing is stored if there are any. */
  links: OccurrenceLink[] | null
  isDryRun: boolean
}

/** The statements of an import, in their order. The last ones of a dry run roll back to where it began. */
export function importStatements(owner: Owner, plan: Plan) {
  const { db } = owner
  const { file, batchId, key, isDryRun } = plan
  const { earlier, isFirst } = idempotency(owner, imports, key)
  const importId = sql`(select id from imports where batch_id = ${batchId})`
  // The import of this call, or that of the call which it repeats.
  const respondingImport = key === null ? importId : sql`(select id from imports where ${earlier})`
  const looksForMatches = file.match !== 'off' && !findsMatchesLater(file)
  const candidates = looksForMatches
    ? [selectCandidates(owner, daysIfCreated(plan.days, respondingImport))]
    : []
  const mayStage = and(
    isVerified(owner),
    isFirst,
    plan.links === null ? hasNoLinkable(owner) : undefined,
  ) as SQL
  return {
    linkable: plan.links === null ? [selectLinkable(owner, owner.now)] : [],
    earlier: key === null ? [] : [db.select().from(imports).where(earlier)],
    begin: isDryRun ? [db.run(sql`savepoint dry_run`)] : [],
    batch: insertWhere(db, batches, transientBatch(batchId, owner.id, owner.now), mayStage),
    ...createMissingAccounts(owner, plan),
    items: toStatements(stageImportRows(owner, batchId, plan.parts, hasClientIds(file))),
    ...selectFaults(owner, plan),
    ...createIfValid(owner, plan, importId),
    atomic: file.newAccounts.length > 0 && !isDryRun ? toStatements([undoAccounts(batchId, importId)]) : [],
    kept: file.layout?.isNew && !isDryRun ? keepLayout(owner, file.layout, importId) : [],
    after: isDryRun ? [selectAfter(owner, file)] : [],
    ...storeChecks(owner, file, importId),
    balance: file.closing ? [db.all<{ balance: number | null }>(selectBalanceOn(owner, file.closing))] : [],
    names: candidates.map(({ names }) => names),
    candidates: candidates.map(({ candidates }) => candidates),
    importSpans: candidates.map(({ importSpans }) => importSpans),
    payees: candidates.map(({ payees }) => payees),
    searched: candidates.map(({ searched }) => searched),
    forgotten: file.importsDeleted ? [db.run(deleteReimportedOriginals(owner, importId))] : [],
    cleared: db.delete(batches).where(eq(batches.id, batchId)),
    undone: isDryRun ? toStatements([sql`rollback to dry_run`, sql`release dry_run`]) : [],
  }
}

/** Holds if the quota leaves room for the categories that the rows name and the user lacks. */
export function importQuota(owner: UserScope, named: string): Rule {
  return categoryQuota(owner.id, 'category', sql`(select count(*) ${missingCategories(owner, named)})`)
}

function createMissingAccounts(owner: Owner, { batchId, file: { newAccounts } }: Plan) {
  if (newAccounts.length === 0) return { accountFlags: [], newAccounts: [] }
  return {
    accountFlags: [selectRuleFlags(owner.db, [newAccountQuota(owner, newAccounts)])],
    newAccounts: [createAccounts(owner, owner.now, batchId, newAccounts)],
  }
}

function selectFaults(owner: Owner, { batchId: id, named }: Plan) {
  const { db } = owner
  return {
    broken: db.all<BrokenItem>(
      sql`select position, errors from ${invalidItems(id)} order by position limit ${maxErrors}`,
    ),
    brokenTotal: db.all<{ total: number }>(
      sql`select coalesce(sum(invalid), 0) as total from ${batchParts} where batch_id = ${id}`,
    ),
    ruleFlags: named ? [selectRuleFlags(db, [importQuota(owner, named)])] : [],
  }
}

/** Creates the import with its rows and categories, if nothing is wrong with any of them. */
function createIfValid(owner: Owner, plan: Plan, importId: SQL) {
  const { db, now } = owner
  const { batchId: id, named, file } = plan
  const isAllowed = file.reconciled === null ? sql`not exists (select 1 from ${itemsLeftOut(id)})` : sql`true`
  const hasRoom = named ? importQuota(owner, named).holds : sql`true`
  // The rows were staged (only for a verified user and a new key), none breaks a rule, and the quota allows the new
  // categories.
  const isValid = sql`(exists (select 1 from ${batches} where id = ${id})
    and not exists (select 1 from ${batchParts} where batch_id = ${id} and invalid > 0)
    and ${hasRoom} and ${isAllowed})`
  return {
    decided: db.run(
      determineOutcomes(id, [], {
        originals: { deleted: !file.importsDeleted, hasOwnRows: file.product === ownProduct },
        hasClientIds: hasClientIds(file),
      }),
    ),
    ...leaveOut(owner, plan),
    newCategories: named ? [db.run(createMissingCategories(owner, now, named, isValid))] : [],
    duplicates: db.all<FoundDuplicate>(selectDuplicates(id, plan.isDryRun ? maxPreviewed : maxListed)),
    created: insertWhere(db, imports, newImport(owner, plan), isValid).returning(),
    rows: db.run(createRows(id, now, { isSynced: false, importId, guard: sql`${importId} is not null` })),
    counted: toStatements(addToTotals(owner.id, isImportedBy(importId))),
    booked: toStatements(markBooked(owner, id, importId)),
    ...(plan.links?.length
      ? {
          links: toStatements(linkRows(owner, importId, plan.links)),
          linked: [selectLinked(owner, importId)],
        }
      : { links: [], linked: [] }),
    caused: db.run(setCause('import', importId)),
  }
}

/** Leaves out the rows that would change a reconciled period, unless they are to be added; the others wait for an answer. */
function leaveOut({ db }: Owner, { batchId, file }: Plan) {
  if (file.reconciled === 'add') return { leftOut: [], locked: [] }
  return {
    leftOut: [db.run(leaveOutReconciled(batchId))],
    locked: [db.all<LockedRow>(sql`select * from ${itemsLeftOut(batchId)} order by position`)],
  }
}
export type LockedRow = { position: number; through: CalendarDate }

const hasClientIds = ({ rows }: ImportFile) => rows.some(({ client_id }) => client_id !== null)

/** The accounts of a preview: their names and, if all rows are of one account, its balance. */
function selectAfter({ db, id }: Owner, { rows, accountId: only }: ImportFile) {
  const accountId = rows.every(({ account }) => account === only) ? only : null
  return db
    .select({
      id: accounts.id,
      name: accounts.name,
      balance: sql<number | null>`iif(${accounts.id} = ${accountId}, ${accounts.balance}, null)`,
    })
    .from(accounts)
    .where(eq(accounts.userId, id))
}

/** Above this many rows, possible matches are read in a later round trip, so that other writers do not wait for it. */
const maxRowsMatchedInTransaction = 1_000

/** True if matches are searched for in a later round trip: never for a dry run, whose rows are gone by then. */
export function findsMatchesLater({ isDryRun, match, rows }: ImportFile): boolean {
  return !isDryRun && match !== 'off' && rows.length > maxRowsMatchedInTransaction
}

/** Marks typed rows that equal a row of the file: from now on, no row is suggested as their duplicate. */
function markBooked({ id: userId }: UserScope, batchId: string, importId: SQL): SQL[] {
  const ids = (place: number, rows = sql`true`) => sql`
    select value ->> ${sql.raw(String(place))} from ${batches}, json_each(outcomes)
     where ${batches.id} = ${batchId} and value ->> 0 = 'duplicate' and ${rows}`
  const isTyped = (row: string) => sql`not ${isImported(row)} and ${importId} is not null`
  return [
    sql`
    update transactions set booked_by = ${importId}
     where id in (${ids(1, sql`value ->> 3 is null`)}) and +user_id = ${userId} and ${isTyped('transactions')}`,
    sql`
    update imported_originals set booked_by = ${importId}
     where user_id = ${userId} and id in (${ids(3)}) and ${isTyped('imported_originals')}`,
  ]
}

/**
 * Deletes the originals of deleted rows that are imported again: from now on, equal rows of files are duplicates of the new
 * ones. References are searched up, not compared pair by pair: thousands of rows may differ in their references alone.
 */
function deleteReimportedOriginals({ id }: UserScope, importId: SQL): SQL {
  const place = sql.raw('account_id, transaction_date, amount')
  const allButReference = sql`${place}, type, coalesce(to_account_id, 0)`
  return sql`
    with taken as materialized (
      select distinct ${place}, type, to_account_id, reference from transactions where ${isImportedBy(importId)}
    ), gone as materialized (
      select gone.* from (select distinct ${place} from taken)
       cross join imported_originals gone indexed by imported_originals_account_date_amount using (${place})
       where gone.user_id = ${id} and gone.merged_into_id is null
    )
    delete from imported_originals where user_id = ${id} and id in (
      select id from gone
       where (${allButReference}, reference) in (select ${allButReference}, reference from taken)
          or (${allButReference}) in (select ${allButReference} from taken where reference is null)
          or reference is null and (${allButReference}) in (select ${allButReference} from taken))`
}

/** The record of an import, from the outcomes of its items. */
function newImport(owner: Owner, { batchId: id, key, rowsHash, file, days }: Plan) {
  const count = (outcome: StoredOutcome[0]) =>
    sql<number>`(
      select count(*) from ${batches}, json_each(outcomes) where ${batches.id} = ${id} and value ->> 0 = ${outcome})`
  return {
    kind: file.kind,
    format: file.format,
    rows: file.rows.length,
    layout: file.layout?.layout ?? null,
    fileName: file.fileName,
    startingBalances: startingBalancesGiven(owner, owner.now, file.newAccounts),
    firstDay: days.from || null,
    lastDay: days.to || null,
    userId: owner.id,
    batchId: id,
    created: count('created'),
    duplicate: count('duplicate'),
    deletedBefore: count('deleted_before'),
    firstId: nextTransactionId,
    idempotencyKey: key,
    rowsHash,
    createdAt: owner.now,
  }
}
