import type { Context } from 'hono'
import type { App } from './app-types.ts'

/** The origin to allow: the request's own if the configuration lists it (`http://localhost:*` is any port). */
export function allowOrigin(origin: string, c: Context<App>): string | null {
  const { allowedOrigins } = c.var.deps.config
  const anyPort = origin.replace(/:\d+$/, ':*')
  return allowedOrigins.some((allowed) => allowed === origin || allowed === anyPort) ? origin : null
}
