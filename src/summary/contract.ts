import * as z from 'zod/mini'
import { doc, field } from '../shared/doc.ts'
import type { FieldErrors } from '../shared/failures.ts'
import { addError, requireOrder } from '../shared/field-errors.ts'
import { date, month } from '../shared/fields.ts'
import * as shown from '../shared/shown.ts'
import { accountTypes } from '../shared/types.ts'

/** The period of a dashboard: one month, or a range of days that may be open at either end. */
export const period = z.partial(
  z.object({
    month: field(month, doc('A month, by default the current one; not together with `from` or `to`.')),
    from: field(date, doc('The first day.')),
    to: field(date, doc('The last day.')),
  }),
)
export type PeriodQuery = z.output<typeof period>

/** The errors of a range that ends before it begins, and of a month beside a range: one of the two would be ignored. */
export function periodErrors({ month, from, to }: PeriodQuery): FieldErrors {
  const errors: FieldErrors = {}
  if (month && (from || to))
    addError(errors, 'month', 'The :field field must not be given together with from or to.')
  requireOrder(errors, { from, to })
  return errors
}

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

export const summary = shown.object(
  'Summary',
  'The dashboard of a month or a range.',
  {
    total_balance: shown.total(),
    accounts: z.array(accountInSummary),
    monthly_summary: monthlySummary,
    category_breakdown: field(z.array(categoryTotal), doc('Expenses by category, the largest first.')),
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
