import { Hono } from 'hono'
import * as z from 'zod/mini'
import { summarise } from '../../services/summary.ts'
import type { App } from '../app-types.ts'
import { month } from '../fields.ts'
import { presentSummary } from '../present.ts'
import { query } from '../validate.ts'

const chosenMonth = z.object({ month: z.optional(month) })

/** The dashboard (api.md §4.5). */
export const summaryRoutes = new Hono<App>().get('/', query(chosenMonth), async (c) => {
  return c.json(presentSummary(await summarise(c.var.owner, c.req.valid('query'))))
})
