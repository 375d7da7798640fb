import { asc, eq, sql } from 'drizzle-orm'
import type { Owner, UserScope } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import type { Results } from '../database/run.ts'
import { recurringRules } from '../database/schema.ts'
import { addDays, dateIn, daysOnEarth, type Span } from '../domain/dates.ts'
import type { Minor } from '../domain/money.ts'
import { maxChange } from '../domain/recurrence/links.ts'
import {
  dueDays,
  isStillOpen,
  maxPossibleDays,
  possibleDays,
  type StatedOccurrence,
  statedOccurrences,
} from '../domain/recurrence/occurrences.ts'
import { possibleTransactions, type Unlinked } from '../domain/recurrence/possible.ts'
import type { Draft } from '../failures/draft.ts'
import { wordsOf } from '../transactions/duplicates.ts'
import { defaultUpcomingDays, maxUpcoming, type UpcomingQuery } from './contract.ts'
import { linkedTexts, payeeTexts } from './linkable.ts'
import {
  isOfNoRule,
  isRecordedIn,
  occurringOf,
  type Rule,
  readableExceptions,
  recordedDates,
  ruleColumns,
} from './read.ts'

/** An occurrence with its rule, and the amount that is expected. */
export type OccurrenceOfRule = {
  rule: Rule
  occurrence: StatedOccurrence
  amount: Minor
  /** The id of a transaction that may be it. */
  possible: number | null
}

/** Returns the occurrences that are due, and those of the next days, by day. Throws Invalid. */
export async function listUpcoming(owner: Owner, draft: Draft<UpcomingQuery>): Promise<OccurrenceOfRule[]> {
  const { days = defaultUpcomingDays } = await requireComplete(owner, draft)
  const { rules, unlinked, user } = await owner.run(selectExpected(owner, days))
  const today = dateIn(user.timezone, owner.now)
  return statedOf({ rules, unlinked }, { from: today, to: addDays(today, days) })
    .sort((a, b) => compare(a.occurrence.day, b.occurrence.day) || a.rule.id - b.rule.id)
    .slice(0, maxUpcoming)
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** The occurrences that are due today, and those until a day, but for those that a transaction may be already. */
export function expectedOccurrences(...of: Parameters<typeof statedOf>): OccurrenceOfRule[] {
  return statedOf(...of).filter(({ occurrence, possible }) => isStillOpen(occurrence) && possible === null)
}

type Expected = Pick<Results<ReturnType<typeof selectExpected>>, 'rules' | 'unlinked'>

/** The occurrences of rules that are due today, and all that are booked from today to a day. */
function statedOf({ rules, unlinked }: Expected, days: Span): OccurrenceOfRule[] {
  const stated = rules.flatMap((rule) => {
    const occurring = occurringOf(rule)
    const within = possibleDays(occurring, days.from)
    const { accountId: account, toAccountId: toAccount, type } = rule
    return statedOccurrences(occurring, isRecordedIn(rule.recorded), days).map((occurrence) => {
      const amount = occurrence.exception.amount ?? rule.amount
      const place = { account, toAccount, type, within, payeeTexts: () => payeeTexts(rule) }
      return { ...place, day: occurrence.day, amount, rule, occurrence }
    })
  })
  const possible = possibleTransactions(
    stated.filter(({ occurrence }) => isStillOpen(occurrence)),
    unlinked.map((row) => ({ ...row, words: wordsOf(row) })),
  )
  return stated.map((one) => {
    const { rule, occurrence, amount } = one
    return { rule, occurrence, amount, possible: possible.get(one)?.id ?? null }
  })
}

type UnlinkedRow = Omit<Unlinked<number>, 'words'> & {
  id: number
  description: string | null
  reference: string | null
}

/** The most transactions that are compared with rules: far more than a person has in two months. */
const maxCompared = 20_000
/** The most of them that may be occurrences. */
const maxPossible = 2_000

/**
 * Selects the rules, and the transactions of no rule from the days of due occurrences to so many days ahead, with an account
 * and about an amount of a rule.
 */
export function selectExpected(owner: UserScope & { now: Date }, daysAhead: number) {
  const { db, id, now } = owner
  const { from, to } = daysOnEarth(now)
  const [first, last] = [addDays(from, -dueDays - maxPossibleDays), addDays(to, daysAhead + maxPossibleDays)]
  const change = sql.raw(String(maxChange))
  return {
    rules: db
      .select({ ...ruleColumns, recorded: recordedDates(now), texts: linkedTexts })
      .from(recurringRules)
      .where(eq(recurringRules.userId, id))
      .orderBy(asc(recurringRules.id)),
    // Only a statement that begins with "select" is known to read.
    unlinked: db.all<UnlinkedRow>(sql`
      select * from (
        with wanted as materialized (
          select account_id, min(amount) * (100 - ${change}) as low, max(amount) * (100 + ${change}) as high from (
            select account_id, amount from ${recurringRules} where user_id = ${id} and not paused
             union all
            select account_id, exception.value ->> 'amount'
              from ${recurringRules} cross join json_each(${readableExceptions(sql`recurring_rules`)}) exception
             where user_id = ${id} and not paused and exception.value ->> 'amount' is not null)
           group by account_id)
        select row.id, row.account_id as account, row.to_account_id as toAccount, row.type, row.amount,
               row.transaction_date as day, row.description, row.reference
          from (select row.account_id, row.amount, row.rowid as id, low, high
                  from wanted cross join transactions row on row.account_id = wanted.account_id
                   and row.transaction_date between ${first} and ${last}
                 limit ${maxCompared}) compared
         cross join transactions row on row.id = compared.id
         where compared.amount * 100 between low and high and ${isOfNoRule(sql`row`)}
         order by row.id desc limit ${maxPossible})`),
  }
}
