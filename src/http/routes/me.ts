import { Hono } from 'hono'
import * as z from 'zod/mini'
import { deleteUser, showUser, updateProfile } from '../../services/profile.ts'
import type { App } from '../app-types.ts'
import { email, nullable, password, text, timeOfDay, timezone } from '../fields.ts'
import { presentUser } from '../present.ts'
import { body } from '../validate.ts'

const profileChanges = z.partial(z.object({ name: text(), timezone, reminder_time: nullable(timeOfDay) }))

const farewell = z.object({ password: z.optional(nullable(password)), email: z.optional(nullable(email)) })

/** The bearer's own profile (api.md §2). */
export const meRoutes = new Hono<App>()
  .get('/', async (c) => c.json(presentUser(await showUser(c.var.owner))))
  .on(['PUT', 'PATCH'], '/', body(profileChanges), async (c) => {
    return c.json(presentUser(await updateProfile(c.var.owner, c.req.valid('json'))))
  })
  .delete('/', body(farewell), async (c) => {
    const { config, outbox } = c.var.deps
    await deleteUser(c.var.owner, c.req.valid('json'), { scryptCost: config.scryptCost, outbox })
    return c.body(null, 204)
  })
