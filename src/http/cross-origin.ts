import type { Context, MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { App } from './app-types.ts'

const exposedHeaders = [
  'Retry-After',
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'Allow',
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

/**
 * Lets browsers pass answers on to pages of the configured origins. Hono answers preflights; all other answers get
 * their headers here, since Hono would build each of them three times.
 */
export const crossOrigin: MiddlewareHandler<App> = async (c, next) => {
  if (c.req.method === 'OPTIONS') return preflight(c, next)
  await next()
  const { headers } = c.res
  const origin = allowOrigin(c.req.header('Origin') ?? '', c)
  if (origin) headers.set('Access-Control-Allow-Origin', origin)
  headers.set('Access-Control-Expose-Headers', exposedHeaders.join())
  headers.append('Vary', 'Origin')
}

/** The origin to allow: the request's own if the configuration lists it (`http://localhost:*` is any port). */
function allowOrigin(origin: string, c: Context<App>): string | null {
  const { allowedOrigins } = c.get('deps').config
  const anyPort = origin.replace(/:\d+$/, ':*')
  return allowedOrigins.some((allowed) => allowed === origin || allowed === anyPort) ? origin : null
}
