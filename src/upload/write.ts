import { eq, type SQL, sql } from 'drizzle-orm'
import { deletedAccountColumns } from '../accounts/delete.ts'
import { deletedCategoryColumns } from '../categories/delete.ts'
import { withinBounds } from '../database/bounds.ts'
import { lastChange } from '../database/change-numbers.ts'
import { isTaken } from '../database/errors.ts'
import { toColumns } from '../database/input-columns.ts'
import { addToTotals, failIfOutOfBounds, subtractAccounts } from '../database/kept-totals.ts'
import { nextTransactionId } from '../database/next-transaction-id.ts'
import type { Owner, UserScope } from '../database/owner.ts'
import { isRolledBack, rollBackIf } from '../database/rollback.ts'
import { builder, type Results, type Statement, toStatements } from '../database/run.ts'
import {
  accounts,
  balanceChecks,
  categories,
  recurringRules,
  transactions,
  uploadSteps,
} from '../database/schema.ts'
import { canContinue } from '../feed/cursor-check.ts'
import { type Feed, feedOf, feedStatements, withSmallerPages } from '../feed/feed.ts'
import { type Change, feedCategoryColumns } from '../feed/rows.ts'
import { openedNow } from '../recurring/create.ts'
import { divisionStatements } from '../recurring/divide.ts'
import { dueAfterWrite, isAsRead, isOpened } from '../recurring/next-rule.ts'
import { transactionColumns } from '../transactions/read.ts'
import type { Upload } from './contract.ts'
import type { Decided } from './decide/decide.ts'
import type { Outcome } from './decide/outcomes.ts'
import type { RuleWrite, Write } from './decide/state.ts'
import { type Effects, effectsOf, selectBalances, selectDifferences } from './effects.ts'
import { type Found, idOf, listOf } from './read.ts'
import { type Context, insertRows, updateRows, withIds } from './statements.ts'

/** What has been written. */
export type Written = {
  /** The ids of new rows, by noun and client id. */
  ids: ReadonlyMap<string, number>
  /** New rows that other operations of the upload repeat. */
  repeated: Change[]
  feed?: Feed
  /** What a dry run would move. */
  effects?: Effects
}

type Run = { owner: Owner; upload: Upload; found: Found; decided: Decided; epoch: number }
/** The user of an upload, whose id is known; the guard checks the token again. */
type Scope = UserScope & Pick<Owner, 'now'>

/**
 * Writes what has been decided, in one transaction, and reads the page of the feed. Returns undefined, and has written
 * nothing, if what was read has changed since. Throws Invalid if a bound would be passed.
 */
export async function write(run: Run): Promise<Written | undefined> {
  const { owner, upload, found, decided, epoch } = run
  const { cursor, limit, isDryRun } = upload
  const isWriting = decided.writes.size > 0 || decided.ruleWrites.length > 0
  if (!isWriting && !cursor)
    return { ids: new Map(), repeated: [], ...(isDryRun && { effects: { balances: [], broken: [] } }) }
  const scope = { id: sql<number>`${found.user.id}`, isValid: owner.isValid, db: owner.db, now: owner.now }
  const statements = statementsOf(scope, run, isWriting)
  try {
    if (!cursor) return writtenOf(upload, await withinBounds('batch', owner.run(statements)))
    return await withSmallerPages(limit, async (limit) => {
      const request = { from: cursor, limit, epoch }
      const page = feedStatements(scope, request)
      const results = await withinBounds('batch', owner.run({ ...statements, ...page }))
      return { ...writtenOf(upload, results), feed: feedOf(request, results) }
    })
  } catch (error) {
    // The unique indexes refuse what others have created since.
    const isOther = ['transactions.client_id', 'transactions.recurring_id'].some((one) => isTaken(error, one))
    if (isRolledBack(error) || isOther) return undefined
    throw error
  }
}

const createdNouns = ['account', 'category', 'recurring', 'transaction', 'balance_check'] as const

function writtenOf({ isDryRun }: Upload, results: Results<ReturnType<typeof statementsOf>>): Written {
  const ids = createdNouns.flatMap((noun) =>
    results[noun].flat().map(({ id, clientId }) => [`${noun} #${clientId}`, id] as const),
  )
  const [before, after] = [results.before, results.after].map((figures, at) => ({
    balances: figures.flat(),
    differences: (at === 0 ? results.checksBefore : results.checksAfter).flat(),
  }))
  return {
    ids: new Map(ids),
    repeated: [
      ...results.repeatedCategories.flat().map((row): Change => ({ noun: 'category', id: row.id, row })),
      ...results.repeatedTransactions.flat().map((row): Change => ({ noun: 'transaction', id: row.id, row })),
    ],
    ...(isDryRun && before && after && { effects: effectsOf(before, after) }),
  }
}

