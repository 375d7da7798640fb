import type { PurseClient } from './create.ts'
import { requireFromService } from './errors.ts'
import type { Stopped } from './stopped.ts'
import { unwrap } from './unwrap.ts'

export type BearerHeader = { Authorization: string }
/** Returns the header of a ledger's owner, or why there is none. */
export type GetBearer = () => Promise<{ headers: BearerHeader } | { stopped: Stopped }>

/**
 * Returns a function that finds the header under which a user's data may be sent: the client's current token, if it is
 * theirs. It reads the token's user from the service, and caches a token that is theirs. It throws ApiError, ConnectionError.
 */
export function bearerOf(client: Pick<PurseClient, 'api' | 'tokens'>, userId: number): GetBearer {
  let own: string | undefined
  return async () => {
    const token = await client.tokens.get()
    if (token === null) return { stopped: { reason: 'signed-out' } }
    const headers = { Authorization: `Bearer ${token}` }
    if (token !== own) {
      const me = await unwrap(client.api.me.$get({}, { headers }))
      requireFromService(typeof me?.id === 'number')
      if (me.id !== userId) return { stopped: { reason: 'other-user' } }
      own = token
    }
    return { headers }
  }
}
