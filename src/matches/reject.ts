import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Owner, UserScope } from '../database/owner.ts'
import { ownRow, requireComplete } from '../database/ownership.ts'
import { occurrenceRejectionQuota, rejectionQuota } from '../database/quotas.ts'
import { allHold, type Rule, rule, selectRuleFlags, violationOf } from '../database/rules.ts'
import { recurringRules, rejectedMatches, rejectedOccurrences, transactions } from '../database/schema.ts'
import { invalidText } from '../domain/field-errors.ts'
import type { Draft } from '../failures/draft.ts'
import type { Pair, RejectedOccurrence } from './contract.ts'
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

/** Stores that a transaction is not this occurrence, so that it is not suggested again. Throws Invalid. */
export async function rejectOccurrence(owner: Owner, draft: Draft<RejectedOccurrence>): Promise<void> {
  const rejected = await requireComplete(owner, draft)
  const { transaction_id, recurring_id, occurrence_date } = rejected
  const quota = occurrenceRejectionQuota(owner.id)
  const isRepeat = sql`exists (select 1 from ${rejectedOccurrences} where ${isOf(owner, rejected)})`
  const rules = [
    ...referenceRules(owner, rejected),
    { ...quota, holds: sql`(${isRepeat} or ${quota.holds})` },
  ]
  const { ruleFlags } = await owner.run({
    ruleFlags: selectRuleFlags(owner.db, rules),
    rejected: owner.db.run(sql`
      insert into ${rejectedOccurrences} (user_id, transaction_id, recurring_id, occurrence_date)
      select ${owner.id}, ${transaction_id}, ${recurring_id}, ${occurrence_date}
       where ${allHold(rules)} on conflict do nothing`),
  })
  if (ruleFlags[0]?.ruleFlags.includes('0')) throw violationOf(rules, ruleFlags)
}

/** Takes the rejection of an occurrence back. Throws Invalid. */
export async function deleteOccurrenceRejection(
  owner: Owner,
  draft: Draft<RejectedOccurrence>,
): Promise<void> {
  const rejected = await requireComplete(owner, draft)
  const rules = referenceRules(owner, rejected)
  const { ruleFlags } = await owner.run({
    ruleFlags: selectRuleFlags(owner.db, rules),
    taken: owner.db.delete(rejectedOccurrences).where(isOf(owner, rejected)),
  })
  if (ruleFlags[0]?.ruleFlags.includes('0')) throw violationOf(rules, ruleFlags)
}

/** The transaction and the rule must be the user's. */
function referenceRules(owner: UserScope, { transaction_id, recurring_id }: RejectedOccurrence): Rule[] {
  const exists = (table: typeof transactions | typeof recurringRules, id: number) =>
    sql`exists (select 1 from ${table} where ${ownRow(owner, table, id)})`
  return [
    rule('transaction_id', invalidText, exists(transactions, transaction_id)),
    rule('recurring_id', invalidText, exists(recurringRules, recurring_id)),
  ]
}

function isOf(owner: UserScope, { transaction_id, recurring_id, occurrence_date }: RejectedOccurrence): SQL {
  const { userId, transactionId, recurringId, occurrenceDate } = rejectedOccurrences
  return and(
    eq(userId, owner.id),
    eq(transactionId, transaction_id),
    eq(recurringId, recurring_id),
    eq(occurrenceDate, occurrence_date),
  ) as SQL
}
