import { Hono } from 'hono/tiny'
import type { App } from '../http/app-types.ts'
import { limitLargeResponse } from '../http/large-responses.ts'
import { bodyWith, query } from '../http/validate.ts'
import { defaultFeedSize, feedQuery } from './contract.ts'
import { maxUploadBytes, type ShownUploadAnswer, upload } from './operations-contract.ts'
import { presentFeed, presentOutcome } from './present.ts'
import { pullChanges } from './pull/feed.ts'
import { readUpload } from './push/input.ts'
import { uploadOperations } from './push/upload.ts'

/** The feed of changes, for clients that keep a copy of everything, and the upload of the changes they have made. */
export const changeRoutes = new Hono<App>()
  .get('/', query(feedQuery), async (c) => {
    const { changesEpoch } = c.get('deps').config
    const draft = c.req.valid('query')
    return limitLargeResponse(c, draft.values.limit ?? defaultFeedSize, async () =>
      c.json(presentFeed(await pullChanges(c.get('owner'), draft, changesEpoch))),
    )
  })
  .post('/', bodyWith(upload, maxUploadBytes, readUpload), async (c) => {
    const { removalQueue, config } = c.get('deps')
    const upload = c.req.valid('json')
    const { cursor, limit = 0, operations, refused } = upload.values
    const count = (operations?.length ?? 0) + (refused?.length ?? 0)
    const isPull = operations !== undefined && count === 0
    if (isPull) {
      c.get('owner').requireOnly('read')
      return limitLargeResponse(c, limit, async () => {
        const page = await pullChanges(c.get('owner'), upload, config.changesEpoch)
        return c.json<ShownUploadAnswer>({ results: [], ...presentFeed(page) })
      })
    }
    c.get('memory').countItems(count)
    return limitLargeResponse(c, count + (cursor ? limit : 0), async () => {
      const done = await uploadOperations(c.get('owner'), upload, {
        epoch: config.changesEpoch,
        removalQueue,
      })
      const results = done.outcomes.map(presentOutcome)
      return c.json<ShownUploadAnswer>({ results, ...(done.feed && presentFeed(done.feed)) })
    })
  })
