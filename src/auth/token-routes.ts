import { Hono } from 'hono/tiny'
import type { App } from '../http/app-types.ts'
import { pathId } from '../http/path-id.ts'
import { countedClient } from '../http/rate-limits.ts'
import { body } from '../http/validate.ts'
import { newToken, type ShownNamedToken } from './contract.ts'
import { makeNamedToken } from './named-tokens.ts'
import { presentSession } from './present.ts'
import { listSessions, revokeSession } from './sessions.ts'

/** Makes named tokens, lists and ends them and the user's sessions. */
export const tokenRoutes = new Hono<App>()
  .get('/', async (c) => {
    const owner = c.get('owner')
    return c.json((await listSessions(owner)).map((session) => presentSession(session, owner.tokenId)))
  })
  .post('/', body(newToken), async (c) => {
    const owner = c.get('owner')
    const { random, mailQueue } = c.get('deps')
    const context = { random, mailQueue, client: countedClient(c) }
    const { token, session } = await makeNamedToken(owner, c.req.valid('json'), context)
    return c.json<ShownNamedToken, 201>({ ...presentSession(session), access_token: token }, 201)
  })
  .delete('/:id', async (c) => {
    await revokeSession(c.get('owner'), pathId(c))
    return c.body(null, 204)
  })
