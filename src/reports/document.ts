import type { EndpointGroup } from '../openapi/endpoint.ts'
import { etagResponses, json } from '../openapi/response-descriptions.ts'
import { balancesReport, forecastReport, monthlyReport } from './response-contract.ts'

export const reportEndpoints: EndpointGroup = {
  tag: 'Reports',
  description: 'Months and balances over time.',
  endpoints: {
    'GET /api/reports/monthly': {
      id: 'reportMonths',
      summary: 'Report income and expenses by month',
      description:
        "Every month of the range, with its income and expenses by category, without transfers; by default the last twelve in the user's time zone.",
      responses: etagResponses(json(monthlyReport, 'The months, the earliest first.')),
      invalid: { errors: { from: ['The from field must match the format YYYY-MM.'] } },
    },
    'GET /api/reports/forecast': {
      id: 'forecast',
      summary: 'Forecast balances',
      description:
        'The balances from today on: with transactions of the future, and with open occurrences of recurring transactions at their amounts. What is due counts tomorrow; paused rules do not count, and neither does other spending.',
      responses: { 200: json(forecastReport, 'The forecast.') },
      invalid: { errors: { to: ['The to field must not be before today.'] } },
    },
    'GET /api/reports/balances': {
      id: 'reportBalances',
      summary: 'Report balances over time',
      description:
        "The balance of each account at the end of days, weeks or months, by default of the last thirty days in the user's time zone. A starting balance counts from the beginning, a transaction from its date on, even in the future.",
      responses: etagResponses(json(balancesReport, 'The points, the earliest first.')),
      invalid: { errors: { every: ['The selected every is invalid.'] } },
    },
  },
}
