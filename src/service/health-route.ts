import { Hono } from 'hono/tiny'
import type { App } from '../http/app-types.ts'
import { checkDatabase } from './health.ts'

/** 200 if the database responds, 503 if it does not, 500 if it has not been migrated. */
export const healthRoutes = new Hono<App>().get('/', async (c) => {
  await checkDatabase(c.get('deps').db)
  return c.json({ status: 'ok', database: 'ok' })
})
