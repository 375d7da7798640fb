import { Hono } from 'hono/tiny'
import { ifNoneMatch } from '../domain/versions.ts'
import type { App } from '../http/app-types.ts'
import { lenientFields } from '../http/validate.ts'

/** The headers of an asset that are passed on. */
const assetHeaders = ['Content-Type', 'ETag', 'Cache-Control']

/** The contract as an OpenAPI document, built from the code (dev/reference.ts). */
export const documentRoutes = new Hono<App>().get('/', lenientFields('header', ifNoneMatch), async (c) => {
  const asset = await c.env.ASSETS.fetch(new URL('/api/openapi.json', c.req.url), { headers: c.req.header() })
  if (!asset.ok && asset.status !== 304) return c.notFound()
  const headers = Object.fromEntries(assetHeaders.map((name) => [name, asset.headers.get(name) ?? '']))
  // Made by Hono, so that it carries the headers set so far, such as the request's id.
  return c.newResponse(asset.body, asset.status as 200 | 304, headers)
})
