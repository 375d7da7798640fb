import type { Context } from 'hono'
import { Hono } from 'hono/tiny'
import { maxRules } from '../database/quotas.ts'
import { type CalendarDate, isCalendarDate } from '../domain/dates.ts'
import { overrideQuery } from '../domain/reconciled.ts'
import { expectedVersions, ifMatch } from '../domain/versions.ts'
import { withErrors } from '../failures/draft.ts'
import type { App } from '../http/app-types.ts'
import { limitLargeResponse } from '../http/large-responses.ts'
import { pathId } from '../http/path-id.ts'
import { body, header, query } from '../http/validate.ts'
import { presentTransaction } from '../transactions/present.ts'
import {
  type Dismissal,
  dismissal,
  maxSuggestions,
  maxUpcoming,
  newRecurringKey,
  occurrenceChanges,
  recurringRequest,
  recurringUpdate,
  upcomingQuery,
} from './contract.ts'
import { createRule } from './create.ts'
import { deleteRule } from './delete.ts'
import { changeOccurrence } from './except.ts'
import {
  presentCreatedRule,
  presentDivided,
  presentRule,
  presentSuggestions,
  presentUpcoming,
} from './present.ts'
import { listRules, showRule } from './read.ts'
import { recordOccurrence } from './record.ts'
import { dismissSuggestion, listSuggestions } from './suggestions.ts'
import { listUpcoming } from './upcoming.ts'
import { updateRule } from './update.ts'

/** Transactions that repeat, and their occurrences. */
export const recurringRoutes = new Hono<App>()
  .get('/', (c) =>
    limitLargeResponse(c, maxRules, async () => c.json((await listRules(c.get('owner'))).map(presentRule))),
  )
  .post('/', header(newRecurringKey), body(recurringRequest), async (c) => {
    const { values, errors } = c.req.valid('header')
    const draft = withErrors(c.req.valid('json'), errors)
    const { rule, isNew } = await createRule(c.get('owner'), draft, values['Idempotency-Key'])
    return c.json(presentCreatedRule(rule), isNew ? 201 : 200)
  })
  .get('/upcoming', query(upcomingQuery), async (c) =>
    limitLargeResponse(c, maxUpcoming, async () =>
      c.json(presentUpcoming(await listUpcoming(c.get('owner'), c.req.valid('query')))),
    ),
  )
  .get('/suggestions', async (c) =>
    limitLargeResponse(c, maxSuggestions, async () =>
      c.json(presentSuggestions(await listSuggestions(c.get('owner')))),
    ),
  )
  .post('/suggestions/dismiss', body(dismissal), async (c) => {
    const key = await dismissSuggestion(c.get('owner'), c.req.valid('json'))
    return c.json<Dismissal>({ key })
  })
  .get('/:id', async (c) => c.json(presentRule(await showRule(c.get('owner'), pathId(c)))))
  .on(['PUT', 'PATCH'], '/:id', header(ifMatch), body(recurringUpdate), async (c) => {
    const expected = expectedVersions(c.req.valid('header').values)
    const changed = await updateRule(c.get('owner'), pathId(c), c.req.valid('json'), expected)
    return c.json('ended' in changed ? presentDivided(changed) : presentRule(changed))
  })
  .delete('/:id', header(ifMatch), async (c) => {
    const expected = expectedVersions(c.req.valid('header').values)
    await deleteRule(c.get('owner'), pathId(c), expected)
    return c.body(null, 204)
  })
  .on(['PUT', 'PATCH'], '/:id/occurrences/:date', header(ifMatch), body(occurrenceChanges), async (c) => {
    const target = {
      id: pathId(c),
      date: pathDate(c),
      expected: expectedVersions(c.req.valid('header').values),
    }
    return c.json(presentRule(await changeOccurrence(c.get('owner'), target, c.req.valid('json'))))
  })
  .post('/:id/occurrences/:date/record', query(overrideQuery), async (c) => {
    const draft = c.req.valid('query')
    const { transaction, isNew } = await recordOccurrence(c.get('owner'), pathId(c), pathDate(c), draft)
    return c.json(presentTransaction(transaction), isNew ? 201 : 200)
  })

/** The date in the path; one that no rule has, if it is no date. */
function pathDate(c: Context): CalendarDate {
  const text = c.req.param('date') ?? ''
  return isCalendarDate(text) ? text : '0001-01-01'
}
