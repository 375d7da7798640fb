import * as z from 'zod/mini'
import { doc, field } from '../domain/doc.ts'
import * as shown from '../domain/shown.ts'
import { accountTypes } from '../domain/types.ts'

// The responses; contract.ts has the requests.

const accountInSummary = shown.object('AccountInSummary', 'An account with its balance.', {
  id: shown.id(),
  name: z.string(),
  type: z.enum(accountTypes),
  starting_balance: shown.amount(),
  balance: shown.total(),
})

const monthlySummary = shown.object('MonthlySummary', 'What came in and went out, and the difference.', {
  income: shown.total(),
  expense: shown.total(),
  net: shown.total(),
})

const categoryTotal = shown.object(
  'CategoryTotal',
  'What was spent in a category. Expenses without one are `Uncategorized`, with the id null.',
  { category_id: z.nullable(shown.id()), category_name: z.string(), total: shown.total() },
)

const dayTotal = shown.object('DayTotal', 'What came in and went out on a day.', {
  date: shown.calendarDate(),
  income: shown.total(),
  expense: shown.total(),
})

export const summary = shown.object(
  'Summary',
  'The dashboard of a month or a range.',
  {
    total_balance: shown.total(),
    accounts: z.array(accountInSummary),
    monthly_summary: monthlySummary,
    category_breakdown: field(z.array(categoryTotal), doc('Expenses by category, the largest first.')),
    daily_breakdown: field(
      z.optional(z.array(dayTotal)),
      doc('Every day of the period, if the request has `daily=true`.'),
    ),
  },
  {
    total_balance: 1237.5,
    accounts: [
      { id: 1, name: 'Checking', type: 'bank' as const, starting_balance: '1250.00', balance: 1237.5 },
    ],
    monthly_summary: { income: 0, expense: 12.5, net: -12.5 },
    category_breakdown: [{ category_id: 1, category_name: 'Groceries', total: 12.5 }],
  },
)
export type ShownSummary = z.output<typeof summary>
