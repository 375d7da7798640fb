import { type SQL, sql } from 'drizzle-orm'
import { hasLiveAccounts } from '../database/live-accounts.ts'
import type { UserScope } from '../database/owner.ts'
import { type LinkableRow, recurringRules } from '../database/schema.ts'
import { addDays, daysOnEarth } from '../shared/dates.ts'
import type { LinkableRule } from '../shared/occurrence-links.ts'
import { wordsOf } from '../transactions/duplicates.ts'
import { isRecordedIn, occurringOf, recordedDates, ruleColumns } from './read.ts'

/** For so many days, the texts of a rule's transactions say what the bank calls it. */
const daysOfTexts = 400
/** So many of them for each rule, the newest: 4,000 for a user with as many rules as possible. */
const maxTexts = 20

/** Selects the user's rules for `linkableOf`. */
export function selectLinkable({ db, id }: UserScope, now: Date) {
  const texts = sql<string>`(select json_group_array(json(text)) from (
    select json_array(description, reference) as text from transactions
     where recurring_id = recurring_rules.id and occurrence_date >= ${addDays(daysOnEarth(now).from, -daysOfTexts)}
       and ${hasLiveAccounts}
     order by occurrence_date desc limit ${maxTexts}))`
  return db
    .select({
      ...ruleColumns,
      recorded: recordedDates(now),
      texts,
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
  const linked: [string | null, string | null][] = JSON.parse(texts)
  return {
    ...occurringOf(rule),
    id: rule.id,
    version: rule.version,
    accountId: rule.accountId,
    toAccountId: rule.toAccountId,
    type: rule.type,
    amount: rule.amount,
    amountTolerance: rule.amountTolerance,
    words: [wordsOf(rule), ...linked.map(([description, reference]) => wordsOf({ description, reference }))],
    isRecorded: isRecordedIn(recorded),
  }
}
