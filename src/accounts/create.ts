import { and, type SQL } from 'drizzle-orm'
import { withinBounds } from '../database/bounds.ts'
import { idempotency, keyRules } from '../database/idempotency.ts'
import { toColumns } from '../database/input-columns.ts'
import { insertWhere } from '../database/insert-where.ts'
import type { Owner } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import { accountQuota, notesGrowth, notesQuota } from '../database/quotas.ts'
import { allHold, selectRuleFlags, violationOf } from '../database/rules.ts'
import { accounts } from '../database/schema.ts'
import type { Draft } from '../failures/draft.ts'
import type { NewAccount } from './contract.ts'
import { accountColumns, selectAccounts } from './read.ts'

/** Creates an account, or returns the one that an earlier request with the same key created. Throws Invalid. */
export async function createAccount(owner: Owner, draft: Draft<NewAccount>, idempotencyKey?: string) {
  const { db } = owner
  const fields = await requireComplete(owner, draft)
  const row = {
    userId: owner.id,
    ...toColumns(fields),
    clientId: idempotencyKey,
    createdAt: owner.now,
    updatedAt: owner.now,
  }
  const { earlier, isFirst } = idempotency(owner, accounts, idempotencyKey)
  const rules = [
    accountQuota(owner.id),
    notesQuota(owner.id, notesGrowth(fields.notes)),
    ...keyRules(owner.id, 'account', idempotencyKey),
  ]
  const guard = and(owner.isValid, isFirst, allHold(rules)) as SQL
  const results = await withinBounds(
    'starting_balance',
    owner.run({
      earlier: selectAccounts(owner, earlier),
      ruleFlags: selectRuleFlags(db, rules),
      created: insertWhere(db, accounts, row, guard).returning(accountColumns),
    }),
  )
  const [account] = [...results.earlier, ...results.created]
  if (!account) throw violationOf(rules, results.ruleFlags)
  return { account, isNew: results.created.length > 0 }
}
