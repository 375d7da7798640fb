import type { Context } from 'hono'
import type { App } from '../http/app-types.ts'

/** The paths that are no page of the app: those of the API and its reference, and files. */
const otherPaths = /^\/(api|docs)(\/|$)|\.\w+$/

/**
 * The page of the app, which is the same at each of its addresses. Undefined for other paths, such as those of missing
 * files, and if the assets have no app.
 */
export async function appPage({ req, env, newResponse }: Context<App>): Promise<Response | undefined> {
  if (!['GET', 'HEAD'].includes(req.method) || otherPaths.test(req.path)) return undefined
  const headers = { 'If-None-Match': req.header('If-None-Match') ?? '' }
  // Without an app, `/` redirects to the reference.
  const page = await env.ASSETS.fetch(new URL('/', req.url), { headers, redirect: 'manual' })
  if (page.status !== 200 && page.status !== 304) return undefined
  return newResponse(page.body, page.status, Object.fromEntries(page.headers))
}
