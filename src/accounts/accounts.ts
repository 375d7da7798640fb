import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import { withinBounds } from '../database/bounds.ts'
import { idempotency } from '../database/idempotency.ts'
import type { ColumnsOf } from '../database/input-columns.ts'
import { insertWhere } from '../database/insert-where.ts'
import type { Owner, Scope } from '../database/owner.ts'
import {
  existingRow,
  isOwnColumn,
  ownRow,
  precondition,
  readOwn,
  requireComplete,
  requirePrecondition,
} from '../database/ownership.ts'
import { accountQuota, notesGrowth, notesQuota } from '../database/quotas.ts'
import { allHold, ruleFlags, selectRuleFlags, violationOf } from '../database/rules.ts'
import { accounts } from '../database/schema.ts'
import { keyRules } from '../database/spent-keys.ts'
import type { Draft } from '../shared/draft.ts'
import type { RemovalQueue } from '../shared/queues.ts'
import type { ExpectedVersions } from '../shared/types.ts'
import type { AccountChanges, NewAccount } from './contract.ts'

/**
 * The columns that are read. `moved` must not be read: only its sum with the starting balance is bounded, so
 * it can pass 2^53, and the driver throws on such integers.
 */
export const accountColumns = {
  id: accounts.id,
  userId: sql<number>`${accounts.userId}`,
  name: accounts.name,
  type: accounts.type,
  startingBalance: accounts.startingBalance,
  balance: accounts.balance,
  notes: accounts.notes,
  version: accounts.version,
  createdAt: accounts.createdAt,
  updatedAt: accounts.updatedAt,
}

const selectAccounts = ({ db }: Owner, condition: SQL) =>
  db.select(accountColumns).from(accounts).where(condition)

export type Account = Pick<typeof accounts.$inferSelect, keyof typeof accountColumns> & { userId: number }

/** Returns all accounts of the user, oldest first. */
export function listAccounts(owner: Owner): Promise<Account[]> {
  return owner.runOne(selectAccounts(owner, eq(accounts.userId, owner.id)).orderBy(asc(accounts.id)))
}

/** Creates an account, or returns the one that an earlier request with the same key created. Throws Invalid. */
export async function createAccount(owner: Owner, draft: Draft<NewAccount>, idempotencyKey?: string) {
  const { db } = owner
  const fields = await requireComplete(owner, draft)
  const row = {
    userId: owner.id,
    name: fields.name,
    type: fields.type,
    startingBalance: fields.starting_balance,
    notes: fields.notes,
    clientId: idempotencyKey,
    createdAt: owner.now,
    updatedAt: owner.now,
  } satisfies ColumnsOf<NewAccount>
  const { earlier, isFirst } = idempotency(owner, accounts, idempotencyKey)
  const rules = [
    accountQuota(owner.id),
    notesQuota(owner.id, notesGrowth(fields.notes)),
    ...keyRules(owner.id, 'account', idempotencyKey),
  ]
  const guard = and(owner.isKnown, isFirst, allHold(rules)) as SQL
  const results = await withinBounds(
    'starting_balance',
    owner.run({
      earlier: selectAccounts(owner, earlier),
      ruleFlags: selectRuleFlags(db, rules),
      created: insertWhere(db, accounts, row, guard).returning(accountColumns),
    }),
  )
  const [account] = [...results.earlier, ...results.created]
  if (!account) throw violationOf(rules, results.ruleFlags)
  return { account, isNew: results.created.length > 0 }
}

/** Returns one account. Throws NotFound, Forbidden. */
export function showAccount(owner: Owner, id: number): Promise<Account> {
  return readOwn(owner, accounts, id, selectAccounts(owner, ownRow(owner, accounts, id)))
}

const accountPrecondition = (owner: Owner, id: number, expected: ExpectedVersions) =>
  precondition(owner, accounts, id, expected, (row) => selectAccounts(owner, row))

/** Changes only the fields that were sent. Throws NotFound, Forbidden, VersionConflict, Invalid. */
export async function updateAccount(
  owner: Owner,
  id: number,
  draft: Draft<AccountChanges>,
  expected: ExpectedVersions,
) {
  const required = accountPrecondition(owner, id, expected)
  const sent = await requireComplete(owner, draft, required)
  const rules = [notesQuota(owner.id, notesGrowth(sent.notes, sql`${accounts.notes}`))]
  const owned = owner.db
    .select({ isOwn: isOwnColumn(owner, accounts), ruleFlags: ruleFlags(rules) })
    .from(accounts)
    .where(existingRow(accounts, id))
  const update = owner.db
    .update(accounts)
    .set({
      name: sent.name,
      type: sent.type,
      startingBalance: sent.starting_balance,
      notes: sent.notes,
      version: sql`${accounts.version} + 1`,
      updatedAt: owner.now,
    } satisfies ColumnsOf<AccountChanges>)
    .where(and(required.row, allHold(rules)))
    .returning(accountColumns)
  const statements = { owned, stale: required.stale, updated: update }
  const results = await withinBounds('starting_balance', owner.run(statements))
  requirePrecondition(accounts, results)
  const [updated] = results.updated
  if (!updated) throw violationOf(rules, results.owned)
  return updated
}

/** The columns that a deletion writes. Triggers then take the account out of all figures. */
export const deletedAccountColumns = ({ id }: Scope) => ({
  userId: null,
  formerUserId: id,
  name: '',
  notes: null,
  clientId: null,
})

/**
 * Deletes an account and all transactions from or to it: these disappear at once from all responses (live-accounts.ts)
 * and figures (trigger `account_deleted`), and are removed later (removal.ts). Throws NotFound, Forbidden,
 * VersionConflict, Invalid.
 */
export async function deleteAccount(
  owner: Owner,
  id: number,
  expected: ExpectedVersions,
  removals: RemovalQueue,
): Promise<void> {
  const { row, owned, stale } = accountPrecondition(owner, id, expected)
  const deleted = owner.db.update(accounts).set(deletedAccountColumns(owner)).where(row)
  const results = await withinBounds('amount', owner.run({ owned, stale, deleted }))
  requirePrecondition(accounts, results)
  await removals.post(results.user.id)
}
