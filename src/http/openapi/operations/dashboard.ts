import { summary } from '../../../contract/summary.ts'
import { json, taggedAnswers } from '../answers.ts'
import type { OperationGroup } from '../operation.ts'

export const dashboardOperations: OperationGroup = {
  tag: 'Dashboard',
  description: 'Balances and one month, or any range, at a glance.',
  operations: {
    'GET /api/summary': {
      id: 'showSummary',
      summary: 'Show the dashboard',
      description:
        "The current month in the user's time zone, another one by `month`, or any range by `from` and `to`; either end of a range may be left open. `monthly_summary` and `category_breakdown` are about that period, balances about all dates. Transfers count nowhere in it.",
      answers: taggedAnswers(json(summary, 'The dashboard.')),
    },
  },
}
