import { createClient } from '@libsql/client/http'
import { Hono } from 'hono'

type Bindings = { TURSO_DATABASE_URL: string }

const one = { requests: [{ type: 'execute', stmt: { sql: 'select 1 as one' } }, { type: 'close' }] }

const routes = new Hono<{ Bindings: Bindings }>()
  .get('/bare', (c) => c.json({ message: 'Nothing.' }))
  .get('/fetch', async (c) => {
    const url = new URL('v2/pipeline', c.env.TURSO_DATABASE_URL)
    return c.json(await (await fetch(url, { method: 'POST', body: JSON.stringify(one) })).json())
  })
  .get('/select-1', async (c) => {
    const client = createClient({ url: c.env.TURSO_DATABASE_URL })
    const { rows } = await client.execute('select 1 as one')
    return c.json(rows[0])
  })

/** The yardsticks, in the same runtime: a route that does nothing, and two trivial queries. */
export default { fetch: routes.fetch }
