import { and, eq, isNotNull } from 'drizzle-orm'
import type { Owner } from '../database/owner.ts'
import { accounts } from '../database/schema.ts'
import type { AccountKind } from '../domain/types.ts'

/** Selects the accounts of the user that have a kind. */
export function selectKinds({ id, db }: Owner) {
  return db
    .select({ id: accounts.id, kind: accounts.kind })
    .from(accounts)
    .where(and(eq(accounts.userId, id), isNotNull(accounts.kind)))
}

/** The kinds of accounts by their ids. */
export const kindsOf = (rows: { id: number; kind: AccountKind | null }[]): Map<number, AccountKind> =>
  new Map(rows.flatMap(({ id, kind }) => (kind ? [[id, kind] as const] : [])))
