import { json, type OperationGroup } from '../operation.ts'
import { summary } from '../schemas/ledger.ts'

/** The dashboard (api.md §4.5). */
export const dashboardOperations: OperationGroup = {
  tag: 'Dashboard',
  description: 'Balances and one month at a glance.',
  operations: {
    'GET /api/summary': {
      id: 'showSummary',
      summary: 'Show the dashboard',
      description:
        "The current month in the user's time zone, or another one by `month`. Transfers count nowhere in it.",
      answers: { 200: json(summary, 'The dashboard.') },
    },
  },
}
