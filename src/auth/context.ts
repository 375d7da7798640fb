import type { Context } from 'hono'
import type { App } from '../http/app-types.ts'
import { hashing } from '../http/rate-limits.ts'
import type { SignInContext } from './token.ts'

const userAgentLength = 255

/** The context of a request that signs in a user. */
export function signInContext(c: Context<App>): SignInContext {
  const { db, now, random } = c.get('deps')
  const userAgent = c.req.header('User-Agent')?.slice(0, userAgentLength).toWellFormed() || null
  return { db, now, random, hashing: hashing(c), userAgent }
}
