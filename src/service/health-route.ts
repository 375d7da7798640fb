import { eq } from 'drizzle-orm'
import { Hono } from 'hono/tiny'
import { runOne } from '../database/run.ts'
import { users } from '../database/schema.ts'
import type { App } from '../http/app-types.ts'

/** 200 if the database responds, 503 if it does not, 500 if it has no tables, since it has not been migrated. */
export const healthRoutes = new Hono<App>().get('/', async (c) => {
  const { db } = c.get('deps')
  await runOne(db, db.select({ id: users.id }).from(users).where(eq(users.id, 0)))
  return c.json({ status: 'ok', database: 'ok' })
})
