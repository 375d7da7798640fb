import { createClient } from '@libsql/client/http'
import { Hono } from 'hono'

type Bindings = { TURSO_DATABASE_URL: string }

/** The yardstick, in the same runtime: a route that does nothing, and one that asks the database for nothing. */
export default new Hono<{ Bindings: Bindings }>()
  .get('/bare', (c) => c.json({ message: 'Nothing.' }))
  .get('/select-1', async (c) => {
    const client = createClient({ url: c.env.TURSO_DATABASE_URL })
    const { rows } = await client.execute('select 1 as one')
    return c.json(rows[0])
  })
