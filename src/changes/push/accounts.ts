import { sql } from 'drizzle-orm'
import type { AccountChanges } from '../../accounts/contract.ts'
import { deletedAccountColumns } from '../../accounts/delete.ts'
import { subtractAccounts } from '../../database/kept-totals.ts'
import { accountQuota, notesQuota } from '../../database/quotas.ts'
import { matchingCheckRule } from '../../database/reconciled.ts'
import { accounts } from '../../database/schema.ts'
import { bitsOf } from './conflicts.ts'
import { type CreatedNoun, creationStep } from './creations.ts'
import { isTargetRow } from './steps.ts'
import { type ChangedNoun, deletionStep, updateStep } from './updates.ts'

const conflictGroups = {
  name: 'name',
  type: 'type',
  kind: 'kind',
  starting_balance: 'starting_balance',
  notes: 'notes',
  closed_on: 'closed_on',
  reconciled_through: 'reconciled_through',
} satisfies Record<keyof AccountChanges, string>

const length = (prefix: string) => `length(coalesce(${prefix}_notes, ''))`
const growth = `${length('next')} - ${length('now')}`

const changed: ChangedNoun = {
  table: 'accounts',
  conflictGroups,
  isRow: (userId) => isTargetRow(userId, 'accounts'),
  hasVersion: true,
  windowColumns: sql.raw(`
    ${growth} as growth,
    sum(iif(row_id is null or conflicting <> '[]', 0, max(0, ${growth}))) over (order by position) as growth_so_far`),
  rules: (userId) => [
    notesQuota(userId, sql`growth`, sql`growth_so_far`),
    matchingCheckRule({
      accountId: sql`row_id`,
      through: sql`next_reconciled_through`,
      now: sql`now_reconciled_through`,
      moved: sql`next_starting_balance - now_starting_balance`,
    }),
  ],
  lock: {
    field: 'starting_balance',
    // Opening the period comes first.
    ofUpdate: sql`iif(next_starting_balance = now_starting_balance or next_reconciled_through is null, null, now_reconciled_through)`,
    ofDeletion: sql`null`,
  },
}

const created: CreatedNoun = {
  name: 'account',
  table: 'accounts',
  fields: Object.keys(conflictGroups).filter((field) => field !== 'reconciled_through'),
  windowColumns: sql`sum(length(coalesce(notes, ''))) over fresh as length_so_far`,
  rules: (userId) => [
    accountQuota(userId, sql`nth`),
    notesQuota(userId, sql`length(coalesce(notes, ''))`, sql`length_so_far`),
  ],
}

export const createAccounts = creationStep(created)

/** Updates accounts. Those that reconcile a period come last, since what else an upload changes is not bound by it. */
export const updateAccounts = updateStep(changed, 'update account', writes)
export const reconcileAccounts = updateStep(changed, 'reconcile account', writes)

function writes() {
  const fields = Object.keys(conflictGroups)
  const plainFields = fields.filter((field) => field !== 'starting_balance')
  // Setting a starting balance makes a trigger add up all balances.
  const setsBalance = sql.raw(
    `op.set_bits & ${bitsOf(conflictGroups, (field) => field === 'starting_balance')} <> 0`,
  )
  return [
    { fields: plainFields, which: sql`not ${setsBalance}` },
    { fields, which: setsBalance },
  ]
}

export const deleteAccounts = deletionStep(changed, 'delete account', (owner, ids) => [
  ...subtractAccounts(owner.id, ids).map((statement) => owner.db.run(statement)),
  owner.db.update(accounts).set(deletedAccountColumns(owner)).where(sql`${accounts.id} in (${ids})`),
])
