import { asc, eq, lte } from 'drizzle-orm'
import { claim, deleteOwnWhere, demandClaim, demandComplete, own, readOwn } from '../db/claims.ts'
import { insertWhere } from '../db/guarded.ts'
import { once } from '../db/once.ts'
import type { Owner } from '../db/owner.ts'
import { accounts } from '../db/schema.ts'
import type { Draft } from '../domain/draft.ts'
import type { Minor } from '../domain/money.ts'
import { mostDeletedAtOnce, tooManyRows, withinBounds } from './bounds.ts'

export type Account = typeof accounts.$inferSelect

/** What a client may say of an account (api.md §4.3). */
export type AccountFields = {
  name: string
  type: Account['type']
  starting_balance: Minor
  notes?: string | null
}

/** All accounts of the bearer, oldest first. */
export async function listAccounts(owner: Owner): Promise<Account[]> {
  const [, rows] = await owner.run(
    owner.db.select().from(accounts).where(eq(accounts.userId, owner.id)).orderBy(asc(accounts.id)),
  )
  return rows
}

/** Opens an account, or answers the one that the same key has opened before. Throws Invalid. */
export async function createAccount(
  owner: Owner,
  draft: Draft<AccountFields>,
  idempotencyKey: string | null,
): Promise<{ account: Account; isNew: boolean }> {
  const fields = await demandComplete(owner, draft)
  const row = {
    userId: owner.id,
    name: fields.name,
    type: fields.type,
    startingBalance: fields.starting_balance,
    notes: fields.notes ?? null,
    idempotencyKey,
    createdAt: owner.now,
    updatedAt: owner.now,
  }
  const { made, isFirst } = once(owner, accounts, idempotencyKey)
  const find = owner.db.select().from(accounts).where(made)
  const insert = insertWhere(owner.db, accounts, row, isFirst).returning()
  const [, [earlier], [created]] = await withinBounds('starting_balance', owner.run(find, insert))
  return { account: (earlier ?? created) as Account, isNew: !earlier }
}

/** One account of the bearer. Throws NotFound, Forbidden. */
export function showAccount(owner: Owner, id: number): Promise<Account> {
  return readOwn(owner, accounts, id)
}

/** Changes the fields that were sent. Throws NotFound, Forbidden, Invalid. */
export async function updateAccount(
  owner: Owner,
  id: number,
  draft: Draft<Partial<AccountFields>>,
): Promise<Account> {
  const sent = await demandComplete(owner, draft, accounts, id)
  const update = owner.db
    .update(accounts)
    .set({
      name: sent.name,
      type: sent.type,
      startingBalance: sent.starting_balance,
      notes: sent.notes,
      updatedAt: owner.now,
    })
    .where(own(owner, accounts, id))
    .returning()
  const [, claims, [updated]] = await withinBounds(
    'starting_balance',
    owner.run(claim(owner, accounts, id), update),
  )
  demandClaim(accounts, claims)
  return updated as Account
}

/** Closes an account for good, with every transaction in which it takes part. Throws NotFound, Forbidden, Invalid. */
export async function deleteAccount(owner: Owner, id: number): Promise<void> {
  const condition = lte(accounts.transactionCount, mostDeletedAtOnce)
  const isDone = await withinBounds('amount', deleteOwnWhere(owner, accounts, id, condition))
  if (!isDone) throw tooManyRows('account')
}
