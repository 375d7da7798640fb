import { ApiError, ConnectionError } from './errors.ts'
import { isPassing } from './retry.ts'

/**
 * Why a sync ended early. `offline`: no response from the service; retry when there is a network. `signed-out`: sign in.
 * `other-user`: the token belongs to another user. `busy`: retry later, after `retryAfterSeconds` if it is given.
 * `refused`: a fault, which `error` describes.
 */
export type Stopped = {
  reason: 'offline' | 'signed-out' | 'other-user' | 'busy' | 'refused'
  retryAfterSeconds?: number | undefined
  error?: Error
}

/** Maps an error of a call to why the sync ended. Rethrows any error that neither the service nor the network caused. */
export function stoppedBy(error: unknown): Stopped {
  if (error instanceof ConnectionError) return { reason: 'offline', error }
  if (!(error instanceof ApiError)) throw error
  if (error.status === 401) return { reason: 'signed-out', error }
  const { retryAfterSeconds } = error
  if (retryAfterSeconds === undefined && !isPassing(error.status)) return { reason: 'refused', error }
  return { reason: 'busy', error, retryAfterSeconds }
}
