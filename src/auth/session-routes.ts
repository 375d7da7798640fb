import { Hono } from 'hono/tiny'
import type { App } from '../http/app-types.ts'
import { pathId } from '../http/path-id.ts'
import { presentSession } from './present.ts'
import { listSessions, revokeSession } from './sessions.ts'

/** Lists and ends the user's sessions. */
export const tokenRoutes = new Hono<App>()
  .get('/', async (c) => {
    const owner = c.get('owner')
    return c.json((await listSessions(owner)).map((session) => presentSession(session, owner.tokenId)))
  })
  .delete('/:id', async (c) => {
    await revokeSession(c.get('owner'), pathId(c))
    return c.body(null, 204)
  })
