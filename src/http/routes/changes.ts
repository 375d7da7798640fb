import { Hono } from 'hono/tiny'
import { defaultFeedSize, feedQuery } from '../../contract/changes.ts'
import { maxUploadBytes, type ShownUploadAnswer, upload } from '../../contract/operations.ts'
import { pullChanges } from '../../services/changes/feed.ts'
import { uploadOperations } from '../../services/operations/upload.ts'
import type { App } from '../app-types.ts'
import { limitLargeResponse } from '../large-responses.ts'
import { readUpload } from '../operation-input.ts'
import { presentFeed, presentOutcome } from '../present.ts'
import { bodyReadBy, query } from '../validate.ts'

/** The feed of changes, for clients that keep a copy of everything, and the upload of the changes they have made. */
export const changeRoutes = new Hono<App>()
  .get('/', query(feedQuery), async (c) => {
    const { changesEpoch } = c.get('deps').config
    const asked = c.req.valid('query')
    return limitLargeResponse(asked.values.limit ?? defaultFeedSize, async () =>
      c.json(presentFeed(await pullChanges(c.get('owner'), asked, changesEpoch))),
    )
  })
  .post('/', bodyReadBy(upload, maxUploadBytes, readUpload), async (c) => {
    const { removals, config } = c.get('deps')
    const upload = c.req.valid('json')
    const { cursor, operations = [], refused = [] } = upload.values
    const count = operations.length + refused.length
    c.get('memory').countItems(count)
    return limitLargeResponse(count + (cursor ? defaultFeedSize : 0), async () => {
      const done = await uploadOperations(c.get('owner'), upload, { epoch: config.changesEpoch, removals })
      const results = done.outcomes.map(presentOutcome)
      return c.json<ShownUploadAnswer>({ results, ...(done.feed && presentFeed(done.feed)) })
    })
  })
