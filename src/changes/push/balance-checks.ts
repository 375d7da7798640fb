import { sql } from 'drizzle-orm'
import type { BalanceCheckChanges } from '../../balance-checks/contract.ts'
import { changedBase, dayRules, newBase, newCheckRules } from '../../balance-checks/new-check.ts'
import { hasLiveAccount } from '../../database/live-accounts.ts'
import { refersToOwn } from '../../database/ownership.ts'
import { lockOfCheck } from '../../database/reconciled.ts'
import { rule } from '../../database/rules.ts'
import { accounts, balanceChecks } from '../../database/schema.ts'
import { invalidText, otherBalanceText } from '../../domain/field-errors.ts'
import { type CreatedNoun, creationStep } from './creations.ts'
import { isTargetRow } from './steps.ts'
import { type ChangedNoun, deletionStep, updateStep } from './updates.ts'

const conflictGroups = { date: 'date', balance: 'balance' } satisfies Record<
  keyof BalanceCheckChanges,
  string
>

/** The account of the check that is changed. */
const accountId = sql`(select account_id from balance_checks own where own.id = row_id)`

const lock = sql`(select ${lockOfCheck} from balance_checks where balance_checks.id = row_id)`

// As with the names of categories, days are checked before any is written, since a failing unique index would undo the
// whole upload.
const changed: ChangedNoun = {
  table: 'balance_checks',
  conflictGroups,
  isRow: (userId) => sql`${isTargetRow(userId, 'balance_checks')} and ${hasLiveAccount}`,
  hasVersion: true,
  windowColumns: sql`
    row_number() over (
      partition by ${accountId}, next_date, row_id is null or conflicting <> '[]' order by position) as nth_of_day`,
  rules: () => [
    ...dayRules(accountId, sql`next_date`, sql`taken.id <> row_id`),
    rule('date', otherBalanceText, sql`nth_of_day = 1`),
  ],
  lock: { field: 'date', ofUpdate: lock, ofDeletion: lock },
}

const created: CreatedNoun = {
  name: 'balance_check',
  table: 'balance_checks',
  fields: ['account_id', 'date', 'balance'],
  references: { account_id: 'accounts' },
  // Another device may have added the same check.
  isKnown: (userId) => sql`known.id = coalesce(
    (select own.id from balance_checks own where own.user_id = ${userId} and own.client_id = item.client_id),
    (select own.id from balance_checks own
      where own.account_id = item.account_id and own.user_id = ${userId} and own.date = item.date and own.balance = item.balance))`,
  windowColumns: sql`
    row_number() over (
      partition by known_id is null and not is_spent, account_id, date order by position) as nth_of_day,
    row_number() over (partition by known_id is null and not is_spent, account_id order by position) as nth_of_account`,
  rules: (userId) => [
    rule('account_id', invalidText, refersToOwn(userId, accounts, sql`counted.account_id`)),
    ...newCheckRules(userId, sql`counted.account_id`, sql`counted.date`, {
      inAccount: sql`nth_of_account`,
      inAll: sql`nth`,
    }),
    rule('date', otherBalanceText, sql`nth_of_day = 1`),
  ],
  ownColumns: () => ({
    source: sql`'manual'`,
    ...columnsOfBase(newBase(sql`account_id`, sql`date`, sql`balance`)),
  }),
}

/** The same columns by their names in the database. */
function columnsOfBase({ base, afterEntry }: Pick<ReturnType<typeof newBase>, 'base' | 'afterEntry'>) {
  return { base, after_entry: afterEntry }
}

export const createChecks = creationStep(created)

export const updateChecks = updateStep(changed, 'update balance_check', () => {
  const next = changedBase(sql`balance_checks.account_id`, sql`op.date`, sql`op.balance`)
  const also = [
    sql`base = ${next.base}`,
    sql`after_entry = ${next.afterEntry}`,
    sql`source = ${next.source}`,
    sql`import_id = ${next.importId}`,
  ]
  return [{ fields: Object.keys(conflictGroups), also }]
})

export const deleteChecks = deletionStep(changed, 'delete balance_check', ({ db }, ids) => [
  db.delete(balanceChecks).where(sql`${balanceChecks.id} in (${ids})`),
])