/** The statements of an upload, in the order in which they run. */
function statementsOf(scope: Scope, run: Run, isWriting: boolean) {
  const { writes, ruleWrites, outcomes } = run.decided
  const { isDryRun } = run.upload
  const { db, id: userId, now } = scope
  const uploadId = crypto.randomUUID()
  const firstId = sql`(select cast(items as integer) from ${uploadSteps} where upload_id = ${uploadId})`
  const context = { userId, now, firstId }
  const of = (step: string) => writes.get(step) ?? []
  // The plus makes SQLite search by id: the user has many rows.
  const own = (table: OwnedTable, ids: SQL) => sql`${table.id} in (${ids}) and +${table.userId} = ${userId}`
  const figures = () => (isDryRun ? [selectBalances(scope)] : [])
  const checks = () => (isDryRun ? [selectDifferences(scope)] : [])
  const inDryRun = (...texts: string[]) => (isDryRun ? toStatements(texts.map((text) => sql.raw(text))) : [])
  return {
    guard: isWriting ? toStatements([rollBackIf(hasChanged(scope, run))]) : [],
    before: figures(),
    checksBefore: checks(),
    savepoint: inDryRun('savepoint upload'),
    // While an upload has such a row, triggers do not check its bounds for each transaction (kept-totals.sql).
    begun: isWriting ? [db.run(begin(uploadId))] : [],
    profiles: updateRows(context, 'profile', of('update profile')),
    accounts: updateRows(context, 'account', of('update account')),
    account: insertRows(context, 'account', of('create account')),
    categoriesDeleted: aboutRows(of('delete category'), (ids) =>
      db.update(categories).set(deletedCategoryColumns).where(own(categories, ids)),
    ),
    categories: updateRows(context, 'category', of('update category')),
    category: insertRows(context, 'category', of('create category')),
    recurring: insertRows(context, 'recurring', of('create recurring')),
    rules: [
      ...successors(scope, of('create recurring')),
      ...ruleWrites.flatMap((one) => writeRule(scope, one)),
    ],
    transaction: insertRows(context, 'transaction', of('create transaction')),
    created: totalsOfCreated(context, of('create transaction')),
    transactions: updateRows(context, 'transaction', of('update transaction')),
    bounds: boundsOfUpdated(context, of('update transaction')),
    transactionsDeleted: aboutRows(of('delete transaction'), (ids) =>
      db.delete(transactions).where(own(transactions, ids)),
    ),
    checksDeleted: aboutRows(of('delete balance_check'), (ids) =>
      db.delete(balanceChecks).where(own(balanceChecks, ids)),
    ),
    checks: updateRows(context, 'balance_check', of('update balance_check')),
    balance_check: insertRows(context, 'balance_check', of('create balance_check')),
    reconciled: updateRows(context, 'account', of('reconcile account')),
    rulesDeleted: aboutRows(of('delete recurring'), (ids) =>
      db.delete(recurringRules).where(own(recurringRules, ids)),
    ),
    subtracted: aboutRows(of('delete account'), (ids) => toStatements(subtractAccounts(userId, ids))).flat(),
    accountsDeleted: aboutRows(of('delete account'), (ids) =>
      db.update(accounts).set(deletedAccountColumns(scope)).where(own(accounts, ids)),
    ),
    ...repeatedRows(scope, outcomes),
    ended: isWriting ? [db.delete(uploadSteps).where(eq(uploadSteps.uploadId, uploadId))] : [],
    after: figures(),
    checksAfter: checks(),
    rolledBack: inDryRun('rollback to upload', 'release upload'),
  }
}

type OwnedTable =
  | typeof accounts
  | typeof categories
  | typeof transactions
  | typeof balanceChecks
  | typeof recurringRules

/** True if what the decisions depend on may no longer be as it was read. */
function hasChanged({ id: userId, isValid }: Scope, { owner, upload, found, decided, epoch }: Run): SQL {
  const { writes } = decided
  const versions = found.transactions.all.map(({ id, version }) => [id, version])
  const created = (writes.get('create transaction') ?? []).map(({ clientId }) => clientId)
  // Balances depend on all transactions.
  const needsBalances = writes.has('create balance_check') || writes.has('reconcile account')
  const conditions = [
    sql`not ${isValid}`,
    needsBalances
      ? sql`${lastChange(userId)} <> ${found.seq}`
      : sql`exists (select 1 from changes where user_id = ${userId} and seq > ${found.seq} and noun <> 'transaction')`,
    sql`exists (
      select 1 from ${listOf(versions)} read
        left join transactions now on now.id = read.value ->> 0 and now.user_id = ${userId}
       where now.version is not read.value ->> 1)`,
    sql`exists (
      select 1 from spent_client_ids
       where user_id = ${userId} and noun = 'transaction' and client_id in (select value from ${listOf(created)}))`,
    ...(upload.cursor ? [sql`not ${canContinue(owner, upload.cursor, epoch)}`] : []),
  ]
  return sql`(${sql.join(conditions, sql` or `)})`
}

