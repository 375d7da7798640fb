import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import type { AccountChanges, NewAccount } from '../contract/accounts.ts'
import { idempotency } from '../db/idempotency.ts'
import { insertWhere } from '../db/insert-where.ts'
import type { Owner } from '../db/owner.ts'
import {
  existingRow,
  isOwnColumn,
  ownRow,
  readOwn,
  requireComplete,
  requireOwned,
  selectOwnership,
} from '../db/ownership.ts'
import { accounts } from '../db/schema.ts'
import type { Draft } from '../domain/draft.ts'
import type { RemovalQueue } from '../gateways/queues.ts'
import { withinBounds } from './bounds.ts'
import type { ColumnsOf } from './columns.ts'
import { allHold, brokenBy, selectVerdict, verdict } from './guards.ts'
import { accountQuota, notesQuota } from './quotas.ts'

/**
 * The columns that are read. `moved` must not be: only its sum with the starting balance is bounded, so it can pass
 * 2^53, and the driver throws on such integers.
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
  const rules = [accountQuota(owner.id), notesQuota(owner.id, fields.notes)]
  const guard = and(owner.isKnown, isFirst, allHold(rules)) as SQL
  const results = await withinBounds(
    'starting_balance',
    owner.run({
      earlier: selectAccounts(owner, earlier),
      verdict: selectVerdict(db, rules),
      created: insertWhere(db, accounts, row, guard).returning(accountColumns),
    }),
  )
  const [account] = [...results.earlier, ...results.created]
  if (!account) throw brokenBy(rules, results.verdict)
  return { account, isNew: results.created.length > 0 }
}

/** Returns one account. Throws NotFound, Forbidden. */
export function showAccount(owner: Owner, id: number): Promise<Account> {
  return readOwn(owner, accounts, id, selectAccounts(owner, ownRow(owner, accounts, id)))
}

/** Changes only the fields that were sent. Throws NotFound, Forbidden, Invalid. */
export async function updateAccount(owner: Owner, id: number, draft: Draft<AccountChanges>) {
  const sent = await requireComplete(owner, draft, accounts, id)
  const rules = [notesQuota(owner.id, sent.notes, id)]
  const judged = owner.db
    .select({ isOwn: isOwnColumn(owner, accounts), verdict: verdict(rules) })
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
    .where(and(ownRow(owner, accounts, id), allHold(rules)))
    .returning(accountColumns)
  const results = await withinBounds('starting_balance', owner.run({ judged, updated: update }))
  requireOwned(accounts, results.judged)
  const [updated] = results.updated
  if (!updated) throw brokenBy(rules, results.judged)
  return updated
}

/**
 * Deletes an account and all transactions from or to it: they are gone at once, for whoever asks and in all figures, and
 * removed later. Throws NotFound, Forbidden, Invalid.
 */
export async function deleteAccount(owner: Owner, id: number, removals: RemovalQueue): Promise<void> {
  const nobodys = { userId: null, formerUserId: owner.id, name: '', notes: null, clientId: null }
  const { owned, user } = await withinBounds(
    'amount',
    owner.run({
      owned: selectOwnership(owner, accounts, id),
      deleted: owner.db
        .update(accounts)
        .set(nobodys)
        .where(ownRow(owner, accounts, id)),
    }),
  )
  requireOwned(accounts, owned)
  await removals.post(user.id)
}
