import { moneyNumber } from '../shared/money.ts'
import type { MonthOfReport } from '../shared/month-report.ts'
import type { Point } from './balances.ts'
import type { ShownBalancesReport, ShownMonthlyReport } from './contract.ts'

export function presentMonths(months: MonthOfReport<{ id: number; name: string }>[]): ShownMonthlyReport {
  return {
    months: months.map(({ month, income, expense, categories }) => ({
      month,
      income: moneyNumber(income),
      expense: moneyNumber(expense),
      net: moneyNumber(income - expense),
      categories: categories.map(({ category, type, total }) => ({
        category_id: category?.id ?? null,
        category_name: category?.name ?? 'Uncategorized',
        type,
        total: moneyNumber(total),
      })),
    })),
  }
}

export function presentBalances(points: Point[]): ShownBalancesReport {
  return {
    points: points.map(({ date, balances }) => ({
      date,
      total: moneyNumber([...balances.values()].reduce((sum, balance) => sum + balance, 0n)),
      accounts: [...balances].map(([id, balance]) => ({ account_id: id, balance: moneyNumber(balance) })),
    })),
  }
}
