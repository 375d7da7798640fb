import { Hono } from 'hono/tiny'
import { feedQuery } from '../../contract/changes.ts'
import { pullChanges } from '../../services/changes/feed.ts'
import type { App } from '../app-types.ts'
import { presentFeed } from '../present.ts'
import { query } from '../validate.ts'

/** What has changed, for clients that keep a copy of everything. */
export const changeRoutes = new Hono<App>().get('/', query(feedQuery), async (c) => {
  const { changesEpoch } = c.var.deps.config
  return c.json(presentFeed(await pullChanges(c.var.owner, c.req.valid('query'), changesEpoch)))
})
