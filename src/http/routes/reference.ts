import { type Context, Hono } from 'hono'
import type { App } from '../app-types.ts'

/** The page runs its own scripts and calls its own service, and nothing else; its renderer writes styles inline. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** What of an asset's own headers is passed on. */
const assetHeaders = ['Content-Type', 'ETag', 'Cache-Control']

/** The contract as a page to try it on, built from the code (dev/reference.ts). */
export const referenceRoutes = new Hono<App>()
  .get('/', (c) => c.redirect('/docs', 302))
  .get('/docs', (c) => asset(c, '/docs/index.html', { 'Content-Security-Policy': pagePolicy }))
  .get('/docs/:file', (c) => asset(c, c.req.path))

/** The contract as a document. */
export const documentRoutes = new Hono<App>().get('/', (c) => asset(c, '/api/openapi.json'))

async function asset(c: Context<App>, path: string, ownHeaders: Record<string, string> = {}) {
  const found = await c.env.ASSETS.fetch(new URL(path, c.req.url), { headers: c.req.header() })
  if (!found.ok && found.status !== 304) return c.notFound()
  const headers = new Headers(ownHeaders)
  for (const name of assetHeaders) headers.set(name, found.headers.get(name) ?? '')
  return new Response(found.body, { status: found.status, headers })
}
