import type { Ledger, LedgerMonthlyReport } from 'purse-client'
import { money } from '../amounts.ts'
import type { PageProps } from '../app.tsx'
import {
  lastDay,
  monthAfter,
  monthName,
  monthsUntil,
  sameDays,
  shortDay,
  shortMonth,
  today,
} from '../format.ts'
import { useKept } from '../router.ts'
import { Flows, NetWorth, rowsOf } from '../ui/charts.tsx'
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
      <Comparison ledger={ledger} />
    </Page>
  )
}

/** Without refunds and the like, which would count both as income and as expenses. */
const withoutReturns = ({ month, income, expense, returned }: Month) => ({
  ...{ month, income: income - returned, expense: expense - returned },
})

/** What was spent under each category in the last two months, or the same days of them, without what came back. */
function Comparison({ ledger }: { ledger: Ledger }) {
  const day = today(ledger.profile()?.timezone)
  const month = day.slice(0, 7)
  const running = sameDays(month, day)
  const { now, before } = running ?? { now: daysOf(month), before: daysOf(monthAfter(month, -1)) }
  const [spentNow, spentBefore] = [spendingIn(ledger, now), spendingIn(ledger, before)]
  const keys = [...new Set([...spentNow.keys(), ...spentBefore.keys()])]
  if (keys.length === 0) return null
  const cellsOf = (name: string, a: number, b: number) => [
    name,
    ...[money(a / 100), money(b / 100), (a > b ? '+' : '') + money((a - b) / 100)],
  ]
  const nameOf = new Map(ledger.categories().map(({ key, name }) => [key, name]))
  const rows = keys
    .map((key) => ({ key, a: spentNow.get(key) ?? 0, b: spentBefore.get(key) ?? 0 }))
    .sort((one, other) => other.a - one.a || other.b - one.b)
    .map(({ key, a, b }) => ({
      href: rowsOf({ from: before.from, to: now.to, category_id: key }),
      cells: cellsOf(nameOf.get(key) ?? 'Uncategorized', a, b),
    }))
  const sumOf = (spent: Map<string, number>) => [...spent.values()].reduce((sum, one) => sum + one, 0)
  const days = ({ from, to }: Days) => (running ? `to ${shortDay(to)}` : shortMonth(from))
  return (
    <article>
      <h2>{running ? `${monthName(month)} so far, and the same days before` : monthName(month)}</h2>
      <Table
        head={['Category', days(now), days(before), 'Change']}
        rows={rows}
        total={cellsOf('In all', sumOf(spentNow), sumOf(spentBefore))}
        isFigures
      />
    </article>
  )
}

type Days = { from: string; to: string }
const daysOf = (month: string): Days => ({ from: `${month}-01`, to: lastDay(month) })

const largestPage = 500

/** Expenses less refunds by the key of their category, or `none`, in cents. */
function spendingIn(ledger: Ledger, days: Days): Map<string, number> {
  const expenses = new Set(ledger.categories().flatMap(({ key, type }) => (type === 'expense' ? key : [])))
  const query = { ...days, type: ['income', 'expense'] as const, per_page: largestPage }
  const spent = new Map<string, number>()
  for (let page = 1; page <= ledger.transactions(query).last_page; page++)
    for (const { type, amount, category } of ledger.transactions({ ...query, page }).data) {
      const isRefund = type === 'income' && category && expenses.has(category.key)
      if (type === 'income' && !isRefund) continue
      const key = category?.key ?? 'none'
      const cents = Number(amount.replace('.', ''))
      spent.set(key, (spent.get(key) ?? 0) + (isRefund ? -cents : cents))
    }
  return spent
}
