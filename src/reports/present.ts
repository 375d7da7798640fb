import { moneyNumber } from '../domain/money.ts'
import type { MonthOfReport } from '../domain/month-report.ts'
import type { CategoryType } from '../domain/types.ts'
import { presentUpcoming } from '../recurring/present.ts'
import type { Point } from './balances.ts'
import type { Forecast } from './forecast.ts'
import type { ShownBalancesReport, ShownForecast, ShownMonthlyReport } from './response-contract.ts'

type ReportedCategory = { id: number; name: string; type: CategoryType }

export function presentMonths(months: MonthOfReport<ReportedCategory>[]): ShownMonthlyReport {
  return {
    months: months.map(({ month, income, expense, returned, categories, spending }) => ({
      month,
      income: moneyNumber(income),
      expense: moneyNumber(expense),
      net: moneyNumber(income - expense),
      returned: moneyNumber(returned),
      categories: categories.map(({ category, type, total }) => ({
        ...namesOf(category),
        type,
        total: moneyNumber(total),
      })),
      spending: spending.map(({ category, spent, returned }) => ({
        ...namesOf(category),
        spent: moneyNumber(spent),
        returned: moneyNumber(returned),
        net: moneyNumber(spent - returned),
      })),
    })),
  }
}

const namesOf = (category: ReportedCategory | undefined) => ({
  category_id: category?.id ?? null,
  category_name: category?.name ?? 'Uncategorized',
})

export function presentBalances(points: Point[]): ShownBalancesReport {
  return {
    points: points.map(({ date, balances }) => ({
      date,
      total: moneyNumber([...balances.values()].reduce((sum, balance) => sum + balance, 0n)),
      accounts: [...balances].map(([id, balance]) => ({ account_id: id, balance: moneyNumber(balance) })),
    })),
  }
}

export function presentForecast({
  today,
  points,
  lowest,
  due,
  expected,
  recordedAhead,
}: Forecast): ShownForecast {
  return {
    from: today,
    ...presentBalances(points),
    lowest: lowest.map(({ account, date, balance }) => ({
      account_id: account,
      date,
      balance: moneyNumber(balance),
    })),
    due: presentUpcoming(due).occurrences,
    expected,
    recorded_ahead: recordedAhead,
  }
}
