import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Owner, UserScope } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import { rejectionQuota } from '../database/quotas.ts'
import { allHold, selectRuleFlags, violationOf } from '../database/rules.ts'
import { rejectedMatches } from '../database/schema.ts'
import type { Draft } from '../shared/draft.ts'
import type { Pair } from './contract.ts'
import { pairRules } from './pairs.ts'

/** Stores that two transactions are not a match of this kind, so that it is not suggested again. Throws Invalid. */
export async function rejectMatch(owner: Owner, draft: Draft<Pair>): Promise<void> {
  const { kind, ids } = await requireComplete(owner, draft)
  const [first, second] = ids.toSorted((a, b) => a - b)
  const quota = rejectionQuota(owner.id)
  const isRepeat = sql`exists (select 1 from ${rejectedMatches} where ${isRejected(owner, kind, ids)})`
  const rules = [...pairRules(owner, ids), { ...quota, holds: sql`(${isRepeat} or ${quota.holds})` }]
  const { ruleFlags } = await owner.run({
    ruleFlags: selectRuleFlags(owner.db, rules),
    rejected: owner.db.run(sql`
      insert into ${rejectedMatches} (user_id, first_id, second_id, kind)
      select ${owner.id}, ${first}, ${second}, ${kind} where ${allHold(rules)} on conflict do nothing`),
  })
  if (ruleFlags[0]?.ruleFlags.includes('0')) throw violationOf(rules, ruleFlags)
}

/** Takes a rejection back. Throws Invalid. */
export async function deleteRejection(owner: Owner, draft: Draft<Pair>): Promise<void> {
  const { kind, ids } = await requireComplete(owner, draft)
  const rules = pairRules(owner, ids)
  const { ruleFlags } = await owner.run({
    ruleFlags: selectRuleFlags(owner.db, rules),
    taken: owner.db.delete(rejectedMatches).where(isRejected(owner, kind, ids)),
  })
  if (ruleFlags[0]?.ruleFlags.includes('0')) throw violationOf(rules, ruleFlags)
}

function isRejected(owner: UserScope, kind: Pair['kind'], ids: number[]): SQL {
  const { userId, firstId, secondId } = rejectedMatches
  const [first, second] = ids.toSorted((a, b) => a - b) as [number, number]
  return and(
    eq(userId, owner.id),
    eq(firstId, first),
    eq(secondId, second),
    eq(rejectedMatches.kind, kind),
  ) as SQL
}
