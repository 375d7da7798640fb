import { and, asc, eq, lte, type SQL, sql } from 'drizzle-orm'
import type { AccountChanges, NewAccount } from '../contract/accounts.ts'
import { once } from '../db/idempotency.ts'
import { insertWhere } from '../db/insert-where.ts'
import type { Owner } from '../db/owner.ts'
import { deleteOwnWhere, demandClaim, demandComplete, isOwn, own, readOwn } from '../db/ownership.ts'
import { accounts } from '../db/schema.ts'
import type { Draft } from '../domain/draft.ts'
import { mostDeletedAtOnce, tooManyRows, withinBounds } from './bounds.ts'
import type { ColumnsOf } from './columns.ts'
import { roomForAccount, roomForNotes } from './quotas.ts'
import { allHold, brokenBy, verdict } from './rules.ts'

/**
 * What is read of an account. `moved` must never be: only its sum with the starting balance has bounds, so it can be an
 * integer past 2^53, at which the driver throws.
 */
const accountColumns = {
  id: accounts.id,
  userId: accounts.userId,
  name: accounts.name,
  type: accounts.type,
  startingBalance: accounts.startingBalance,
  balance: accounts.balance,
  notes: accounts.notes,
  createdAt: accounts.createdAt,
  updatedAt: accounts.updatedAt,
}

export type Account = Pick<typeof accounts.$inferSelect, keyof typeof accountColumns>

/** All accounts of the bearer, oldest first. */
export async function listAccounts(owner: Owner): Promise<Account[]> {
  const [, rows] = await owner.run(
    owner.db
      .select(accountColumns)
      .from(accounts)
      .where(eq(accounts.userId, owner.id))
      .orderBy(asc(accounts.id)),
  )
  return rows
}

/** Opens an account, or answers the one that the same key has opened before. Throws Invalid. */
export async function createAccount(
  owner: Owner,
  draft: Draft<NewAccount>,
  idempotencyKey: string | undefined,
): Promise<{ account: Account; isNew: boolean }> {
  const { db } = owner
  const fields = await demandComplete(owner, draft)
  const row = {
    userId: owner.id,
    name: fields.name,
    type: fields.type,
    startingBalance: fields.starting_balance,
    notes: fields.notes,
    idempotencyKey,
    createdAt: owner.now,
    updatedAt: owner.now,
  } satisfies ColumnsOf<NewAccount>
  const { made, isFirst } = once(owner, accounts, idempotencyKey)
  const rules = [roomForAccount(owner.id), roomForNotes(owner.id, fields.notes)]
  const [, [earlier], [judgement], [created]] = await withinBounds(
    'starting_balance',
    owner.run(
      db.select(accountColumns).from(accounts).where(made),
      db.all<{ verdict: string }>(sql`select ${verdict(rules)} as verdict`),
      insertWhere(db, accounts, row, and(isFirst, allHold(rules)) as SQL).returning(accountColumns),
    ),
  )
  const account = earlier ?? created
  if (!account) throw brokenBy(rules, judgement?.verdict)
  return { account, isNew: !earlier }
}

/** One account of the bearer. Throws NotFound, Forbidden. */
export function showAccount(owner: Owner, id: number): Promise<Account> {
  const query = owner.db
    .select(accountColumns)
    .from(accounts)
    .where(own(owner, accounts, id))
  return readOwn(owner, accounts, id, query)
}

/** Changes the fields that were sent. Throws NotFound, Forbidden, Invalid. */
export async function updateAccount(
  owner: Owner,
  id: number,
  draft: Draft<AccountChanges>,
): Promise<Account> {
  const sent = await demandComplete(owner, draft, accounts, id)
  const rules = [roomForNotes(owner.id, sent.notes, id)]
  const judged = owner.db
    .select({ isOwn: isOwn(owner, accounts), verdict: verdict(rules) })
    .from(accounts)
    .where(eq(accounts.id, id))
  const update = owner.db
    .update(accounts)
    .set({
      name: sent.name,
      type: sent.type,
      startingBalance: sent.starting_balance,
      notes: sent.notes,
      updatedAt: owner.now,
    } satisfies ColumnsOf<AccountChanges>)
    .where(and(own(owner, accounts, id), allHold(rules)))
    .returning(accountColumns)
  const [, judgements, [updated]] = await withinBounds('starting_balance', owner.run(judged, update))
  demandClaim(accounts, judgements)
  if (!updated) throw brokenBy(rules, judgements[0]?.verdict)
  return updated
}

/** Closes an account for good, with every transaction in which it takes part. Throws NotFound, Forbidden, Invalid. */
export async function deleteAccount(owner: Owner, id: number): Promise<void> {
  const condition = lte(accounts.transactionCount, mostDeletedAtOnce)
  const isDone = await withinBounds('amount', deleteOwnWhere(owner, accounts, id, condition))
  if (!isDone) throw tooManyRows('account')
}
