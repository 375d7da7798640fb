import { ApiError, ConnectionError } from './errors.ts'
import { isPassing } from './retry.ts'

/**
 * Why a run left something undone. Offline: try again when there is a network. Signed out: sign in. Other user: the token
 * is somebody else's. Unverified: the address must be verified first. Busy: try again later, after `retryAfterSeconds` if
 * it is given. Unfinished: something still waits, for the service or for another run; try again later. Refused: a fault,
 * which `error` describes.
 */
export type Stopped = {
  reason: 'offline' | 'signed-out' | 'other-user' | 'unverified' | 'busy' | 'unfinished' | 'refused'
  retryAfterSeconds?: number | undefined
  error?: Error
}

/** What a failure means to the app. Rethrows what neither the service nor the network caused. */
export function stoppedBy(error: unknown): Stopped {
  if (error instanceof ConnectionError) return { reason: 'offline', error }
  if (!(error instanceof ApiError)) throw error
  if (error.status === 401) return { reason: 'signed-out', error }
  if (error.requiresVerifiedEmail) return { reason: 'unverified', error }
  const { retryAfterSeconds } = error
  if (retryAfterSeconds === undefined && !isPassing(error.status)) return { reason: 'refused', error }
  return { reason: 'busy', error, retryAfterSeconds }
}
