import { Hono } from 'hono/tiny'
import { feedQuery } from '../../contract/changes.ts'
import { maxUploadBytes, type ShownUploadAnswer, upload } from '../../contract/operations.ts'
import { pullChanges } from '../../services/changes/feed.ts'
import { uploadOperations } from '../../services/operations/upload.ts'
import type { App } from '../app-types.ts'
import { withMemoryForItems } from '../json-body.ts'
import { readUpload } from '../operation-input.ts'
import { presentFeed, presentOutcome } from '../present.ts'
import { inUsersTurn, largeAnswersAtOnce } from '../turns.ts'
import { bodyReadBy, query } from '../validate.ts'

/** The feed of changes, for clients that keep a copy of everything, and the upload of the changes they have made. */
export const changeRoutes = new Hono<App>()
  .get('/', query(feedQuery), async (c) => {
    const { changesEpoch } = c.get('deps').config
    const work = async () =>
      c.json(presentFeed(await pullChanges(c.get('owner'), c.req.valid('query'), changesEpoch)))
    return inUsersTurn(c, 'changes', largeAnswersAtOnce, work)
  })
  .post('/', bodyReadBy(upload, maxUploadBytes, readUpload), async (c) => {
    const { removals, config } = c.get('deps')
    const upload = c.req.valid('json')
    const { operations = [], refused = [] } = upload.values
    const work = async () => {
      const done = await uploadOperations(c.get('owner'), upload, { epoch: config.changesEpoch, removals })
      const results = done.outcomes.map(presentOutcome)
      return c.json<ShownUploadAnswer>({ results, ...(done.feed && presentFeed(done.feed)) })
    }
    // Even a single outcome may show an account with all of its notes.
    return withMemoryForItems(c, operations.length + refused.length, () =>
      inUsersTurn(c, 'changes', largeAnswersAtOnce, work),
    )
  })
