import { centsOf, compare, totalOf } from './money.ts'
import type { Key } from './rows.ts'
import type { Listed, Shown } from './shown-row.ts'

/** The totals of some transactions, and their expenses by category. */
export function totalsOf(
  transactions: readonly Listed[],
  category: (name: Key | number) => Shown['category'] | undefined,
) {
  let [income, expense] = [0n, 0n]
  const byCategory = new Map<Shown['category'] | undefined, bigint>()
  for (const { type, amount, category_id } of transactions) {
    const cents = centsOf(amount)
    if (type === 'income') income += cents
    if (type !== 'expense') continue
    expense += cents
    const row = category_id === null ? undefined : category(category_id)
    byCategory.set(row, (byCategory.get(row) ?? 0n) + cents)
  }
  const breakdown = [...byCategory].map(([row, cents]) => {
    const name = row?.name ?? 'Uncategorized'
    return { row, cents, name, order: `${codePoints(name)} ${row ? 1 : 0}`, rank: row?.rank ?? 0 }
  })
  breakdown.sort((a, b) => compare(b.cents, a.cents) || compare(a.order, b.order) || a.rank - b.rank)
  return {
    monthly_summary: {
      income: totalOf(income),
      expense: totalOf(expense),
      net: totalOf(income - expense),
    },
    category_breakdown: breakdown.map(({ row, cents, name }) => ({
      category_id: row?.id ?? null,
      category_key: row?.key ?? null,
      category_name: name,
      total: totalOf(cents),
    })),
  }
}

/** A text that sorts as the database sorts this one: by code points, not by UTF-16 units. */
function codePoints(text: string): string {
  return Array.from(text, (one) => one.codePointAt(0)?.toString(16).padStart(6, '0')).join('')
}
