import type { Context } from 'hono'
import { matchedRoutes } from 'hono/route'

/** The route that answers a request, with a pattern such as `/api/accounts/:id` as its path; undefined if none does. */
export function matchedRoute(c: Context): { method: string; path: string } | undefined {
  return matchedRoutes(c).find(({ method }) => method !== 'ALL')
}
