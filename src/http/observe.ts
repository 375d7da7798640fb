import type { Context, MiddlewareHandler } from 'hono'
import { Meter, type Metrics } from '../domain/meter.ts'
import { reportOf } from '../failures/error-report.ts'
import type { App } from './app-types.ts'
import { matchedRoute } from './matched-route.ts'

/**
 * Logs one line for each request and sets `Server-Timing`. The line has the pattern of the route, never the path or query,
 * which contain ids, addresses and the secrets of links. Work after the response is not measured.
 */
export const observe: MiddlewareHandler<App> = async (c, next) => {
  const meter = new Meter()
  c.set('meter', meter)
  await next()
  const figures = meter.read()
  // `c.header` would copy the response for each header.
  const { headers, status } = c.res
  headers.set('Server-Timing', serverTiming(figures))
  const origin = headers.get('Access-Control-Allow-Origin')
  if (origin) headers.set('Timing-Allow-Origin', origin)
  const line = {
    event: 'request',
    requestId: c.get('requestId'),
    method: c.req.method,
    route: matchedRoute(c)?.path ?? null,
    status,
    ...figures,
  }
  console.log(JSON.stringify(line))
}

function serverTiming({ durationMs, databaseMs, roundTrips }: Metrics): string {
  const trips = `${roundTrips} round trip${roundTrips === 1 ? '' : 's'}`
  return `db;dur=${databaseMs};desc="${trips}", total;dur=${durationMs}`
}

/** Logs a failure under the id of the request. */
export function logFailure(error: Error, c: Context<App>) {
  console.error(JSON.stringify({ event: 'failure', requestId: c.get('requestId'), ...reportOf(error) }))
}
