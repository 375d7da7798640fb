import { summary } from '../../../contract/summary.ts'
import { json, taggedAnswers } from '../answers.ts'
import type { OperationGroup } from '../operation.ts'

export const dashboardOperations: OperationGroup = {
  tag: 'Dashboard',
  description: 'Balances, and a month or any other range, at a glance.',
  operations: {
    'GET /api/summary': {
      id: 'showSummary',
      summary: 'Show the dashboard',
      description:
        "The current month in the user's time zone, another month with `month`, or any range with `from` and `to`, either of which may be left out. `monthly_summary` and `category_breakdown` cover that period, balances all dates. Transfers are left out.",
      answers: taggedAnswers(json(summary, 'The dashboard.')),
    },
  },
}
