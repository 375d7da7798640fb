import type { Ledger, LedgerAccount, LedgerMonthlyReport } from 'purse-client'
import { money } from '../amounts.ts'
import { forecastUntil } from '../expected.ts'
import { counted, dayAfter, lastDay, monthAfter, shortDay } from '../format.ts'
import { Amount } from './amount.tsx'
import type { ChartProps } from './chart.tsx'
import { lazy } from './lazy.tsx'

const daysAhead = 90

type Month = LedgerMonthlyReport['months'][number]

/** Its library is larger than the rest of the app. */
const Chart = lazy(async () => (await import('./chart.tsx')).Chart)

/** The address of the transactions of a filter. */
export const rowsOf = (filter: Record<string, string>): string =>
  `/transactions?${new URLSearchParams(filter)}`

/** Income and expenses by month. */
export function Flows({ months }: { months: Pick<Month, 'month' | 'income' | 'expense'>[] }) {
  const series: ChartProps['series'] = [
    { label: 'In', colour: '--brand', figures: months.map(({ income }) => income) },
    { label: 'Out', colour: '--spent', figures: months.map(({ expense }) => expense) },
  ]
  const names = months.map(({ month }) => month)
  const hrefOf = (month: string) => rowsOf({ from: `${month}-01`, to: lastDay(month) })
  return <Chart label="Income and expenses by month" type="bar" months={names} {...{ series, hrefOf }} />
}

type BalanceProps = { ledger: Ledger; from: string; to: string; account?: LedgerAccount }

/** The balance of an account or, without one, of all, at the end of each month from `YYYY-MM` to `YYYY-MM`. */
export function NetWorth({ ledger, from, to, account }: BalanceProps) {
  const label = account ? 'Balance' : 'Net worth'
  // A line needs two points.
  const first = [firstMonth(ledger, account), monthAfter(to, -1)].sort()[0] ?? from
  const { points } = ledger.balancesReport({
    ...{ from: `${first > from ? first : from}-01`, to: lastDay(to), every: 'month' },
    account_id: account?.key,
  })
  return (
    <article>
      <h2>{label}</h2>
      <Chart
        label={`${label} at the end of the month`}
        type="line"
        months={points.map(({ date }) => date)}
        series={[{ label, colour: '--brand', figures: points.map(({ total }) => total) }]}
      />
    </article>
  )
}

/** The total balance at the end of the next months, with what is expected, and the lowest balance of each account on the way. */
export function Ahead({ ledger, from }: { ledger: Ledger; from: string }) {
  const to = dayAfter(from, daysAhead)
  const { points, lowest, expected } = forecastUntil(ledger, to)
  const least = points.reduce((one, other) => (other.total < one.total ? other : one))
  const ends = points.filter(({ date }) => date === to || date === lastDay(date.slice(0, 7)))
  const nameOf = (key: string) => ledger.accounts().find((one) => one.key === key)?.name
  return (
    <article>
      <h2>The next {daysAhead} days</h2>
      <p>
        <span class="sum">
          <small>Lowest on {shortDay(least.date)}</small> <Amount text={money(least.total)} />
        </span>
      </p>
      <Chart
        label="Balance at the end of the month, as expected"
        type="line"
        months={ends.map(({ date }) => date)}
        series={[{ label: 'Balance', colour: '--brand', figures: ends.map(({ total }) => total) }]}
      />
      {lowest.length > 1 &&
        lowest.map(({ account_key, date, balance }) => (
          <div key={account_key} class="row">
            <span>
              <bdi>{nameOf(account_key)}</bdi>
              <small>lowest on {shortDay(date)}</small>
            </span>
            <Amount text={money(balance)} />
          </div>
        ))}
      <a href="/recurring">{counted(expected, 'recurring transaction')} expected</a>
    </article>
  )
}

/** The month in which the accounts or one of them begin: that of the first transaction. */
function firstMonth(ledger: Ledger, account: LedgerAccount | undefined): string | undefined {
  const query = { ...(account && { account_id: account.key }), per_page: 1 }
  const [oldest] = ledger.transactions({ ...query, page: ledger.transactions(query).last_page }).data
  return oldest?.transaction_date.slice(0, 7)
}
