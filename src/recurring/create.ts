import { and, type SQL, sql } from 'drizzle-orm'
import { nextChange } from '../database/change-numbers.ts'
import { idempotency, keyRules } from '../database/idempotency.ts'
import { toColumns } from '../database/input-columns.ts'
import { insertWhere } from '../database/insert-where.ts'
import type { Owner } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import { recurringQuota } from '../database/quotas.ts'
import { allHold, rule as ruleFor, selectRuleFlags, violationOf } from '../database/rules.ts'
import { recurringRules } from '../database/schema.ts'
import { dateIn } from '../domain/dates.ts'
import type { FieldErrors } from '../domain/field-errors.ts'
import { addError, requiredText } from '../domain/field-errors.ts'
import { addRuleErrors } from '../domain/recurrence/field-rules.ts'
import { type Draft, withErrors } from '../failures/draft.ts'
import { nextRow, transactionRules } from '../transactions/sql-rules.ts'
import type { NewRecurring, RecurringRequest } from './contract.ts'
import { selectRules, withNext } from './read.ts'
import { isUnlinked, linkPast, suggestedFor } from './suggestions.ts'

const noSuggestion = 'The :field field needs a suggestion with this account, type, rrule and starts_on.'

/**
 * Creates a rule, or returns the one that an earlier request with the same key created. With `link_past`, the rows of its
 * suggestion become its occurrences, which takes a round trip more. Throws Invalid.
 */
export async function createRule(owner: Owner, draft: Draft<RecurringRequest>, idempotencyKey?: string) {
  const { db, now } = owner
  const {
    link_past,
    exceptions: _,
    ...fields
  } = await requireComplete(owner, withErrors(draft, linkedErrors(draft)))
  const past = link_past ? await suggestedFor(owner, draft) : undefined
  const row = {
    userId: owner.id,
    ...toColumns(fields),
    ...openedNow(owner),
    dueAt: fields.auto_record && !fields.paused ? new Date(0) : null,
    clientId: idempotencyKey,
    createdAt: now,
    updatedAt: now,
  }
  const { earlier, isFirst } = idempotency(owner, recurringRules, idempotencyKey)
  const rules = [
    ...transactionRules(
      owner.id,
      nextRow((field) => sql`${fields[field] ?? null}`),
    ),
    recurringQuota(owner.id),
    ...(link_past ? [ruleFor('link_past', noSuggestion, isUnlinked(past))] : []),
    ...keyRules(owner.id, 'recurring', idempotencyKey),
  ]
  const guard = and(owner.isValid, isFirst, allHold(rules)) as SQL
  const isNewest = sql`recurring_rules.id = (select max(id) from recurring_rules newest where newest.user_id = ${owner.id})`
  const { created, ...results } = await owner.run({
    earlier: selectRules(owner, now, earlier),
    ruleFlags: selectRuleFlags(db, rules),
    created: insertWhere(db, recurringRules, row, guard).returning({ id: recurringRules.id }),
    linked: past ? [db.run(linkPast(owner, past, isNewest, nextChange(owner.id)))] : [],
    newest: selectRules(owner, now, isNewest),
  })
  const [rule] = created.length > 0 ? results.newest : results.earlier
  if (!rule) throw violationOf(rules, results.ruleFlags)
  return { rule: withNext(rule, dateIn(results.user.timezone, now)), isNew: created.length > 0 }
}

/** The columns from which on occurrences are open: from today in the user's time zone, which stays the same if that changes. */
export function openedNow({ id, now }: Pick<Owner, 'id' | 'now'>) {
  return { openedAt: now, openedIn: sql<string>`(select timezone from users where users.id = ${id})` }
}

/** The errors of fields that depend on each other. */
function linkedErrors({ values, errors: given }: Draft<NewRecurring>): FieldErrors {
  const errors = { ...given }
  if (values.type && values.type !== 'transfer' && values.category_id == null && !('category_id' in errors))
    addError(errors, 'category_id', requiredText)
  addRuleErrors(errors, values)
  return errors
}
