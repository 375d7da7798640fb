import type { Context, MiddlewareHandler } from 'hono'
import type { Owner } from '../database/owner.ts'
import { isBlank } from '../domain/texts.ts'
import { Invalid } from '../failures/failures.ts'
import type { App } from './app-types.ts'
import { scopeOf } from './authenticate.ts'
import { matchedRoute } from './matched-route.ts'

/** The routes that can validate without storing anything, by where they are told so. */
const imports = ['POST /api/import/store', 'POST /api/import/bank/store']
const dryRunRoutes = { query: imports, body: [...imports, 'POST /api/changes'] }

/** Refuses a write with `?dry_run=true` where it would be stored all the same. Bodies are checked as they are parsed. */
export const refuseDryRun: MiddlewareHandler<App> = async (c, next) => {
  await requireNoDryRun(c, 'query', ...(c.req.queries('dry_run') ?? []))
  await next()
}

/** Throws Invalid if `dry_run` has a value other than `false`, unless the route has dry runs or only reads. */
export async function requireNoDryRun(
  c: Context<App>,
  where: keyof typeof dryRunRoutes,
  ...values: unknown[]
): Promise<void> {
  if (values.every(isOff)) return
  const matched = matchedRoute(c)
  const route = matched && `${matched.method} ${matched.path}`
  if (!route || dryRunRoutes[where].includes(route) || scopeOf(route) === 'read') return
  // The token takes precedence.
  const owner: Owner | undefined = c.get('owner')
  await owner?.run()
  throw new Invalid({ dry_run: ['The dry run field must be empty: only imports have dry runs.'] })
}

const isOff = (value: unknown) => value == null || isBlank(String(value)) || /^(false|0)$/.test(String(value))
