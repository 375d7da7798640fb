import type { CalendarMonth } from './dates.ts'
import { type CategoryType, categoryTypes } from './types.ts'

type Total<Category> = {
  category: Category | undefined
  type: CategoryType
  /** In minor units. */
  total: bigint
}
export type MonthOfReport<Category> = {
  month: CalendarMonth
  income: bigint
  expense: bigint
  categories: Total<Category>[]
  /** What came back in all. */
  returned: bigint
  spending: Spending<Category>[]
}
/** What was spent under a category and what came back under it, such as a refund, in minor units. */
type Spending<Category> = { category: Category | undefined; spent: bigint; returned: bigint }

/**
 * Adds up amounts by month and category. The largest total comes first; of equal ones, income, and then the category with
 * the lowest `rankOf`. Entries of other months are ignored. What came back is the income under categories of expenses.
 */
export function monthsWith<Category extends { type: CategoryType }>(
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
  const rank = ({ category }: { category: Category | undefined }) =>
    category ? rankOf(category) : Number.MAX_VALUE
  return [...sums].map(([month, ofMonth]) => {
    const categories = categoryTypes.flatMap((type) =>
      [...ofMonth[type]].map(([category, total]) => ({ category, type, total })),
    )
    categories.sort((a, b) => Number(b.total - a.total) || rank(a) - rank(b))
    const spending = spendingOf(ofMonth)
    const netOf = ({ spent, returned }: Spending<Category>) => spent - returned
    spending.sort((a, b) => Number(netOf(b) - netOf(a)) || rank(a) - rank(b))
    return {
      ...{
        month,
        income: sumOf(ofMonth.income.values()),
        expense: sumOf(ofMonth.expense.values()),
        categories,
        spending,
      },
      returned: sumOf(spending.map(({ returned }) => returned)),
    }
  })
}

function spendingOf<Category extends { type: CategoryType }>(
  ofMonth: Record<CategoryType, Map<Category | undefined, bigint>>,
): Spending<Category>[] {
  const { income, expense } = ofMonth
  const takesReturns = (category: Category | undefined) => category?.type === 'expense'
  const categories = new Set([...expense.keys(), ...[...income.keys()].filter(takesReturns)])
  return [...categories].map((category) => ({
    category,
    spent: expense.get(category) ?? 0n,
    returned: (takesReturns(category) && income.get(category)) || 0n,
  }))
}

function sumOf(totals: Iterable<bigint>): bigint {
  return [...totals].reduce((sum, total) => sum + total, 0n)
}
