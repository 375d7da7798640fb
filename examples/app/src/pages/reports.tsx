import { useState } from 'preact/hooks'
import { money } from '../amounts.ts'
import type { PageProps } from '../app.tsx'
import { monthAfter, monthName, shortMonth, today } from '../format.ts'
import { monthsUntil, netWorthOf, sumsOf } from '../months.ts'
import { Segments } from '../ui/form.tsx'
import { Page } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Chart } from './dashboard.tsx'

const spans: [string, string][] = [
  ['6', '6 months'],
  ['12', '1 year'],
  ['36', '3 years'],
]

/** Looking back: net worth, income and expenses by month, and what changed since the month before. */
export function Reports({ ledger }: PageProps) {
  const [count, setCount] = useState('12')
  const last = today(ledger.profile()?.timezone).slice(0, 7)
  const months = monthsUntil(last, Number(count))
  const sums = sumsOf(ledger, months)
  return (
    <Page title="Reports">
      <Segments label="Period" name="period" value={count} options={spans} onChoose={setCount} />
      <div class="columns">
        <article>
          <h2>Net worth</h2>
          <Chart
            label="Net worth at the end of the month"
            type="line"
            months={months}
            series={[{ label: 'Net worth', colour: '--brand', figures: netWorthOf(ledger, months) }]}
          />
        </article>
        <article>
          <h2>Income and expenses</h2>
          <Chart
            label="Income and expenses by month"
            type="bar"
            months={months}
            series={[
              { label: 'In', colour: '--brand', figures: sums.map(({ income }) => income) },
              { label: 'Out', colour: '--spent', figures: sums.map(({ expense }) => expense) },
            ]}
          />
        </article>
      </div>
      <Comparison {...{ ledger, month: last, before: monthAfter(last, -1) }} />
    </Page>
  )
}

type ComparisonProps = Pick<PageProps, 'ledger'> & { month: string; before: string }

/** What was spent in two months, by category. */
function Comparison({ ledger, month, before }: ComparisonProps) {
  const sharesOf = (one: string) =>
    new Map(
      ledger.summary({ month: one }).category_breakdown.map((share) => [share.category_name, share.total]),
    )
  const [now, then] = [sharesOf(month), sharesOf(before)]
  const names = [...new Set([...now.keys(), ...then.keys()])]
  const rows = names.map((name) => {
    const [own, earlier] = [now.get(name) ?? 0, then.get(name) ?? 0]
    return [name, money(own), money(earlier), (own > earlier ? '+' : '') + money(own - earlier)]
  })
  if (rows.length === 0) return null
  return (
    <article>
      <h2>
        {monthName(month)}, compared with {monthName(before)}
      </h2>
      <Table head={['Category', shortMonth(month), shortMonth(before), 'Change']} rows={rows} />
    </article>
  )
}
