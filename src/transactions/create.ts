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
import { categoryRequired, type GivenFields, nextRow, transactionRules } from './rules.ts'

/** The owner's id in statements that select from `users`, where it is at hand: `owner.id` looks the token up again. */
const idFromUsers = sql<number>`users.id`

function create(owner: Owner, fields: GivenFields, { force }: { force: boolean }) {
  const { db } = owner
  const { client_id } = fields
  const rules = rulesFor(fields)
  const earlierOf = (userId: SQL) =>
    client_id === undefined ? undefined : eq(transactions.id, idByClientId(userId, client_id))
  const duplicateOf = (userId: SQL) => (force ? undefined : isDuplicateOf(userId, fields))
  const isAbsent = (row?: SQL) => row && sql`not exists (select 1 from ${transactions} where ${row})`
  const isUnlikeAny = and(isAbsent(earlierOf(idFromUsers)), isAbsent(duplicateOf(idFromUsers)))
  const guard = and(eq(users.id, owner.id), allHold(rules), isUnlikeAny) as SQL
  const select = (row?: SQL) => (row ? [db.select(transactionColumns).from(transactions).where(row)] : [])
  return {
    earlier: select(earlierOf(owner.id)),
    judged: selectJudgement(owner, rules),
    duplicates: select(duplicateOf(owner.id)).map((query) =>
      query.orderBy(desc(transactions.id)).limit(duplicatesListed),
    ),
    created: insertWhere(db, transactions, newRow(owner.now, fields), guard, sql`from ${users}`).returning(
      transactionColumns,
    ),
  }
}

/**
 * Creates a transaction. If its `client_id` has been used before, returns the transaction that was created then or, once
 * that has been joined with another, the one that remains. Throws Forbidden (no account yet), Invalid,
 * PotentialDuplicate.
 */
export async function createTransaction(owner: Owner, draft: Draft<NewTransaction>) {
  if (!draft.complete) {
    const { force: _, ...fields } = draft.values
    throw refusal(draft, await owner.runOne(selectJudgement(owner, rulesFor(withoutNulls(fields)))))
  }
  const { force, ...fields } = draft.values
  const statements = create(owner, withoutNulls(fields), { force: force === true })
  const results = await withinBounds('amount', owner.run(statements))
  const [transaction] = [...results.earlier.flat(), ...results.created]
  if (transaction) return { transaction, isNew: results.created.length > 0 }
  const refused = refusal(draft, results.judged)
  if (refused) throw refused
  // No rule was broken, so only a potential duplicate can have prevented the insert.
  throw new PotentialDuplicate(explained(results.duplicates.flat(), fields))
}

function explained(duplicates: Transaction[], { description = null, reference = null }: Partial<Words>) {
  return duplicates.map((row) => ({ ...row, reasons: duplicateReasons({ description, reference }, row) }))
}

/** Leaves out null fields: statements are shorter without them. */
function withoutNulls<Fields extends object>(fields: Fields) {
  const entries = Object.entries(fields).filter(([, value]) => value !== null)
  return Object.fromEntries(entries) as { [Field in keyof Fields]: NonNullable<Fields[Field]> }
}

function rulesFor({ client_id, ...fields }: Partial<GivenFields>): Rule[] {
  const next = nextRow((field) => sql`${fields[field] ?? null}`)
  const rules = [...transactionRules(idFromUsers, next), categoryRequired(next)]
  return client_id === undefined ? rules : [...rules, clientIdUnspent(idFromUsers, client_id)]
}

/** Selects the ruleFlags on the rules, and whether the user has any account. */
function selectJudgement(owner: Scope, rules: Rule[]) {
  const hasAccount = sql<number>`exists (select 1 from ${accounts} where ${accounts.userId} = ${idFromUsers})`
  return owner.db
    .select({ hasAccount: sql<number>`(${hasAccount})`, ruleFlags: ruleFlags(rules) })
    .from(users)
    .where(eq(users.id, owner.id))
}

/** The failure to throw if the user has no account, the input has errors or a rule is broken; undefined otherwise. */
function refusal(draft: Draft<NewTransaction>, judged: { hasAccount: number; ruleFlags: string }[]) {
  if (!judged[0]?.hasAccount)
    return new Forbidden('You must create at least one account before adding transactions.')
  const hasClientId = draft.values.client_id !== undefined && draft.values.client_id !== null
  const invalid = violationOf(rulesFor(hasClientId ? { client_id: '' } : {}), judged, draft.errors)
  return Object.keys(invalid.errors).length > 0 ? invalid : undefined
}

function newRow(now: Date, fields: GivenFields) {
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
