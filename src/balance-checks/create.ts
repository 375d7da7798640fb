import { and, type SQL, sql } from 'drizzle-orm'
import { idempotency, keyRules } from '../database/idempotency.ts'
import { toColumns } from '../database/input-columns.ts'
import { insertWhere } from '../database/insert-where.ts'
import type { Owner } from '../database/owner.ts'
import { refersToOwn, requireComplete } from '../database/ownership.ts'
import { allHold, rule, selectRuleFlags, violationOf } from '../database/rules.ts'
import { accounts, balanceChecks } from '../database/schema.ts'
import { invalidText } from '../domain/field-errors.ts'
import type { Draft } from '../failures/draft.ts'
import type { NewBalanceCheck } from './contract.ts'
import { newBase, newCheckRules, withPossibleDate } from './new-check.ts'
import { accountsOf, checksOf, selectChecks } from './read.ts'

/**
 * Creates a check, or returns the one that an earlier request with the same key created, or that has the same balance on
 * that day. Throws Invalid.
 */
export async function createCheck(owner: Owner, draft: Draft<NewBalanceCheck>, idempotencyKey?: string) {
  const { db } = owner
  const fields = await requireComplete(owner, await withPossibleDate(owner, draft))
  const [accountId, date, balance] = [sql`${fields.account_id}`, sql`${fields.date}`, sql`${fields.balance}`]
  const isOwn = refersToOwn(owner.id, accounts, accountId)
  const row = {
    userId: owner.id,
    ...toColumns(fields),
    ...newBase(accountId, date, sql`cast(${balance} as integer)`),
    source: 'manual' as const,
    clientId: idempotencyKey,
    createdAt: owner.now,
    updatedAt: owner.now,
  }
  const { earlier, isFirst } = idempotency(owner, balanceChecks, idempotencyKey)
  const same = sql`${balanceChecks.accountId} = ${accountId} and ${balanceChecks.date} = ${date} and ${balanceChecks.balance} = ${balance}`
  const rules = [
    rule('account_id', invalidText, isOwn),
    ...newCheckRules(owner.id, accountId, date),
    ...keyRules(owner.id, 'balance_check', idempotencyKey),
  ]
  const guard = and(owner.isValid, isFirst, allHold(rules)) as SQL
  const isFound = sql`(${earlier} or ${same})`
  const results = await owner.run({
    ruleFlags: selectRuleFlags(db, rules),
    created: insertWhere(db, balanceChecks, row, guard).returning({ id: balanceChecks.id }),
    found: db
      .select({ id: balanceChecks.id, isEarlier: sql<number>`${earlier}` })
      .from(balanceChecks)
      .where(sql`${isFound} and ${balanceChecks.userId} = ${owner.id}`),
    ...selectChecks(owner, accountsOf(isFound)),
  })
  // A check with the key comes before one of the same day.
  const [found] = results.found.toSorted((a, b) => b.isEarlier - a.isEarlier)
  const check = checksOf(results).find(({ id }) => id === found?.id)
  if (!check) throw violationOf(rules, results.ruleFlags)
  return { check, isNew: results.created.length > 0 }
}
