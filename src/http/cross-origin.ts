import type { Context, MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { App } from './app-types.ts'

const exposedHeaders = [
  'Date',
  'Retry-After',
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'Allow',
  'Content-Disposition',
  'Server-Timing',
  'Preference-Applied',
  'ETag',
  'WWW-Authenticate',
]

const preflight = cors({
  origin: allowOrigin,
  allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  exposeHeaders: exposedHeaders,
  maxAge: 7_200,
})

/** CORS for the configured origins. Only preflights use Hono's middleware, which builds other responses three times. */
export const crossOrigin: MiddlewareHandler<App> = async (c, next) => {
  if (c.req.method === 'OPTIONS') return preflight(c, next)
  await next()
  const { headers } = c.res
  const origin = allowOrigin(c.req.header('Origin') ?? '', c)
  if (origin) headers.set('Access-Control-Allow-Origin', origin)
  headers.set('Access-Control-Expose-Headers', exposedHeaders.join())
  headers.append('Vary', 'Origin')
}

/** Returns the origin if the configuration allows it (`http://localhost:*` allows any port). */
function allowOrigin(origin: string, c: Context<App>): string | null {
  const { allowedOrigins } = c.get('deps').config
  const anyPort = origin.replace(/:\d+$/, ':*')
  return allowedOrigins.some((allowed) => allowed === origin || allowed === anyPort) ? origin : null
}
