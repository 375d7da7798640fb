import { and } from 'drizzle-orm'
import { toColumns } from '../database/input-columns.ts'
import type { Owner } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import { allHold, selectRuleFlags, violationOf } from '../database/rules.ts'
import { recurringRules } from '../database/schema.ts'
import type { CalendarDate } from '../domain/dates.ts'
import { exceptionsAfter } from '../domain/recurrence/occurrences.ts'
import { type Draft, withErrors } from '../failures/draft.ts'
import type { FoundRules } from './chain.ts'
import type { RecurringChanges } from './contract.ts'
import { openedNow } from './create.ts'
import { changeErrors, dueAfterWrite, isAsRead, isOpened, referenceRules } from './next-rule.ts'
import { type RuleWithNext, selectRules, withNext } from './read.ts'

/**
 * Changes a rule as a whole, whose first occurrence is `from` if that is given; returns undefined if it has changed since it
 * was read. Throws Invalid.
 */
export async function changeRule(
  owner: Owner,
  { rule, rules: all, today }: Omit<FoundRules, 'timezone'>,
  draft: Draft<RecurringChanges>,
  from?: CalendarDate,
): Promise<RuleWithNext | undefined> {
  const sent = await requireComplete(owner, withErrors(draft, changeErrors(rule, all, draft)))
  const rules = referenceRules(owner.id, rule, sent)
  const isCurrent = isAsRead(owner, rule)
  const columns = {
    ...toColumns(sent),
    ...(from && { exceptions: exceptionsAfter(rule.exceptions, { from, set: sent, today }) }),
    ...(isOpened(rule, sent) && openedNow(owner)),
    dueAt: dueAfterWrite(rule, sent),
    version: rule.version + 1,
    updatedAt: owner.now,
  }
  const results = await owner.run({
    ruleFlags: selectRuleFlags(owner.db, rules),
    current: owner.db.select({ id: recurringRules.id }).from(recurringRules).where(isCurrent),
    updated: owner.db
      .update(recurringRules)
      .set(columns)
      .where(and(isCurrent, allHold(rules)))
      .returning({ id: recurringRules.id }),
    changed: selectRules(owner, owner.now, isAsRead(owner, { ...rule, version: rule.version + 1 })),
  })
  if (results.current.length === 0) return undefined
  const [changed] = results.changed
  if (results.updated.length === 0 || !changed) throw violationOf(rules, results.ruleFlags)
  return withNext(changed, today)
}
