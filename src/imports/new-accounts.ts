import { type SQL, sql } from 'drizzle-orm'
import type { Reading } from '../../statements/index.ts'
import type { UserScope } from '../database/owner.ts'
import { accountQuota } from '../database/quotas.ts'
import { accounts, batches } from '../database/schema.ts'
import type { Minor } from '../shared/money.ts'
import { isLongerThan } from '../shared/texts.ts'

/** An account that an import creates. */
export type NewAccount = { name: string; startingBalance: Minor }

const maxNameLength = 255

/** The accounts that a file names and the user lacks, with the starting balances that the file gives them. */
export function newAccountsOf({ rows, startingBalances }: Reading, known: string[]): NewAccount[] {
  const existing = new Set(known.map(folded))
  const found = new Map<string, NewAccount>()
  const areStarts = new Set(startingBalances)
  for (const row of [...startingBalances, ...rows])
    for (const name of [row.account, row.toAccount]) {
      if (name === null || existing.has(folded(name)) || isLongerThan(name, maxNameLength)) continue
      const one = found.get(folded(name)) ?? { name, startingBalance: 0 as Minor }
      if (areStarts.has(row)) one.startingBalance = (one.startingBalance + row.amount) as Minor
      found.set(folded(name), one)
    }
  return [...found.values()]
}

/** The number of starting balances in the file that new accounts get. */
export function startsUsed({ startingBalances }: Reading, added: NewAccount[]): number {
  const names = new Set(added.map(({ name }) => folded(name)))
  return startingBalances.filter(({ account }) => account !== null && names.has(folded(account))).length
}

/** Names are compared without regard to the case of ASCII letters, as SQLite's lower() does. */
const folded = (name: string) => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

export const newAccountQuota = ({ id }: UserScope, added: NewAccount[]) =>
  accountQuota(id, sql`${added.length}`, 'account')

/** Creates the accounts that are still missing, if the rows of the batch may be staged. Returns their names. */
export function createAccounts(owner: UserScope, now: Date, batchId: string, added: NewAccount[]) {
  const { db, id } = owner
  const list = JSON.stringify(added.map(({ name, startingBalance }) => [name, startingBalance]))
  return db.all<{ name: string }>(sql`
    insert into ${accounts} (user_id, name, type, starting_balance, created_at, updated_at)
    select ${id}, value ->> 0, 'bank', value ->> 1, ${now.getTime()}, ${now.getTime()} from json_each(${list})
     where ${isStaged(batchId)} and ${newAccountQuota(owner, added).holds}
       and not exists (select 1 from ${accounts} where user_id = ${id} and lower(name) = lower(value ->> 0))
     order by key returning name`)
}

/** `undoAccounts` violates this CHECK to roll back. */
export const rollbackConstraint = 'account_type'

/** Rolls everything back if the accounts were created but not the import. */
export function undoAccounts({ id }: UserScope, batchId: string, importId: SQL): SQL {
  return sql`
    insert into ${accounts} (user_id, name, type, starting_balance, created_at, updated_at)
    select ${id}, '', '', 0, 0, 0 where ${isStaged(batchId)} and ${importId} is null`
}

const isStaged = (batchId: string) => sql`exists (select 1 from ${batches} where id = ${batchId})`
