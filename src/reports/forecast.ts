import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import { hasLiveAccountsInBulk } from '../database/live-accounts.ts'
import type { Owner } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import { accounts, transactions } from '../database/schema.ts'
import { type CalendarDate, dateIn, daysOnEarth, latestDate } from '../domain/dates.ts'
import { formatNumber } from '../domain/doc.ts'
import {
  type ForecastPoint,
  forecastDates,
  forecastOf,
  type LowestPoint,
} from '../domain/recurrence/forecast.ts'
import type { Draft } from '../failures/draft.ts'
import { Invalid } from '../failures/failures.ts'
import { expectedOccurrences, type OccurrenceOfRule, selectExpected } from '../recurring/upcoming.ts'
import { daysOfForecast, type ForecastQuery, forecastErrors, maxForecastDays } from './contract.ts'
import { requireFigures } from './figures.ts'

/** The most transactions after today that a forecast reads. */
export const maxFutureRows = 20_000

export type Forecast = {
  today: CalendarDate
  points: ForecastPoint<number>[]
  lowest: LowestPoint<number>[]
  due: OccurrenceOfRule[]
  expected: number
  recordedAhead: number
}

/**
 * Returns the balances from today on, with the transactions of the future and the open occurrences that no transaction may
 * be; what is due counts tomorrow. Throws Invalid.
 */
export async function forecast(owner: Owner, draft: Draft<ForecastQuery>): Promise<Forecast> {
  const { account_id, every = 'day', ...query } = await requireComplete(owner, draft)
  const found = await owner.run({
    accounts: owner.db
      .select({ id: accounts.id, balance: accounts.balance })
      .from(accounts)
      .where(
        and(
          eq(accounts.userId, owner.id),
          account_id === undefined ? undefined : eq(accounts.id, account_id),
        ),
      )
      .orderBy(asc(accounts.id)),
    future: owner.db.all<{ rows: string }>(futureRows(owner, daysOnEarth(owner.now).from)),
    ...selectExpected(owner, maxForecastDays),
  })
  const today = dateIn(found.user.timezone, owner.now)
  const errors = forecastErrors(query, today)
  if (Object.keys(errors).length > 0) throw new Invalid(errors)
  const span = daysOfForecast(query, today)
  const rows = futureOf(found.future, today)
  requireFigures(forecastDates(span, every).length * found.accounts.length, 'to')
  const expected = expectedOccurrences(found, { from: today, to: span.to }).map((one) => {
    const { type, accountId: account, toAccountId: toAccount } = one.rule
    return { ...{ type, account, toAccount }, day: one.occurrence.day, amount: BigInt(one.amount), one }
  })
  const balances = new Map(found.accounts.map(({ id, balance }) => [id, BigInt(balance)]))
  const { due, ...report } = forecastOf(span, every, { balances, future: rows, expected })
  return { today, ...report, due: due.map(({ one }) => one) }
}

/** The transactions after a day as one JSON text, the earliest first, one more than a forecast may have. */
function futureRows(owner: Owner, after: CalendarDate): SQL {
  return sql`
    select json_group_array(json_array(transaction_date, type, account_id, to_account_id, amount, is_occurrence)) as rows from (
      select transaction_date, type, account_id, to_account_id, amount,
             recurring_id in (select id from recurring_rules) is true as is_occurrence
        from ${transactions}
       where user_id = ${owner.id} and transaction_date > ${after} and transaction_date <= ${latestDate}
         and ${hasLiveAccountsInBulk(owner)}
       order by transaction_date limit ${maxFutureRows + 1})`
}

type FutureRow = [
  day: CalendarDate,
  type: string,
  account: number,
  toAccount: number | null,
  amount: number,
  isOccurrence: 0 | 1,
]

/** The transactions after today. Throws Invalid if there are too many. */
function futureOf([found]: { rows: string }[], today: CalendarDate) {
  const rows: FutureRow[] = JSON.parse(found?.rows ?? '[]')
  if (rows.length > maxFutureRows)
    throw new Invalid({
      to: [`A forecast has at most ${formatNumber(maxFutureRows)} transactions after today.`],
    })
  return rows
    .filter(([day]) => day > today)
    .map(([day, type, account, toAccount, amount, isOccurrence]) => ({
      day,
      type,
      account,
      toAccount,
      amount: BigInt(amount),
      isOccurrence: isOccurrence === 1,
    }))
}
