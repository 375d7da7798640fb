import type { Context } from 'hono'
import { matchedRoutes } from 'hono/route'

/** The route that answers a request, its path as a pattern such as `/api/accounts/:id`; undefined if there is none. */
export function matchedRoute(c: Context): { method: string; path: string } | undefined {
  return matchedRoutes(c).find(({ method }) => method !== 'ALL')
}
