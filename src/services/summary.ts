import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm'
import { demandComplete } from '../db/claims.ts'
import type { Owner } from '../db/owner.ts'
import { accounts, categories, categoryTotals, monthTotals } from '../db/schema.ts'
import { type CalendarMonth, monthIn, monthsOnEarth } from '../domain/dates.ts'
import type { Draft } from '../domain/draft.ts'
import type { Minor } from '../domain/money.ts'
import type { Account } from './accounts.ts'

/** The dashboard of one month (api.md §2). */
export type Summary = {
  totalBalance: Minor
  accounts: Account[]
  income: Minor
  expense: Minor
  breakdown: { name: string | null; total: Minor }[]
}

/** The dashboard of a month, of the current one in the bearer's time zone if none is named. */
export async function summarise(
  owner: Owner,
  draft: Draft<{ month?: CalendarMonth | undefined }>,
): Promise<Summary> {
  const { month } = await demandComplete(owner, draft)
  const { db } = owner
  // The time zone is not known before the answer is there, so every month that it can be now is read.
  const months = month ? [month] : monthsOnEarth(owner.now)
  const [user, accountRows, totals, breakdown] = await owner.run(
    db.select().from(accounts).where(eq(accounts.userId, owner.id)).orderBy(asc(accounts.id)),
    db
      .select()
      .from(monthTotals)
      .where(and(eq(monthTotals.userId, owner.id), inArray(monthTotals.month, months))),
    db
      .select({ month: categoryTotals.month, name: categories.name, total: categoryTotals.total })
      .from(categoryTotals)
      .leftJoin(categories, eq(categories.id, categoryTotals.categoryId))
      .where(
        and(
          eq(categoryTotals.userId, owner.id),
          inArray(categoryTotals.month, months),
          eq(categoryTotals.type, 'expense'),
        ),
      )
      .orderBy(desc(categoryTotals.total), sql`coalesce(${categories.name}, 'Uncategorized')`),
  )
  const chosen = month ?? monthIn(user.timezone, owner.now)
  const total = totals.find((row) => row.month === chosen)
  return {
    totalBalance: user.balance,
    accounts: accountRows,
    income: total?.income ?? (0 as Minor),
    expense: total?.expense ?? (0 as Minor),
    breakdown: breakdown.filter((row) => row.month === chosen),
  }
}
