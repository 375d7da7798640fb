import * as z from 'zod/mini'
import { doc, field } from '../domain/doc.ts'
import * as shown from '../domain/shown.ts'
import { categoryTypes } from '../domain/types.ts'
import { upcoming } from '../recurring/response-contract.ts'

// The responses; contract.ts has the requests.

const monthOfReport = shown.object('MonthOfReport', 'A month, even one without transactions.', {
  month: field(z.string(), doc({ examples: ['2026-11'] })),
  income: shown.total(),
  expense: shown.total(),
  net: shown.total(),
  returned: field(
    shown.total(),
    doc('The part of the income that is under categories of expenses, such as refunds.'),
  ),
  categories: field(
    z.array(
      shown.object(
        'CategoryOfMonth',
        'Income or expenses of a category. Those without one are `Uncategorized`, with the id null.',
        {
          category_id: z.nullable(shown.id()),
          category_name: z.string(),
          type: z.enum(categoryTypes),
          total: shown.total(),
        },
      ),
    ),
    doc('The largest total first. `type` is that of the transactions.'),
  ),
  spending: field(
    z.array(
      shown.object('SpendingOfMonth', 'What was spent under a category, and what came back under it.', {
        category_id: z.nullable(shown.id()),
        category_name: z.string(),
        spent: shown.total(),
        returned: shown.total(),
        net: shown.total(),
      }),
    ),
    doc(
      'The largest net first. `spent` is the expenses under a category; `returned` is the income under it, if it is a category of expenses; `net` is what remains.',
    ),
  ),
})

export const monthlyReport = shown.object(
  'MonthlyReport',
  'Income and expenses of months.',
  { months: z.array(monthOfReport) },
  {
    months: [
      { month: '2026-10', income: 0, expense: 0, net: 0, returned: 0, categories: [], spending: [] },
      {
        month: '2026-11',
        income: 2500,
        expense: 12.5,
        net: 2487.5,
        returned: 0,
        categories: [
          { category_id: 2, category_name: 'Salary', type: 'income' as const, total: 2500 },
          { category_id: 1, category_name: 'Groceries', type: 'expense' as const, total: 12.5 },
        ],
        spending: [{ category_id: 1, category_name: 'Groceries', spent: 12.5, returned: 0, net: 12.5 }],
      },
    ],
  },
)
export type ShownMonthlyReport = z.output<typeof monthlyReport>

const balancesOfDay = shown.object('BalancesOfDay', 'The balances at the end of a day.', {
  date: shown.calendarDate(),
  total: shown.total(),
  accounts: z.array(
    shown.object('BalanceOfDay', 'The balance of an account.', {
      account_id: shown.id(),
      balance: shown.total(),
    }),
  ),
})

export const balancesReport = shown.object(
  'BalancesReport',
  'Balances over time.',
  {
    points: z.array(balancesOfDay),
  },
  {
    points: [
      { date: '2026-11-19', total: 1250, accounts: [{ account_id: 1, balance: 1250 }] },
      { date: '2026-11-20', total: 1237.5, accounts: [{ account_id: 1, balance: 1237.5 }] },
    ],
  },
)
export type ShownBalancesReport = z.output<typeof balancesReport>

const lowestPoint = shown.object(
  'LowestPoint',
  'The lowest balance of an account, and the first day that ends with it.',
  {
    account_id: shown.id(),
    date: shown.calendarDate(),
    balance: shown.total(),
  },
)

export const forecastReport = shown.object(
  'Forecast',
  'Balances of the days to come.',
  {
    from: field(shown.calendarDate(), doc("Today in the user's time zone.")),
    points: field(z.array(balancesOfDay), doc('The first is today.')),
    lowest: field(z.array(lowestPoint), doc('By day, however far apart the points are.')),
    due: field(upcoming.shape.occurrences, doc('What is due; it counts tomorrow.')),
    expected: field(shown.count(), doc('How many open occurrences are counted.')),
    recorded_ahead: field(shown.count(), doc('How many occurrences are recorded already.')),
  },
  {
    from: '2026-11-27',
    points: [
      { date: '2026-11-27', total: 1210.5, accounts: [{ account_id: 1, balance: 1210.5 }] },
      { date: '2026-11-30', total: 260.5, accounts: [{ account_id: 1, balance: 260.5 }] },
    ],
    lowest: [{ account_id: 1, date: '2026-11-30', balance: 260.5 }],
    due: [],
    expected: 1,
    recorded_ahead: 0,
  },
)
export type ShownForecast = z.output<typeof forecastReport>
