import type { Context } from 'hono'
import { matchedRoutes } from 'hono/route'

/** The route that matches a request. Its path is a pattern, such as `/api/accounts/:id`. */
export function matchedRoute(c: Context): { method: string; path: string } | undefined {
  return matchedRoutes(c).find(({ method }) => method !== 'ALL')
}
