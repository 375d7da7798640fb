import type { CalendarMonth } from './dates.ts'
import { categoryTypes } from './types.ts'

type Total<Category> = {
  category: Category | undefined
  type: (typeof categoryTypes)[number]
  /** In minor units. */
  total: bigint
}
export type MonthOfReport<Category> = {
  month: CalendarMonth
  income: bigint
  expense: bigint
  categories: Total<Category>[]
}

/**
 * Adds up amounts by month and category. The largest total comes first; of equal ones, income, and then the category with
 * the lowest `rankOf`. Entries of other months are ignored.
 */
export function monthsWith<Category>(
  months: CalendarMonth[],
  entries: Iterable<Total<Category> & { month: CalendarMonth }>,
  rankOf: (category: Category) => number,
): MonthOfReport<Category>[] {
  const empty = () => new Map<Category | undefined, bigint>()
  const sums = new Map(months.map((month) => [month, { income: empty(), expense: empty() }]))
  for (const { month, type, category, total } of entries) {
    const ofType = sums.get(month)?.[type]
    ofType?.set(category, (ofType.get(category) ?? 0n) + total)
  }
  const rank = ({ category }: Total<Category>) => (category ? rankOf(category) : Number.MAX_VALUE)
  return [...sums].map(([month, ofMonth]) => {
    const categories = categoryTypes.flatMap((type) =>
      [...ofMonth[type]].map(([category, total]) => ({ category, type, total })),
    )
    categories.sort((a, b) => Number(b.total - a.total) || rank(a) - rank(b))
    return { month, income: sumOf(ofMonth.income), expense: sumOf(ofMonth.expense), categories }
  })
}

function sumOf(totals: Map<unknown, bigint>): bigint {
  return [...totals.values()].reduce((sum, total) => sum + total, 0n)
}
