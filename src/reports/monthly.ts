import { and, between, eq, ne, sql } from 'drizzle-orm'
import type { Owner } from '../database/owner.ts'
import { requireComplete } from '../database/ownership.ts'
import { categories, totals } from '../database/schema.ts'
import { exactSum, type WideSum, wideSum } from '../database/wide-sums.ts'
import { type CalendarMonth, monthIn, monthsOnEarth } from '../domain/dates.ts'
import { monthsWith } from '../domain/month-report.ts'
import type { Draft } from '../failures/draft.ts'
import { type MonthlyQuery, monthsOfReport } from './contract.ts'
import { limitFigures, requireFigures } from './figures.ts'

type Total = WideSum & { month: CalendarMonth; type: 'income' | 'expense'; categoryId: number }

/**
 * Returns the income and expenses of months, by default the last twelve in the user's time zone, by category, of all accounts or one. Reads kept
 * totals only. Throws Invalid.
 */
export async function reportMonths(owner: Owner, draft: Draft<MonthlyQuery>) {
  const query = await requireComplete(owner, draft)
  // The user's time zone comes with the results, so the months of all time zones are read.
  const possible = monthsOnEarth(owner.now).flatMap((current) => monthsOfReport(query, current))
  const found = await owner.run({
    categories: owner.db
      .select({ id: categories.id, name: categories.name, type: categories.type })
      .from(categories)
      .where(eq(categories.userId, owner.id)),
    totals: owner.db.all<Total>(sql`
      select month, type, category_id as categoryId, ${wideSum(sql`total`)} from ${totals}
       where ${and(
         eq(totals.userId, owner.id),
         between(totals.month, possible[0] ?? '', possible.at(-1) ?? ''),
         ne(totals.type, 'transfer'),
         query.account_id === undefined ? undefined : eq(totals.accountId, query.account_id),
       )}
       group by month, type, category_id ${limitFigures}`),
  })
  requireFigures(found.totals.length)
  const byId = new Map(found.categories.map((category) => [category.id, category]))
  const entries = found.totals.map(({ month, type, categoryId, ...sum }) => ({
    ...{ month, type, total: exactSum(sum) },
    category: byId.get(categoryId),
  }))
  const months = monthsOfReport(query, monthIn(found.user.timezone, owner.now))
  return monthsWith(months, entries, ({ id }) => id)
}
