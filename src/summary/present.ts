import { formatMoney, moneyNumber } from '../domain/money.ts'
import type { ShownSummary } from './response-contract.ts'
import type { Summary } from './summarise.ts'

export function presentSummary(summary: Summary): ShownSummary {
  const { income, expense } = summary
  return {
    total_balance: moneyNumber(summary.totalBalance),
    accounts: summary.accounts.map((account) => ({
      id: account.id,
      name: account.name,
      type: account.type,
      starting_balance: formatMoney(account.startingBalance),
      balance: moneyNumber(account.balance),
    })),
    monthly_summary: {
      income: moneyNumber(income),
      expense: moneyNumber(expense),
      net: moneyNumber(income - expense),
    },
    category_breakdown: summary.breakdown.map(({ id, name, total }) => ({
      category_id: id,
      category_name: name,
      total: moneyNumber(total),
    })),
    ...(summary.days.length > 0 && {
      daily_breakdown: summary.days.map(({ date, income, expense }) => ({
        ...{ date, income: moneyNumber(income), expense: moneyNumber(expense) },
      })),
    }),
  }
}
