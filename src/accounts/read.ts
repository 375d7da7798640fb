import { asc, eq, type SQL, sql } from 'drizzle-orm'
import type { Owner } from '../database/owner.ts'
import { ownRow, precondition, readOwn } from '../database/ownership.ts'
import { accounts } from '../database/schema.ts'
import type { ExpectedVersions } from '../domain/types.ts'

/**
 * The columns that are read. `moved` must not be read: only its sum with the starting balance is bounded, so
 * it can pass 2^53, and the driver throws on such integers.
 */
export const accountColumns = {
  id: accounts.id,
  userId: sql<number>`${accounts.userId}`,
  name: accounts.name,
  type: accounts.type,
  kind: accounts.kind,
  startingBalance: accounts.startingBalance,
  balance: accounts.balance,
  notes: accounts.notes,
  closedOn: accounts.closedOn,
  reconciledThrough: accounts.reconciledThrough,
  version: accounts.version,
  createdAt: accounts.createdAt,
  updatedAt: accounts.updatedAt,
}

export type Account = Pick<typeof accounts.$inferSelect, keyof typeof accountColumns> & { userId: number }

/** Returns all accounts of the user, oldest first. */
export function listAccounts(owner: Owner): Promise<Account[]> {
  return owner.runOne(selectAccounts(owner, eq(accounts.userId, owner.id)).orderBy(asc(accounts.id)))
}

/** Returns one account. Throws NotFound, Forbidden. */
export function showAccount(owner: Owner, id: number): Promise<Account> {
  return readOwn(owner, accounts, id, selectAccounts(owner, ownRow(owner, accounts, id)))
}

export function selectAccounts({ db }: Owner, condition: SQL) {
  return db.select(accountColumns).from(accounts).where(condition)
}

/** The precondition of a write to an account (see `precondition`). */
export function accountPrecondition(owner: Owner, id: number, expected: ExpectedVersions) {
  return precondition(owner, accounts, id, expected, (row) => selectAccounts(owner, row))
}
