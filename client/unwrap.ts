import type { ClientResponse } from 'hono/client'
import type { ResponseFormat } from 'hono/types'
import type { SuccessStatusCode } from 'hono/utils/http-status'
import { ApiError, readJson, requireFromService } from './errors.ts'

/** The body of a successful response. */
type Unwrapped<R> =
  R extends ClientResponse<infer Body, infer Status, ResponseFormat>
    ? Status extends SuccessStatusCode
      ? Status extends 204
        ? undefined
        : Body
      : never
    : never

/**
 * Returns the body of a response. Throws ApiError if the service refuses, and ConnectionError if it could not be reached:
 * a success without JSON comes from something else, such as a network that wants its users to sign in.
 */
export async function unwrap<R extends ClientResponse<unknown, number, ResponseFormat>>(
  from: R | Promise<R>,
): Promise<Unwrapped<R>> {
  const response = await from
  const body = readJson(await response.text())
  if (!response.ok) throw new ApiError(response, body)
  requireFromService(body !== undefined || response.status === 204)
  return body as Unwrapped<R>
}
