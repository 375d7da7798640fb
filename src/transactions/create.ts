import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import { withinBounds } from '../database/bounds.ts'
import { nextChange } from '../database/change-numbers.ts'
import { toColumns } from '../database/input-columns.ts'
import { insertWhere } from '../database/insert-where.ts'
import { nextTransactionId } from '../database/next-transaction-id.ts'
import type { Owner, UserScope } from '../database/owner.ts'
import { refersToOwn } from '../database/ownership.ts'
import { lockedThrough } from '../database/reconciled.ts'
import type { Database } from '../database/run.ts'
import { accounts, categories, transactions, users } from '../database/schema.ts'
import type { CalendarDate } from '../domain/dates.ts'
import { addError } from '../domain/field-errors.ts'
import type { Draft } from '../failures/draft.ts'
import { duplicatesListed, Forbidden, Invalid, PotentialDuplicate, Reconciled } from '../failures/failures.ts'
import { clientIdOfDeletedText, idByClientId, isNewClientId } from './client-ids.ts'
import type { NewTransaction, PostedTransaction } from './contract.ts'
import { withRuleErrors } from './contract-rules.ts'
import { duplicateReasons, isDuplicateOf } from './duplicates.ts'
import { type Transaction, transactionColumns } from './read.ts'

/** The owner's id in statements that select from `users`, where it is at hand: `owner.id` looks the token up again. */
const idFromUsers = sql<number>`users.id`

/**
 * Creates a transaction. If its `client_id` has been used before, returns the transaction that was created then or, once
 * that has been joined with another, the one that remains. Throws Forbidden (no account yet), Invalid,
 * PotentialDuplicate.
 */
export async function createTransaction(owner: Owner, draft: Draft<PostedTransaction>) {
  const { complete, values } = draft
  // References are assumed to exist until the database has checked them.
  const invalid = withRuleErrors(values, { exists: () => true, isNew: true, errors: draft.errors })
  const results =
    complete && Object.keys(invalid).length === 0
      ? await withinBounds('amount', owner.run(insert(owner, values)))
      : { ...(await owner.run(checksOf(owner, values))), duplicates: [], created: [] }
  const [transaction] = [...(complete ? results.earlier.flat() : []), ...results.created]
  if (transaction) return { transaction, isNew: results.created.length > 0 }
  const failure = failureOf(draft, results)
  if (failure) throw failure
  // All conditions hold, so only a potential duplicate can have prevented the insert.
  const { description = null, reference = null } = values
  const withReasons = (row: Transaction) => ({
    ...row,
    reasons: duplicateReasons({ description, reference }, row),
  })
  throw new PotentialDuplicate(results.duplicates.flat().map(withReasons))
}

function insert(owner: Owner, fields: PostedTransaction) {
  const { db } = owner
  const duplicateOf = (userId: SQL) => (fields.force ? undefined : isDuplicateOf(userId, fields))
  const duplicate = duplicateOf(idFromUsers)
  const guard = and(
    eq(users.id, owner.id),
    ...Object.values(conditionsOf(fields)),
    duplicate && sql`not exists (select 1 from ${transactions} where ${duplicate})`,
    sql`${lockOf(fields)} is null`,
  ) as SQL
  return {
    ...checksOf(owner, fields),
    duplicates: selectIf(db, duplicateOf(owner.id)).map((query) =>
      query.orderBy(desc(transactions.id)).limit(duplicatesListed),
    ),
    created: insertWhere(db, transactions, newRow(owner.now, fields), guard, sql`from ${users}`).returning(
      transactionColumns,
    ),
  }
}

/**
 * Conditions that only the database can check, by field: the user has the row that is referred to, and has not used the
 * client id.
 */
function conditionsOf({ account_id, to_account_id, category_id, client_id }: Partial<NewTransaction>) {
  const conditions: Record<string, SQL> = {}
  if (account_id != null) conditions.account_id = refersToOwn(idFromUsers, accounts, sql`${account_id}`)
  if (to_account_id != null)
    conditions.to_account_id = refersToOwn(idFromUsers, accounts, sql`${to_account_id}`)
  if (category_id != null) conditions.category_id = refersToOwn(idFromUsers, categories, sql`${category_id}`)
  if (client_id != null) conditions.client_id = isNewClientId(idFromUsers, client_id)
  return conditions
}

/** Selects the earlier transaction with the client id, the result of each condition, and whether the user has an account. */
function checksOf(owner: UserScope, fields: Partial<PostedTransaction>) {
  const { client_id } = fields
  const hasAccount = sql`exists (select 1 from ${accounts} where ${accounts.userId} = ${idFromUsers})`
  return {
    earlier: selectIf(
      owner.db,
      client_id == null ? undefined : eq(transactions.id, idByClientId(owner.id, client_id)),
    ),
    conditions: owner.db
      .select({ ...conditionsOf(fields), hasAccount, lockedThrough: lockOf(fields) })
      .from(users)
      .where(eq(users.id, owner.id)),
  }
}

/** The reconciled period in which the row would move a balance. */
function lockOf({ override_reconciled, ...fields }: Partial<PostedTransaction>) {
  const { type, amount, account_id, to_account_id = null, transaction_date: date } = fields
  if (override_reconciled || !type || !amount || !account_id || !date) return sql<null>`null`
  const after = { type: sql`${type}`, amount: sql`${amount}`, account_id: sql`${account_id}` }
  const days = { day: sql`${date}`, to_day: sql`${date}` }
  return lockedThrough({ after: { ...after, to_account_id: sql`${to_account_id}`, ...days } })
}

function selectIf(db: Database, where: SQL | undefined) {
  return where ? [db.select(transactionColumns).from(transactions).where(where)] : []
}

type Holds = Record<string, unknown> & { lockedThrough: CalendarDate | null }

/** The failure to throw if the user has no account, the input has errors or a condition is false; undefined otherwise. */
function failureOf(
  { values, errors: given }: Draft<NewTransaction>,
  { earlier, conditions: [holds] }: { earlier: Transaction[][]; conditions: Holds[] },
) {
  if (!holds?.hasAccount)
    return new Forbidden('You must create at least one account before adding transactions.')
  const exists = (noun: 'account' | 'category', id: number) =>
    Boolean(
      noun === 'category'
        ? holds.category_id
        : id === values.account_id
          ? holds.account_id
          : holds.to_account_id,
    )
  const errors = withRuleErrors(values, { exists, isNew: true, errors: given })
  if (holds.client_id === 0 && earlier.flat().length === 0)
    addError(errors, 'client_id', clientIdOfDeletedText)
  if (Object.keys(errors).length > 0) return new Invalid(errors)
  return holds.lockedThrough ? new Reconciled('transaction_date', holds.lockedThrough) : undefined
}

function newRow(now: Date, { force: _, override_reconciled: __, ...fields }: PostedTransaction) {
  return {
    ...toColumns(fields),
    id: nextTransactionId,
    userId: idFromUsers,
    seq: nextChange(idFromUsers),
    createdAt: now,
    updatedAt: now,
  }
}
