import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import { withinBounds } from '../database/bounds.ts'
import { nextChange } from '../database/change-numbers.ts'
import type { ColumnsOf } from '../database/input-columns.ts'
import { insertWhere } from '../database/insert-where.ts'
import { nextTransactionId } from '../database/next-transaction-id.ts'
import type { Owner, Scope } from '../database/owner.ts'
import { allHold, type Rule, ruleFlags, violationOf } from '../database/rules.ts'
import { accounts, transactions, users } from '../database/schema.ts'
import type { Draft } from '../shared/draft.ts'
import { duplicatesListed } from '../shared/failure-responses.ts'
import { Forbidden, PotentialDuplicate } from '../shared/failures.ts'
import { clientIdUnspent, idByClientId } from './client-ids.ts'
import type { NewTransaction } from './contract.ts'
import { duplicateReasons, type Words } from './duplicate-reasons.ts'
import { isDuplicateOf } from './duplicates.ts'
import { type Transaction, transactionColumns } from './read.ts'
import { categoryRequired, nextRow, transactionRules } from './rules.ts'

/** The owner's id in statements that select from `users`, where it is at hand: `owner.id` looks the token up again. */
const idFromUsers = sql<number>`users.id`

/**
 * Creates a transaction. If its `client_id` has been used before, returns the transaction that was created then or, once
 * that has been joined with another, the one that remains. Throws Forbidden (no account yet), Invalid,
 * PotentialDuplicate.
 */
export async function createTransaction(owner: Owner, draft: Draft<NewTransaction>) {
  const rules = rulesFor(draft.values)
  if (!draft.complete) throw refusal(draft, rules, await owner.runOne(selectChecks(owner, rules)))
  const results = await withinBounds('amount', owner.run(insert(owner, draft.values, rules)))
  const [transaction] = [...results.earlier.flat(), ...results.created]
  if (transaction) return { transaction, isNew: results.created.length > 0 }
  const refused = refusal(draft, rules, results.checks)
  if (refused) throw refused
  // No rule was broken, so only a potential duplicate can have prevented the insert.
  throw new PotentialDuplicate(withReasons(results.duplicates.flat(), draft.values))
}

function insert(owner: Owner, fields: NewTransaction, rules: Rule[]) {
  const { db } = owner
  const { client_id, force } = fields
  const earlierOf = (userId: SQL) =>
    client_id == null ? undefined : eq(transactions.id, idByClientId(userId, client_id))
  const duplicateOf = (userId: SQL) => (force ? undefined : isDuplicateOf(userId, fields))
  const isAbsent = (row?: SQL) => row && sql`not exists (select 1 from ${transactions} where ${row})`
  const guard = and(
    eq(users.id, owner.id),
    allHold(rules),
    isAbsent(earlierOf(idFromUsers)),
    isAbsent(duplicateOf(idFromUsers)),
  ) as SQL
  const select = (row?: SQL) => (row ? [db.select(transactionColumns).from(transactions).where(row)] : [])
  return {
    earlier: select(earlierOf(owner.id)),
    checks: selectChecks(owner, rules),
    duplicates: select(duplicateOf(owner.id)).map((query) =>
      query.orderBy(desc(transactions.id)).limit(duplicatesListed),
    ),
    created: insertWhere(db, transactions, newRow(owner.now, fields), guard, sql`from ${users}`).returning(
      transactionColumns,
    ),
  }
}

function rulesFor({ client_id, ...fields }: Partial<NewTransaction>): Rule[] {
  const next = nextRow((field) => sql`${fields[field] ?? null}`)
  const rules = [...transactionRules(idFromUsers, next), categoryRequired(next)]
  return client_id == null ? rules : [...rules, clientIdUnspent(idFromUsers, client_id)]
}

/** Selects which rules hold, and whether the user has any account. */
function selectChecks(owner: Scope, rules: Rule[]) {
  return owner.db
    .select({
      hasAccount: sql<number>`exists (select 1 from ${accounts} where ${accounts.userId} = ${idFromUsers})`,
      ruleFlags: ruleFlags(rules),
    })
    .from(users)
    .where(eq(users.id, owner.id))
}

/** The failure to throw if the user has no account, the input has errors or a rule is broken; undefined otherwise. */
function refusal(
  draft: Draft<NewTransaction>,
  rules: Rule[],
  checks: { hasAccount: number; ruleFlags: string }[],
) {
  if (!checks[0]?.hasAccount)
    return new Forbidden('You must create at least one account before adding transactions.')
  const invalid = violationOf(rules, checks, draft.errors)
  return Object.keys(invalid.errors).length > 0 ? invalid : undefined
}

function withReasons(duplicates: Transaction[], { description = null, reference = null }: Partial<Words>) {
  return duplicates.map((row) => ({ ...row, reasons: duplicateReasons({ description, reference }, row) }))
}

function newRow(now: Date, fields: NewTransaction) {
  return {
    id: nextTransactionId,
    userId: idFromUsers,
    accountId: fields.account_id,
    toAccountId: fields.to_account_id ?? null,
    categoryId: fields.category_id ?? null,
    type: fields.type,
    amount: fields.amount,
    description: fields.description ?? null,
    reference: fields.reference ?? null,
    transactionDate: fields.transaction_date,
    clientId: fields.client_id ?? null,
    seq: nextChange(idFromUsers),
    createdAt: now,
    updatedAt: now,
  } satisfies ColumnsOf<Omit<NewTransaction, 'force'>> & { id: SQL }
}
