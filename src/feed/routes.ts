import { Hono } from 'hono/tiny'
import type { App } from '../http/app-types.ts'
import { limitLargeResponse } from '../http/large-responses.ts'
import { query } from '../http/validate.ts'
import { defaultFeedSize, feedQuery } from './contract.ts'
import { pullChanges } from './feed.ts'
import { presentFeed } from './present.ts'

/** The feed of changes, for clients that keep a copy of everything. */
export const feedRoutes = new Hono<App>().get('/', query(feedQuery), async (c) => {
  const { changesEpoch } = c.get('deps').config
  const draft = c.req.valid('query')
  return limitLargeResponse(c, draft.values.limit ?? defaultFeedSize, async () =>
    c.json(presentFeed(await pullChanges(c.get('owner'), draft, changesEpoch))),
  )
})
