import { type SQL, sql } from 'drizzle-orm'
import type { Owner } from '../database/owner.ts'
import { checkQuotas } from '../database/quotas.ts'
import { type Rule, rule } from '../database/rules.ts'
import { type CalendarDate, dateIn, daysOnEarth } from '../domain/dates.ts'
import { messageFor, notAfterToday, otherBalanceText } from '../domain/field-errors.ts'
import { formatMoney, maxTotal } from '../domain/money.ts'
import { type Draft, withErrors } from '../failures/draft.ts'
import { balanceOn } from './balance-on.ts'

/** The position in the log: the id of the last entry ever written. */
const lastEntry = sql<number>`coalesce((select seq from sqlite_sequence where name = 'reconciliation_log'), 0)`

/** The difference of a check as of now, and the position in the log. Triggers derive its sum from it. */
export function newBase(accountId: SQL, date: SQL, balance: SQL) {
  return {
    base: sql<number>`(${balanceOn(accountId, date)} - ${balance})`,
    afterEntry: lastEntry,
  }
}

/** The columns of a check after a change: compared anew if its day or balance becomes another. */
export function changedBase(accountId: SQL, date: SQL, balance: SQL) {
  const isNew = sql`(balance_checks.date, balance_checks.balance) is not (${date}, ${balance})`
  const { base, afterEntry } = newBase(accountId, date, balance)
  return {
    base: sql<number>`iif(${isNew}, ${base}, balance_checks.base)`,
    afterEntry: sql<number>`iif(${isNew}, ${afterEntry}, after_entry)`,
    source: sql<'manual'>`iif(${isNew}, 'manual', source)`,
    importId: sql<number>`iif(${isNew}, null, import_id)`,
  }
}

/** The error of a day on which the account has a balance that is not shown. */
export const pastBoundsText = `The balance of the account on this day is past ${formatMoney(maxTotal)}.`

/** The rules of a check on a day. `others` matches the checks of the account that may not be on the same day. */
export function dayRules(accountId: SQL, date: SQL, others: SQL = sql`true`): Rule[] {
  const taken = sql`exists (
    select 1 from balance_checks taken where taken.account_id = ${accountId} and taken.date = ${date} and ${others})`
  return [
    rule('date', otherBalanceText, sql`not ${taken}`),
    rule(
      'date',
      pastBoundsText,
      sql`coalesce(abs(${balanceOn(accountId, date)}) <= ${sql.raw(String(maxTotal))}, true)`,
    ),
  ]
}

/** The rules of a new check. */
export function newCheckRules(userId: SQL, accountId: SQL, date: SQL): Rule[] {
  return [...dayRules(accountId, date), ...checkQuotas(userId, accountId)]
}

/**
 * Adds an error if the date is after today in the user's time zone. Reads that, in a round trip, only if the answer depends
 * on it: while it is that date already in some time zones.
 */
export async function withPossibleDate<T extends { date?: CalendarDate }>(
  owner: Owner,
  draft: Draft<T>,
): Promise<Draft<T>> {
  const { date } = draft.values
  if (date === undefined || !(await isFuture(owner, date))) return draft
  return withErrors(draft, { date: [messageFor('date', notAfterToday)] })
}

/** True if the date is after today in the user's time zone. */
async function isFuture(owner: Owner, date: CalendarDate): Promise<boolean> {
  const { from, to } = daysOnEarth(owner.now)
  return date > to || (date > from && date > (await todayOf(owner)))
}

/** Today in the user's time zone, for a round trip. */
async function todayOf(owner: Owner): Promise<CalendarDate> {
  const { user } = await owner.run()
  return dateIn(user.timezone, owner.now)
}
