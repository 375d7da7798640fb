import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import { type CalendarDate, daysOnEarth, monthOf } from '../domain/dates.ts'
import { type Draft, withErrors } from '../failures/draft.ts'
import type { App } from '../http/app-types.ts'
import { withETag } from '../http/conditional-get.ts'
import { limitLargeResponse } from '../http/large-responses.ts'
import { queryOfFigures } from '../http/validate.ts'
import { reportBalances } from './balances.ts'
import {
  type BalancesQuery,
  balancesErrors,
  balancesQuery,
  daysOfReport,
  forecastQuery,
  type MonthlyQuery,
  monthlyErrors,
  monthlyQuery,
  monthsOfReport,
} from './contract.ts'
import { maxFigures } from './figures.ts'
import { forecast } from './forecast.ts'
import { reportMonths } from './monthly.ts'
import { presentBalances, presentForecast, presentMonths } from './present.ts'

/** Income, expenses and balances over time. */
export const reportRoutes = new Hono<App>()
  .get('/monthly', queryOfFigures(monthlyQuery), withETag(currentMonths), async (c) => {
    const query = c.req.valid('query')
    const owner = c.get('owner')
    const draft = withErrors(query, monthlyErrors(query.values, monthOf(daysOnEarth(owner.now).to)))
    return limitLargeResponse(c, maxFigures, async () =>
      c.json(presentMonths(await reportMonths(owner, draft))),
    )
  })
  .get('/forecast', queryOfFigures(forecastQuery), async (c) =>
    limitLargeResponse(c, maxFigures, async () =>
      c.json(presentForecast(await forecast(c.get('owner'), c.req.valid('query')))),
    ),
  )
  .get('/balances', queryOfFigures(balancesQuery), withETag(currentDays), async (c) => {
    const query = c.req.valid('query')
    const owner = c.get('owner')
    const draft = withErrors(query, balancesErrors(query.values, daysOnEarth(owner.now).to))
    return limitLargeResponse(c, maxFigures, async () =>
      c.json(presentBalances(await reportBalances(owner, draft))),
    )
  })

/** The months of a report, which its response depends on; undefined while they are not the same everywhere on earth. */
function currentMonths(c: Context<App, string, { out: { query: Draft<MonthlyQuery> } }>): string | undefined {
  return sameOnEarth(c, (today) => monthsOfReport(c.req.valid('query').values, monthOf(today)))
}

/** The days of a report, as above: by default up to today, and so never the same everywhere. */
function currentDays(c: Context<App, string, { out: { query: Draft<BalancesQuery> } }>): string | undefined {
  return sameOnEarth(c, (today) => daysOfReport(c.req.valid('query').values, today))
}

function sameOnEarth(c: Context<App>, variantOf: (today: CalendarDate) => object): string | undefined {
  const { from, to } = daysOnEarth(c.get('owner').now)
  const [first, last] = [JSON.stringify(variantOf(from)), JSON.stringify(variantOf(to))]
  return first === last ? first : undefined
}
