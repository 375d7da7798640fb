import { eq, type SQL, sql } from 'drizzle-orm'
import { hasLiveAccounts } from '../database/live-accounts.ts'
import type { UserScope } from '../database/owner.ts'
import type { ResultOf } from '../database/run.ts'
import { type LinkableRow, recurringRules } from '../database/schema.ts'
import type { CalendarDate } from '../domain/dates.ts'
import type { MatchRow } from '../domain/match-row.ts'
import type { LinkableRule } from '../domain/recurrence/links.ts'
import { halfInterval } from '../domain/recurrence/occurrences.ts'
import { maxPayeeTexts } from '../domain/recurrence/possible.ts'
import { parseRecurrenceRule } from '../domain/recurrence/rule.ts'
import { wordsOf } from '../transactions/duplicates.ts'
import { isRecordedIn, occurringOf, recordedDates, ruleColumns } from './read.ts'

/** The texts of the newest transactions of a rule, as JSON: of 4,000 for a user with as many rules as possible. */
export const linkedTexts = sql<string>`(select json_group_array(json(text)) from (
  select json_array(description, reference) as text from transactions
   where recurring_id = recurring_rules.id and ${hasLiveAccounts} order by occurrence_date desc limit ${sql.raw(String(maxPayeeTexts))}))`

/** Selects the user's rules for `linkableOf`. */
export function selectLinkable({ db, id }: UserScope, now: Date) {
  return db
    .select({
      ...ruleColumns,
      recorded: recordedDates(now),
      texts: linkedTexts,
      accountName: nameOf(sql`recurring_rules.account_id`),
      toAccountName: nameOf(sql`recurring_rules.to_account_id`),
    })
    .from(recurringRules)
    .where(sql`user_id = ${id} and not paused`)
}

const nameOf = (account: SQL) => sql<string>`(select name from accounts where accounts.id = ${account})`

/** True if the user has no rules whose occurrences rows may be. */
export const hasNoLinkable = ({ id }: UserScope): SQL =>
  sql`not exists (select 1 from ${recurringRules} where user_id = ${id} and not paused)`

export function linkableOf({ recorded, texts, ...rule }: LinkableRow): LinkableRule {
  return {
    ...occurringOf(rule),
    id: rule.id,
    version: rule.version,
    accountId: rule.accountId,
    toAccountId: rule.toAccountId,
    type: rule.type,
    amount: rule.amount,
    amountTolerance: rule.amountTolerance,
    words: payeeTexts({ ...rule, texts }),
    isRecorded: isRecordedIn(recorded),
  }
}

/** Selects what `occurrenceOf` needs of the user's rules. */
export function selectPayees({ db, id }: UserScope) {
  const { description, reference, startsOn, rrule } = recurringRules
  return db
    .select({ id: recurringRules.id, description, reference, startsOn, rrule, texts: linkedTexts })
    .from(recurringRules)
    .where(eq(recurringRules.userId, id))
}
type PayeeRow = ResultOf<ReturnType<typeof selectPayees>>[number]

/** What matches know of a transaction that was recorded as an occurrence of a rule on this day. */
export function occurrenceOf(rule: PayeeRow, day: CalendarDate): NonNullable<MatchRow['occurrence']> {
  const schedule = { startsOn: rule.startsOn, rule: parseRecurrenceRule(rule.rrule) }
  return { half: halfInterval(schedule, { from: day, to: day }), texts: payeeTexts(rule) }
}

/** The texts of a rule, and those of transactions that are its occurrences. */
export function payeeTexts({
  texts,
  ...rule
}: Pick<PayeeRow, 'description' | 'reference' | 'texts'>): string[] {
  const linked: [string | null, string | null][] = JSON.parse(texts)
  return [wordsOf(rule), ...linked.map(([description, reference]) => wordsOf({ description, reference }))]
}