const begin = (uploadId: string): SQL => sql`
  insert into ${uploadSteps} (upload_id, step, items) values (${uploadId}, 'begin', ${nextTransactionId})`

/** A statement about existing rows, whose ids a query selects; none if there are none. */
function aboutRows<T>(writes: Write[], statement: (ids: SQL) => T): T[] {
  return writes.length > 0 ? [statement(sql`select value from ${listOf(writes.map(({ id }) => id))}`)] : []
}

/** Sets which rules continue new ones, once all are there. */
function successors({ id: userId }: Scope, writes: Write[]): Statement[] {
  const sent = writes.flatMap(({ clientId, columns }) =>
    columns.successor_id == null ? [] : [[clientId, columns.successor_id]],
  )
  if (sent.length === 0) return []
  const successor = idOf(userId, 'recurring_rules', sql`sent.value ->> 1`)
  return toStatements([
    sql`
    update recurring_rules
       set successor_id = (select own.id from recurring_rules own
                            where own.id = ${successor} and own.user_id = ${userId})
      from ${listOf(sent)} sent
     where recurring_rules.user_id = ${userId} and recurring_rules.client_id = sent.value ->> 0`,
  ])
}

/** Writes a change of a rule, which is still as it was read or as an earlier write of the upload has left it. */
function writeRule(scope: Scope, write: RuleWrite): Statement[] {
  const { rule, set } = write
  const columns = {
    ...toColumns(withIds(scope.id, set)),
    ...(isOpened(rule, set) && openedNow(scope)),
  }
  const isCurrent = isAsRead(scope, rule)
  if (write.kind === 'divide') {
    const { from, columns: continued } = write.division
    const division = { rule: write.division.rule, from, columns: { ...columns, ...continued } }
    const { ended, created, moved } = divisionStatements(scope, division, isCurrent)
    return [ended, created, moved]
  }
  const { exceptions } = write
  const own = { exceptions, dueAt: dueAfterWrite(rule, set), version: rule.version + 1, updatedAt: scope.now }
  return [
    scope.db
      .update(recurringRules)
      .set({ ...columns, ...own })
      .where(isCurrent),
  ]
}

/** Adds new transactions to the kept figures. */
function totalsOfCreated({ userId, firstId }: Context, writes: Write[]): Statement[] {
  if (writes.length === 0) return []
  return toStatements(addToTotals(userId, sql`id >= ${firstId} and id < ${firstId} + ${writes.length}`))
}

/** The fields on which the sums of months depend. */
const summed = ['type', 'amount', 'transaction_date']

/** Checks the sums of months once for all changed transactions. */
function boundsOfUpdated({ userId }: Context, writes: Write[]): Statement[] {
  const moved = writes.filter(({ columns }) => summed.some((field) => field in columns))
  return aboutRows(moved, (ids) => builder.run(failIfOutOfBounds(userId, sql`id in (${ids})`)))
}

/** Selects the new rows that other operations of the upload repeat. */
function repeatedRows({ db, id: userId }: Scope, outcomes: Outcome[]) {
  const repeated = (of: 'category' | 'transaction') =>
    outcomes.flatMap(({ noun, outcome, id }) =>
      noun === of && outcome === 'duplicate' && typeof id === 'string' ? [id.slice(1)] : [],
    )
  const [same, recorded] = [repeated('category'), repeated('transaction')]
  const isOneOf = (table: typeof categories | typeof transactions, clientIds: string[]) =>
    sql`${table.userId} = ${userId} and ${table.clientId} in (select value from ${listOf(clientIds)})`
  const ofCategories = () => db.select(feedCategoryColumns).from(categories).where(isOneOf(categories, same))
  const ofTransactions = () =>
    db.select(transactionColumns).from(transactions).where(isOneOf(transactions, recorded))
  return {
    repeatedCategories: same.length > 0 ? [ofCategories()] : [],
    repeatedTransactions: recorded.length > 0 ? [ofTransactions()] : [],
  }
}
