import type { EndpointGroup } from '../openapi/endpoint.ts'
import { etagResponses, json } from '../openapi/response-descriptions.ts'
import { summary } from './response-contract.ts'

export const dashboardEndpoints: EndpointGroup = {
  tag: 'Dashboard',
  description: 'Balances, and a month or any other range, at a glance.',
  endpoints: {
    'GET /api/summary': {
      id: 'showSummary',
      summary: 'Show the dashboard',
      description:
        "The current month in the user's time zone, another month with `month`, or any range with `from` and `to`, either of which may be left out. `monthly_summary` and `category_breakdown` cover that period, without transfers; balances cover all dates. `daily=true` adds the income and expenses of each day.",
      responses: etagResponses(json(summary, 'The dashboard.')),
      invalid: { errors: { month: ['The month field must match the format YYYY-MM.'] } },
    },
  },
}
