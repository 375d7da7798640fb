import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { Owner } from '../database/owner.ts'
import { expectedVersions, ifMatch } from '../domain/versions.ts'
import { PreconditionUnsupported } from '../failures/failures.ts'
import type { App } from './app-types.ts'
import { scopeOf } from './authenticate.ts'
import { checkByHandler, toDraft } from './validate.ts'

/** Refuses a precondition of a write that compares no version, rather than ignoring it (RFC 9110, 13.1). */
export const refusePreconditions: MiddlewareHandler<App> = async (c, next) => {
  const owner: Owner | undefined = c.get('owner')
  if (owner && hasPrecondition(c) && !comparesVersions(c)) {
    // The token takes precedence.
    await owner.run()
    throw new PreconditionUnsupported()
  }
  await next()
}

function hasPrecondition({ req }: Context<App>): boolean {
  const headers = { 'If-Match': req.header('If-Match'), 'If-None-Match': req.header('If-None-Match') }
  return expectedVersions(toDraft(ifMatch, headers).values) !== undefined
}

/** True for the routes that validate the headers, and for those that only read. */
function comparesVersions(c: Context<App>): boolean {
  return matchedRoutes(c).some(
    ({ method, path, handler }) =>
      checkByHandler.get(handler)?.schema === ifMatch ||
      (method !== 'ALL' && scopeOf(`${method} ${path}`) === 'read'),
  )
}
