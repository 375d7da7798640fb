import type { Ledger, LedgerAccount, LedgerMonthlyReport } from 'purse-client'
import { lastDay, monthAfter } from '../format.ts'
import type { ChartProps } from './chart.tsx'
import { lazy } from './lazy.tsx'

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

/** The month in which the accounts or one of them begin: that of the first transaction. */
function firstMonth(ledger: Ledger, account: LedgerAccount | undefined): string | undefined {
  const query = { ...(account && { account_id: account.key }), per_page: 1 }
  const [oldest] = ledger.transactions({ ...query, page: ledger.transactions(query).last_page }).data
  return oldest?.transaction_date.slice(0, 7)
}
