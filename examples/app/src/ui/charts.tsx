import type { Ledger, LedgerMonthlyReport } from 'purse-client'
import { lastDay } from '../format.ts'
import type { ChartProps } from './chart.tsx'
import { lazy } from './lazy.tsx'

type Month = LedgerMonthlyReport['months'][number]

/** Its library is larger than the rest of the app. */
const Chart = lazy(async () => (await import('./chart.tsx')).Chart)

/** Income and expenses by month. */
export function Flows({ months }: { months: Pick<Month, 'month' | 'income' | 'expense'>[] }) {
  const series: ChartProps['series'] = [
    { label: 'In', colour: '--brand', figures: months.map(({ income }) => income) },
    { label: 'Out', colour: '--spent', figures: months.map(({ expense }) => expense) },
  ]
  const names = months.map(({ month }) => month)
  return <Chart label="Income and expenses by month" type="bar" months={names} series={series} />
}

/** The total balance at the end of each month, from `YYYY-MM` to `YYYY-MM`. */
export function NetWorth({ ledger, from, to }: { ledger: Ledger; from: string; to: string }) {
  const { points } = ledger.balancesReport({ from: `${from}-01`, to: lastDay(to), every: 'month' })
  return (
    <article>
      <h2>Net worth</h2>
      <Chart
        label="Net worth at the end of the month"
        type="line"
        months={points.map(({ date }) => date)}
        series={[{ label: 'Net worth', colour: '--brand', figures: points.map(({ total }) => total) }]}
      />
    </article>
  )
}
