import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import type { NewTransaction } from '../../contract/transactions.ts'
import { insertWhere } from '../../db/insert-where.ts'
import { nextTransactionId } from '../../db/next-id.ts'
import type { Owner } from '../../db/owner.ts'
import { isThere } from '../../db/ownership.ts'
import { accounts, transactions, users } from '../../db/schema.ts'
import type { Draft } from '../../domain/draft.ts'
import { Forbidden, PotentialDuplicate } from '../../domain/failures.ts'
import { withinBounds } from '../bounds.ts'
import type { ColumnsOf } from '../columns.ts'
import { allHold, brokenBy, type Rule, verdict } from '../guards.ts'
import { transactionColumns } from './read.ts'
import { categoryRequired, clientIdUnspent, isDuplicateOf, nextRow, transactionRules } from './rules.ts'

const duplicatesListed = 5

/**
 * Creates a transaction, or returns the one that an earlier request with the same `client_id` created.
 * Throws Forbidden (no account yet), Invalid, PotentialDuplicate.
 */
export async function createTransaction(owner: Owner, draft: Draft<NewTransaction>) {
  const { db } = owner
  const { values } = draft
  const rules = rulesFor(owner, values)
  const judged = judge(owner, rules)
  if (!draft.complete) throw refusal(draft, rules, (await owner.run({ judged })).judged)

  const sent = draft.values
  const earlier = sent.client_id
    ? (and(eq(transactions.userId, owner.id), eq(transactions.clientId, sent.client_id), isThere) as SQL)
    : sql`false`
  const duplicate = sent.force ? sql`false` : isDuplicateOf(owner, sent)
  const isAbsent = (row: SQL) => sql`not exists (select 1 from ${transactions} where ${row})`
  const guard = and(owner.isKnown, allHold(rules), isAbsent(earlier), isAbsent(duplicate)) as SQL
  const results = await withinBounds(
    'amount',
    owner.run({
      earlier: db.select(transactionColumns).from(transactions).where(earlier),
      judged,
      duplicates: db
        .select(transactionColumns)
        .from(transactions)
        .where(duplicate)
        .orderBy(desc(transactions.id))
        .limit(duplicatesListed),
      created: insertWhere(db, transactions, newRow(owner, sent), guard).returning(transactionColumns),
    }),
  )
  const [transaction] = [...results.earlier, ...results.created]
  if (transaction) return { transaction, isNew: results.created.length > 0 }
  const refused = refusal(draft, rules, results.judged)
  const isDuplicate = 'errors' in refused && Object.keys(refused.errors).length === 0
  throw isDuplicate ? new PotentialDuplicate(results.duplicates) : refused
}

function rulesFor(owner: Owner, values: Partial<NewTransaction>): Rule[] {
  const next = nextRow((field) => sql`${values[field] ?? null}`)
  return [
    ...transactionRules(owner.id, next),
    categoryRequired(next),
    clientIdUnspent(owner.id, sql`${values.client_id ?? null}`),
  ]
}

/** Selects the verdict on the rules, and whether the user has any account. */
function judge(owner: Owner, rules: Rule[]) {
  const hasAccount = sql<number>`exists (select 1 from ${accounts} where ${accounts.userId} = ${owner.id})`
  return owner.db
    .select({ hasAccount: sql<number>`(${hasAccount})`, verdict: verdict(rules) })
    .from(users)
    .where(eq(users.id, owner.id))
}

function refusal(
  draft: Draft<NewTransaction>,
  rules: Rule[],
  judged: { hasAccount: number; verdict: string }[],
) {
  if (!judged[0]?.hasAccount)
    return new Forbidden('You must create at least one account before adding transactions.')
  return brokenBy(rules, judged, draft.errors)
}

function newRow(owner: Owner, fields: NewTransaction) {
  return {
    id: nextTransactionId,
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
  } satisfies ColumnsOf<Omit<NewTransaction, 'force'>> & { id: SQL }
}
