import { Hono } from 'hono'
import { checkDatabase } from '../../services/health.ts'
import type { App } from '../app-types.ts'

/** 200 once the database answers and has its tables; 503 or 500 otherwise, as for any other request. */
export const healthRoutes = new Hono<App>().get('/', async (c) => {
  await checkDatabase(c.var.deps.db)
  return c.json({ status: 'ok', database: 'ok' })
})
