import type { LedgerMonthlyReport } from 'purse-client'
import { money } from '../amounts.ts'
import type { PageProps } from '../app.tsx'
import { monthName, monthsUntil, shortMonth, today } from '../format.ts'
import { useKept } from '../router.ts'
import { Flows, NetWorth } from '../ui/charts.tsx'
import { FirstSteps } from '../ui/first-steps.tsx'
import { Segments } from '../ui/form.tsx'
import { Page } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'

type Month = LedgerMonthlyReport['months'][number]

const spans = Object.entries({ 6: '6 months', 12: '1 year', 36: '3 years' })

/** Looking back: net worth, income and expenses by month, and what changed since the month before. */
export function Reports({ ledger }: PageProps) {
  const [count, setCount] = useKept('count', '12')
  if (ledger.transactions({ per_page: 1 }).total === 0)
    return <Page title="Reports" children={<FirstSteps ledger={ledger} />} />
  const { from, to } = monthsUntil(today(ledger.profile()?.timezone).slice(0, 7), Number(count))
  const { months } = ledger.monthlyReport({ from, to })
  return (
    <Page title="Reports">
      <Segments label="Period" name="period" value={count} options={spans} onChoose={setCount} />
      <div class="columns">
        <NetWorth {...{ ledger, from, to }} />
        <article>
          <h2>Income and expenses</h2>
          <Flows months={months.map(withoutReturns)} />
        </article>
      </div>
      <Comparison months={months} />
    </Page>
  )
}

/** Without refunds and the like, which would count both as income and as expenses. */
const withoutReturns = ({ month, income, expense, returned }: Month) => ({
  ...{ month, income: income - returned, expense: expense - returned },
})

/** What was spent in the last two months, by category, without what came back. */
function Comparison({ months }: { months: Month[] }) {
  const [then, now] = months.slice(-2)
  if (!then || !now) return null
  const spending = [...now.spending, ...then.spending]
  const rows = [...new Set(spending.map((one) => one.category_name))].map((name) => {
    const [a, b] = [spentOn(name, now), spentOn(name, then)]
    return [name, money(a), money(b), (a > b ? '+' : '') + money(a - b)]
  })
  if (rows.length === 0) return null
  return (
    <article>
      <h2>
        {monthName(now.month)}, compared with {monthName(then.month)}
      </h2>
      <Table
        head={['Category', shortMonth(now.month), shortMonth(then.month), 'Change']}
        rows={rows}
        isFigures
      />
    </article>
  )
}

const spentOn = (name: string, { spending }: Month) =>
  spending.find((one) => one.category_name === name)?.net ?? 0
