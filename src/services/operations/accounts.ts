import { sql } from 'drizzle-orm'
import type { AccountChanges, NewAccount } from '../../contract/accounts.ts'
import { prepareOwned } from '../../db/owner.ts'
import type { Slots } from '../../db/prepared.ts'
import { accounts } from '../../db/schema.ts'
import { nobodysAccount } from '../accounts.ts'
import { accountQuota, notesQuota } from '../quotas.ts'
import { bitsOf } from './conflicts.ts'
import { creation, type NewRows } from './creations.ts'
import { type Staged, type Step, uploadOf } from './steps.ts'
import { applyUpdates, changesAsJson, deletion, isNamed, judgeUpdates, type NounTable } from './updates.ts'

const groupOf = {
  name: 'name',
  type: 'type',
  starting_balance: 'starting_balance',
  notes: 'notes',
} satisfies Record<keyof AccountChanges & keyof NewAccount, string>

const length = (prefix: string) => `length(coalesce(${prefix}_notes, ''))`
const growth = `${length('next')} - ${length('now')}`

const changed: NounTable = {
  table: 'accounts',
  groupOf,
  row: (userId) => isNamed(userId, 'accounts'),
  hasVersion: true,
  counted: sql.raw(`
    ${growth} as growth,
    sum(iif(row_id is null or conflicting <> '[]', 0, max(0, ${growth}))) over (order by position) as growth_so_far`),
  rules: (userId) => [notesQuota(userId, sql`growth`, sql`growth_so_far`)],
}

const added: NewRows = {
  noun: 'account',
  table: 'accounts',
  fields: Object.keys(groupOf),
  counted: sql`sum(length(coalesce(notes, ''))) over fresh as length_so_far`,
  rules: (userId) => [
    accountQuota(userId, sql`nth`),
    notesQuota(userId, sql`length(coalesce(notes, ''))`, sql`length_so_far`),
  ],
}

const update = prepareOwned((owner, staged: Slots<Staged>) => {
  const { db, now } = owner
  const upload = uploadOf(owner, staged)
  const { json } = staged
  const step = { noun: changed, step: 'update account' }
  const fields = Object.keys(groupOf)
  const plainFields = fields.filter((field) => field !== 'starting_balance')
  // Setting a starting balance makes a trigger add up all balances.
  const setsBalance = sql.raw(`op.sent & ${bitsOf(groupOf, (field) => field === 'starting_balance')} <> 0`)
  return {
    judged: db.run(judgeUpdates(upload, { ...step, json })),
    plain: db.run(
      applyUpdates(upload, { ...step, fields: plainFields, which: sql`not ${setsBalance}` }, now),
    ),
    rest: db.run(applyUpdates(upload, { ...step, fields, which: setsBalance }, now)),
  }
})

export const createAccounts = creation(added)

export const updateAccounts: Step = (owner, asked, operations) =>
  Object.values(update(owner, { ...asked, json: changesAsJson(changed, operations) }))

export const deleteAccounts = deletion(changed, 'delete account', (owner, ids) =>
  owner.db.update(accounts).set(nobodysAccount(owner)).where(sql`${accounts.id} in (${ids})`),
)
