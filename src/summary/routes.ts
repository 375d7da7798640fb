import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import { monthsOnEarth } from '../domain/dates.ts'
import { type Draft, withErrors } from '../failures/draft.ts'
import type { App } from '../http/app-types.ts'
import { withETag } from '../http/conditional-get.ts'
import { queryOfFigures } from '../http/validate.ts'
import { type PeriodQuery, period, periodErrors } from './contract.ts'
import { presentSummary } from './present.ts'
import { summarise } from './summarise.ts'

export const summaryRoutes = new Hono<App>().get(
  '/',
  queryOfFigures(period),
  withETag(currentMonth),
  async (c) => {
    const query = c.req.valid('query')
    const draft = withErrors(query, periodErrors(query.values))
    return c.json(presentSummary(await summarise(c.get('owner'), draft)))
  },
)

/**
 * The part of the ETag that depends on the time: the current month, unless the query names a period. Undefined while the
 * month is not the same everywhere on earth.
 */
function currentMonth(c: Context<App, string, { out: { query: Draft<PeriodQuery> } }>): string | undefined {
  const { month, from, to } = c.req.valid('query').values
  if (month || from || to) return ''
  const [current, other] = monthsOnEarth(c.get('owner').now)
  return other === undefined ? current : undefined
}
