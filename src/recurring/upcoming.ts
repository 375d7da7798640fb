import { sql } from 'drizzle-orm'
import type { Owner, UserScope } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import { recurringRules } from '../database/schema.ts'
import { addDays, type CalendarDate, dateIn, daysBetween, daysOnEarth } from '../domain/dates.ts'
import type { Minor } from '../domain/money.ts'
import {
  dueDays,
  isExpected,
  maxPossibleDays,
  possibleDays,
  type StatedOccurrence,
  statedOccurrences,
} from '../domain/recurrence/occurrences.ts'
import type { Draft } from '../failures/draft.ts'
import { defaultUpcomingDays, maxUpcoming, type UpcomingQuery } from './contract.ts'
import { isOfNoRule, isRecordedIn, occurringOf, type Rule, readableExceptions, selectRules } from './read.ts'

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
  const { rules, possible, user } = await owner.run({
    rules: selectRules(owner, owner.now),
    possible: selectPossible(owner, owner.now),
  })
  const today = dateIn(user.timezone, owner.now)
  const to = addDays(today, days)
  return rules
    .flatMap((rule) => statedOf(rule, today, to, possible))
    .sort((a, b) => compare(a.occurrence.day, b.occurrence.day) || a.rule.id - b.rule.id)
    .slice(0, maxUpcoming)
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** The open occurrences of a rule: those that are due today, and those until a day. */
export function expectedOccurrences(...of: Parameters<typeof statedOf>): OccurrenceOfRule[] {
  return statedOf(...of).filter(({ occurrence }) => isExpected(occurrence))
}

/** The occurrences of a rule that are due today, and all that are booked from today to a day. */
function statedOf(
  rule: Rule & { recorded: string },
  today: CalendarDate,
  to: CalendarDate,
  possible: PossibleRow[],
): OccurrenceOfRule[] {
  const occurring = occurringOf(rule)
  const within = possibleDays(occurring, today)
  return statedOccurrences(occurring, isRecordedIn(rule.recorded), { from: today, to }).map((occurrence) => {
    const amount = occurrence.exception.amount ?? rule.amount
    const isPossible = (row: PossibleRow) =>
      isLike(row, rule) && row.amount === amount && Math.abs(daysBetween(row.date, occurrence.day)) <= within
    return {
      ...{ rule, occurrence, amount },
      possible: occurrence.state === 'due' ? (possible.find(isPossible)?.id ?? null) : null,
    }
  })
}

type PossibleRow = {
  id: number
  accountId: number
  toAccountId: number | null
  type: Rule['type']
  amount: number
  date: CalendarDate
}

const isLike = (row: PossibleRow, rule: Rule) =>
  row.accountId === rule.accountId && row.toAccountId === rule.toAccountId && row.type === rule.type

/** The most transactions that are compared with rules: far more than a person has in two months. */
const maxCompared = 20_000
/** The most of them that may be occurrences. */
const maxPossible = 2_000

/** The transactions of the days of due occurrences that are linked to no rule, with an account and amount of a rule. */
export function selectPossible({ db, id }: UserScope, now: Date) {
  const { from, to } = daysOnEarth(now)
  // Only a statement that begins with "select" is known to read.
  return db.all<PossibleRow>(sql`
    select * from (
      with wanted as materialized (
        select distinct account_id, amount from (
          select account_id, amount from ${recurringRules} where user_id = ${id} and not paused
           union all
          select account_id, exception.value ->> 'amount'
            from ${recurringRules} cross join json_each(${readableExceptions(sql`recurring_rules`)}) exception
           where user_id = ${id} and not paused and exception.value ->> 'amount' is not null))
      select row.id, row.account_id as accountId, row.to_account_id as toAccountId, row.type, row.amount,
             row.transaction_date as date
        from (select row.account_id, row.amount, row.rowid as id
                from (select distinct account_id from wanted) account
               cross join transactions row on row.account_id = account.account_id
                 and row.transaction_date between ${addDays(from, -dueDays - maxPossibleDays)} and ${addDays(to, maxPossibleDays)}
               limit ${maxCompared}) compared
       cross join transactions row on row.id = compared.id
       where (compared.account_id, compared.amount) in (select account_id, amount from wanted) and ${isOfNoRule(sql`row`)}
       order by row.id desc limit ${maxPossible})`)
}
