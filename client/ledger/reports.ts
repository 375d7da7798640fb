import { datesBetween, monthOf } from '../../src/domain/dates.ts'
import { monthsWith } from '../../src/domain/month-report.ts'
import { datesOfReport, monthsOfReport } from '../../src/reports/contract.ts'
import { move } from './balances.ts'
import { centsOf, totalOf } from './money.ts'
import type { Key } from './rows.ts'
import { between, type LedgerMonths, type LedgerRange } from './search.ts'
import type { Shown } from './shown-row.ts'
import type { View } from './view.ts'

/** Income and expenses of all accounts or one by month and category; `today` is the date in the user's time zone. */
export function monthlyReportOf(
  view: View,
  query: Omit<LedgerMonths, 'account_id'>,
  today: string,
  only?: Key,
) {
  const months = monthsOfReport(query, monthOf(today))
  const rows = between(view, `${months[0]}-01`, `${months.at(-1)}-31`)
  const entries = rows.flatMap(({ type, amount, account_id, category_id, transaction_date }) => {
    if (type === 'transfer' || (only !== undefined && view.accountOf(account_id) !== only)) return []
    const category = category_id === null ? undefined : view.get('category', category_id)
    return [{ month: monthOf(transaction_date), type, category, total: centsOf(amount) }]
  })
  const report = monthsWith<Shown['category']>(months, entries, ({ rank }) => rank)
  return {
    months: report.map(({ month, income, expense, returned, categories, spending }) => ({
      ...{
        month,
        income: totalOf(income),
        expense: totalOf(expense),
        net: totalOf(income - expense),
        returned: totalOf(returned),
      },
      categories: categories.map(({ category, type, total }) => ({
        ...namesOf(category),
        type,
        total: totalOf(total),
      })),
      spending: spending.map(({ category, spent, returned }) => ({
        ...namesOf(category),
        spent: totalOf(spent),
        returned: totalOf(returned),
        net: totalOf(spent - returned),
      })),
    })),
  }
}

const namesOf = (category: Shown['category'] | undefined) => ({
  category_id: category?.id ?? null,
  category_key: category?.key ?? null,
  category_name: category?.name ?? 'Uncategorized',
})

/** The balances of these accounts at the end of days, weeks or months. */
export function balancesReportOf(
  view: View,
  accounts: { id: number | null; key: Key }[],
  query: Omit<LedgerRange, 'account_id'>,
  today: string,
) {
  const balances = new Map(accounts.map(({ key }) => [key, view.balanceOf(key)]))
  let next = 0
  const latestFirst = datesOfReport(query, today)
    .reverse()
    .map((date) => {
      for (let row = view.listed[next]; row && row.transaction_date > date; row = view.listed[++next])
        move(balances, row, view.accountOf, -1n)
      const shown = accounts.map(({ id, key }) => ({ id, key, balance: balances.get(key) ?? 0n }))
      return {
        date,
        total: totalOf(shown.reduce((sum, { balance }) => sum + balance, 0n)),
        accounts: shown.map(({ id, key, balance }) => ({
          ...{ account_id: id, account_key: key, balance: totalOf(balance) },
        })),
      }
    })
  return { points: latestFirst.reverse() }
}

/** The income and expenses of every day. */
export function daysOf(view: View, span: { from: string; to: string }) {
  const sums = new Map(datesBetween(span).map((date) => [date, { income: 0n, expense: 0n }]))
  for (const { type, amount, transaction_date } of between(view, span.from, span.to)) {
    const day = sums.get(transaction_date)
    if (day && type !== 'transfer') day[type] += centsOf(amount)
  }
  return [...sums].map(([date, { income, expense }]) => ({
    ...{ date, income: totalOf(income), expense: totalOf(expense) },
  }))
}
