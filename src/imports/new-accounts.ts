import { type SQL, sql } from 'drizzle-orm'
import type { Reading } from '../../statements/index.ts'
import type { UserScope } from '../database/owner.ts'
import { accountQuota } from '../database/quotas.ts'
import { rollBackIf } from '../database/rollback.ts'
import { accounts, batches } from '../database/schema.ts'
import type { Minor } from '../domain/money.ts'
import { isLongerThan } from '../domain/texts.ts'
import { nameKey, relateNames } from './account-names.ts'

/** An account that an import creates. */
export type NewAccount = { name: string; startingBalance: Minor }

const maxNameLength = 255

/** The accounts that a file names and the user lacks, with the starting balances that the file gives them. */
export function newAccountsOf({ rows, startingBalances, product }: Reading, known: string[]): NewAccount[] {
  const [existing, existingKeys] = [new Set(known), new Set(known.map(nameKey))]
  const all = [...startingBalances, ...rows]
  const { spellingOf, keyOf } = relateNames(
    all.flatMap(({ account, toAccount }) => [account, toAccount]),
    product,
  )
  const exists = (name: string) => existing.has(name) || existingKeys.has(keyOf(name) ?? '')
  const found = new Map<string, NewAccount>()
  const areStarts = new Set(startingBalances)
  for (const row of all)
    for (const name of [row.account, row.toAccount]) {
      if (name === null || exists(name) || isLongerThan(name, maxNameLength)) continue
      const one = found.get(spellingOf(name)) ?? { name, startingBalance: 0 as Minor }
      if (areStarts.has(row)) one.startingBalance = (one.startingBalance + row.amount) as Minor
      found.set(spellingOf(name), one)
    }
  return [...found.values()]
}

/** The number of starting balances in the file that new accounts get. */
export function startsUsed({ startingBalances }: Reading, added: NewAccount[]): number {
  const names = new Set(added.map(({ name }) => nameKey(name)))
  return startingBalances.filter(({ account }) => account !== null && names.has(nameKey(account))).length
}

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
       and not exists (select 1 from ${accounts} where user_id = ${id} and name = value ->> 0)
     order by key returning name`)
}

/** The starting balances of the accounts that the import has created, as JSON; null if there are none. */
export function startingBalancesGiven({ id }: UserScope, now: Date, added: NewAccount[]): SQL | null {
  const names = added.flatMap(({ name, startingBalance }) => (startingBalance === 0 ? [] : [name]))
  if (names.length === 0) return null
  return sql`(
    select json_group_array(json_array(id, starting_balance)) from ${accounts}
     where user_id = ${id} and created_at = ${now.getTime()} and name in (select value from json_each(${JSON.stringify(names)})))`
}

/** Takes the starting balances back that an import has given to accounts, unless they are others by now. */
export function takeBackStartingBalances(userId: SQL, importId: SQL, now: Date): SQL {
  return sql`
    update ${accounts} set starting_balance = 0, version = version + 1, updated_at = ${now.getTime()}
     where user_id = ${userId} and (id, starting_balance) in (
       select value ->> 0, value ->> 1 from imports, json_each(starting_balances)
        where imports.id = ${importId} and imports.user_id is null)`
}

/** Rolls everything back if the accounts were created but not the import. */
export const undoAccounts = (batchId: string, importId: SQL) =>
  rollBackIf(sql`${isStaged(batchId)} and ${importId} is null`)

const isStaged = (batchId: string) => sql`exists (select 1 from ${batches} where id = ${batchId})`
