import { Hono } from 'hono/tiny'
import { pullChanges } from '../feed/feed.ts'
import { presentFeed } from '../feed/present.ts'
import type { App } from '../http/app-types.ts'
import { limitLargeResponse } from '../http/large-responses.ts'
import { bodyWith } from '../http/validate.ts'
import { maxUploadBytes, type ShownUploadAnswer, upload } from './contract.ts'
import { readUpload } from './input.ts'
import { presentUploaded } from './present.ts'
import { uploadOperations } from './upload.ts'

/** The upload of the changes that clients have made to their copies. Without operations, it is a pull. */
export const uploadRoutes = new Hono<App>().post(
  '/',
  bodyWith(upload, maxUploadBytes, readUpload),
  async (c) => {
    const { removalQueue, config } = c.get('deps')
    const draft = c.req.valid('json')
    const { cursor, limit = 0, operations, refused, isDryRun } = draft.values
    const count = (operations?.length ?? 0) + (refused?.length ?? 0)
    const isPull = operations !== undefined && count === 0
    if (isPull || isDryRun) c.get('owner').requireOnly('read')
    if (isPull)
      return limitLargeResponse(c, limit, async () => {
        const page = await pullChanges(c.get('owner'), draft, config.changesEpoch)
        return c.json<ShownUploadAnswer>({ results: [], ...presentFeed(page) })
      })
    c.get('memory').countItems(count)
    return limitLargeResponse(c, count + (cursor ? limit : 0), async () => {
      const done = await uploadOperations(c.get('owner'), draft, { epoch: config.changesEpoch, removalQueue })
      return c.json<ShownUploadAnswer>(presentUploaded(done))
    })
  },
)
