import { Hono } from 'hono/tiny'
import type { App } from '../http/app-types.ts'
import { limitLargeResponse } from '../http/large-responses.ts'
import { body, query } from '../http/validate.ts'
import { presentTransaction } from '../transactions/present.ts'
import { matchQuery, mostMatches, pair, type ShownSeparated, separation } from './contract.ts'
import { joinMatch } from './join.ts'
import { listMatches } from './list.ts'
import { presentMatches } from './present.ts'
import { rejectMatch, takeRejectionBack } from './reject.ts'
import { separateMatch } from './separate.ts'

/** Possible duplicates and transfers, and what users do about them. */
export const matchRoutes = new Hono<App>()
  .get('/', query(matchQuery), async (c) => {
    return limitLargeResponse(mostMatches * 2, async () =>
      c.json(presentMatches(await listMatches(c.get('owner'), c.req.valid('query')))),
    )
  })
  .post('/join', body(pair), async (c) =>
    c.json(presentTransaction(await joinMatch(c.get('owner'), c.req.valid('json')))),
  )
  .post('/separate', body(separation), async (c) => {
    const both = await separateMatch(c.get('owner'), c.req.valid('json'))
    return c.json<ShownSeparated>({ transactions: both.map(presentTransaction) })
  })
  .post('/reject', body(pair), async (c) => {
    await rejectMatch(c.get('owner'), c.req.valid('json'))
    return c.body(null, 204)
  })
  .delete('/reject', body(pair), async (c) => {
    await takeRejectionBack(c.get('owner'), c.req.valid('json'))
    return c.body(null, 204)
  })
