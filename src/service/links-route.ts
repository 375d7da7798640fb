import { Hono } from 'hono/tiny'
import type { App } from '../http/app-types.ts'

/** Where to read on, for whoever opens the address of the API. */
export const linkRoutes = new Hono<App>().get('/', (c) => {
  const hrefOf = (path: string) => new URL(path, c.req.url).href
  return c.json({
    reference: hrefOf('/docs'),
    document: hrefOf('/api/openapi.json'),
    health: hrefOf('/api/health'),
  })
})
