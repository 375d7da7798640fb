import type { Context } from 'hono'
import type { App } from './app-types.ts'
import { Limiter } from './limiter.ts'

// Other limits: failures/limits.ts.

/** A response with more rows may have megabytes and take 100 ms of CPU time. */
const largeRows = 100
const limiter = new Limiter(8)

/** Builds a response of up to `rows` rows: at most eight large ones at a time. Throws TooBusy. */
export function limitLargeResponse<T>(c: Context<App>, rows: number, respond: () => Promise<T>): Promise<T> {
  return rows > largeRows ? limiter.run(c.get('deps').config.budgets, respond) : respond()
}
