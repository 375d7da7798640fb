import { and, between, desc, eq, type SQL, sql } from 'drizzle-orm'
import { jsonRow } from '../database/json-row.ts'
import { hasLiveAccountsInBulk } from '../database/live-accounts.ts'
import type { Owner, UserScope } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import { dismissalQuota } from '../database/quotas.ts'
import { allHold, selectRuleFlags, violationOf } from '../database/rules.ts'
import type { Results } from '../database/run.ts'
import { dismissedSuggestions, recurringRules, transactions } from '../database/schema.ts'
import { addDays, type CalendarDate, dateIn, daysOnEarth } from '../domain/dates.ts'
import { findRepeating, type Repeating } from '../domain/recurrence/repeating.ts'
import { payeeStems, shareWords } from '../domain/words.ts'
import type { Draft } from '../failures/draft.ts'
import { wordsOf } from '../transactions/duplicates.ts'
import { transactionColumns } from '../transactions/read.ts'
import { type Dismissal, maxSuggestions, type RecurringRequest } from './contract.ts'
import { isOfNoRule, type Rule } from './read.ts'

/** At most this many rows are read, the newest. */
const maxRows = 4_000
/** Rows of so many days are read: 14 months. */
const daysRead = 426

/** Returns what repeats and has no rule yet, what repeats most often first. */
export async function listSuggestions(owner: Owner): Promise<Repeating[]> {
  const { user, ...found } = await owner.run(selectPast(owner, owner.now))
  const dismissed = new Set(found.dismissed.map(({ key }) => key))
  return suggestionsAmong(found, dateIn(user.timezone, owner.now))
    .filter(({ key }) => !dismissed.has(key))
    .slice(0, maxSuggestions)
}

/** Stores that a suggestion is not wanted. Throws Invalid. */
export async function dismissSuggestion(owner: Owner, draft: Draft<Dismissal>): Promise<string> {
  const { key } = await requireComplete(owner, draft)
  const isRepeat = sql`exists (
    select 1 from ${dismissedSuggestions} where user_id = ${owner.id} and key = ${key})`
  const quota = dismissalQuota(owner.id)
  const rules = [{ ...quota, holds: sql`(${isRepeat} or ${quota.holds})` }]
  const { ruleFlags } = await owner.run({
    ruleFlags: selectRuleFlags(owner.db, rules),
    dismissed: owner.db.run(sql`
      insert into ${dismissedSuggestions} (user_id, key)
      select ${owner.id}, ${key} where ${and(owner.isValid, allHold(rules))} on conflict do nothing`),
  })
  if (ruleFlags[0]?.ruleFlags.includes('0')) throw violationOf(rules, ruleFlags)
  return key
}

/** The rows that a new rule was suggested for; undefined if none were. Takes a round trip. */
export async function suggestedFor(
  owner: Owner,
  { values }: Draft<RecurringRequest>,
): Promise<Repeating | undefined> {
  const { user, ...found } = await owner.run(selectPast(owner, owner.now))
  const isMeant = ({ rows: [row], startsOn, rrule }: Repeating) =>
    row?.accountId === values.account_id &&
    row?.type === values.type &&
    row?.toAccountId === (values.to_account_id ?? null) &&
    startsOn === values.starts_on &&
    rrule === values.rrule
  const meant = suggestionsAmong(found, dateIn(user.timezone, owner.now)).filter(isMeant)
  return meant.find(({ amount }) => amount === values.amount) ?? meant[0]
}

/** True for a suggestion none of whose rows has become an occurrence since it was read, by another request for it. */
export function isUnlinked(suggestion: Repeating | undefined): SQL {
  if (!suggestion) return sql`false`
  const ids = JSON.stringify(suggestion.rows.map(({ id }) => id))
  return sql`not exists (
    select 1 from transactions where id in (select value from json_each(${ids})) and not ${isOfNoRule(sql`transactions`)})`
}

/** The statement that makes the rows the occurrences of the rule that has just been created. */
export function linkPast(owner: Owner, { rows, dates }: Repeating, newest: SQL, nextChange: SQL): SQL {
  const links = JSON.stringify(rows.map(({ id }, nth) => [id, dates[nth]]))
  return sql`
    update transactions
       set recurring_id = new.rule_id, occurrence_date = new.date, version = version + 1, seq = ${nextChange} + new.nth
      from (select recurring_rules.id as rule_id, recurring_rules.account_id, link.value ->> 0 as id,
                   link.value ->> 1 as date, link.key as nth
              from recurring_rules cross join json_each(${links}) link
             where ${newest} and recurring_rules.user_id = ${owner.id} and recurring_rules.created_at = ${owner.now.getTime()}) new
     where transactions.id = new.id and transactions.account_id = new.account_id
       and +transactions.user_id = ${owner.id} and ${isOfNoRule(sql`transactions`)}`
}

/** Selects the rows that may repeat, the rules that there are, and what the user has dismissed. */
function selectPast(owner: UserScope, now: Date) {
  const { db } = owner
  const { id, accountId, toAccountId, categoryId, type, amount } = transactionColumns
  const { transactionDate: date, description, reference, recurringId } = transactionColumns
  const { from, to } = daysOnEarth(now)
  return {
    rows: db
      .select({
        row: jsonRow({
          id,
          accountId,
          toAccountId,
          categoryId,
          type,
          amount,
          date,
          description,
          reference,
          recurringId,
        }),
      })
      .from(transactions)
      .where(
        and(
          eq(transactions.userId, owner.id),
          between(date, addDays(from, -daysRead), to),
          hasLiveAccountsInBulk(owner),
        ),
      )
      .orderBy(desc(date), desc(id))
      .limit(maxRows),
    rules: db.select().from(recurringRules).where(eq(recurringRules.userId, owner.id)),
    dismissed: db
      .select({ key: dismissedSuggestions.key })
      .from(dismissedSuggestions)
      .where(eq(dismissedSuggestions.userId, owner.id)),
  }
}

function suggestionsAmong(
  { rows, rules }: Results<ReturnType<typeof selectPast>>,
  today: CalendarDate,
): Repeating[] {
  const past = rows.map(({ row }) => ({ ...row, words: wordsOf(row), isLinked: row.recurringId !== null }))
  return findRepeating(past, today).filter((one) => !rules.some((rule) => hasRule(one, rule)))
}

/** True if a rule for the same payee exists, even if no transaction is linked to it. */
function hasRule({ rows: [row], amount }: Repeating, rule: Rule): boolean {
  if (row?.accountId !== rule.accountId || row.type !== rule.type || row.toAccountId !== rule.toAccountId)
    return false
  const isNear = Math.abs(rule.amount - amount) * 10 <= amount
  return isNear && (row.type === 'transfer' || shareWords(payeeStems(wordsOf(rule)), payeeStems(row.words)))
}
