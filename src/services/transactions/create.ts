import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { NewTransaction } from '../../contract/transactions.ts'
import { insertWhere } from '../../db/insert-where.ts'
import type { Owner } from '../../db/owner.ts'
import { accounts, transactions, users } from '../../db/schema.ts'
import type { Draft } from '../../domain/draft.ts'
import { Forbidden, Invalid, PotentialDuplicate } from '../../domain/failures.ts'
import { withinBounds } from '../bounds.ts'
import type { ColumnsOf } from '../columns.ts'
import { addBroken, allHold, verdict } from '../rules.ts'
import type { Transaction } from './fields.ts'
import { categoryRequired, clientIdUnspent, isDuplicateOf, transactionRules } from './rules.ts'

/** How many similar rows a 409 lists at most. */
const duplicatesListed = 5

/**
 * Records a transaction. Sent again with the same `client_id`, it answers the row of the first time.
 * Throws Forbidden (no account yet), Invalid, PotentialDuplicate.
 */
export async function createTransaction(
  owner: Owner,
  draft: Draft<NewTransaction>,
): Promise<{ transaction: Transaction; isNew: boolean }> {
  const { db } = owner
  const { values } = draft
  const next = {
    type: sql`${values.type ?? null}`,
    account_id: sql`${values.account_id ?? null}`,
    to_account_id: sql`${values.to_account_id ?? null}`,
    category_id: sql`${values.category_id ?? null}`,
  }
  const rules = [
    ...transactionRules(owner.id, next),
    categoryRequired(next),
    clientIdUnspent(owner.id, sql`${values.client_id ?? null}`),
  ]
  const hasAccount = sql<number>`exists (select 1 from ${accounts} where ${accounts.userId} = ${owner.id})`
  const judged = db
    .select({ hasAccount: sql<number>`(${hasAccount})`, verdict: verdict(rules) })
    .from(users)
    .where(eq(users.id, owner.id))

  if (!draft.complete) {
    const [, [judgement]] = await owner.run(judged)
    throw refusal(draft, rules, judgement)
  }

  const similar = isDuplicateOf(owner, draft.values)
  const before = and(
    eq(transactions.userId, owner.id),
    eq(transactions.clientId, values.client_id ?? ''),
  ) as SQL
  const guard = and(
    owner.isKnown,
    allHold(rules),
    values.client_id ? sql`not exists (select 1 from ${transactions} where ${before})` : undefined,
    values.force ? undefined : sql`not exists (select 1 from ${transactions} where ${similar})`,
  ) as SQL
  const [, [first], [judgement], duplicates, [created]] = await withinBounds(
    'amount',
    owner.run(
      db
        .select()
        .from(transactions)
        .where(values.client_id ? before : sql`false`),
      judged,
      db
        .select()
        .from(transactions)
        .where(values.force ? sql`false` : similar)
        .orderBy(desc(transactions.id))
        .limit(duplicatesListed),
      insertWhere(db, transactions, newRow(owner, draft.values), guard).returning(),
    ),
  )
  if (first) return { transaction: first, isNew: false }
  if (created) return { transaction: created, isNew: true }
  const refused = refusal(draft, rules, judgement)
  if (refused instanceof Invalid && Object.keys(refused.errors).length === 0) {
    throw new PotentialDuplicate(duplicates)
  }
  throw refused
}

function newRow(owner: Owner, fields: NewTransaction) {
  return {
    userId: owner.id,
    accountId: fields.account_id,
    toAccountId: fields.to_account_id ?? null,
    categoryId: fields.category_id ?? null,
    type: fields.type,
    amount: fields.amount,
    description: fields.description ?? null,
    reference: fields.reference ?? null,
    transactionDate: fields.transaction_date,
    clientId: fields.client_id ?? null,
    createdAt: owner.now,
    updatedAt: owner.now,
  } satisfies ColumnsOf<Omit<NewTransaction, 'force'>>
}

type Judgement = { hasAccount: number; verdict: string } | undefined

function refusal(
  draft: Draft<NewTransaction>,
  rules: ReturnType<typeof transactionRules>,
  judgement: Judgement,
) {
  if (!judgement?.hasAccount) {
    return new Forbidden('You must create at least one account before adding transactions.')
  }
  const errors = { ...draft.errors }
  addBroken(errors, rules, judgement.verdict)
  return new Invalid(errors)
}
