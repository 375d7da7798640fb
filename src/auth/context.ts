import type { Context } from 'hono'
import type { App } from '../http/app-types.ts'
import { hashing } from '../http/rate-limits.ts'
import type { SignInContext } from './token.ts'

const userAgentLength = 255

/** What the services need to know about a request that signs somebody in. */
export function signInContext(c: Context<App>): SignInContext {
  const { db, now, random } = c.get('deps')
  const userAgent = c.req.header('User-Agent')?.slice(0, userAgentLength).toWellFormed() || null
  return { db, now, random, hashing: hashing(c), userAgent }
}
