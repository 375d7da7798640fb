import type { ServerResponse } from 'node:http'
import { Hanging } from '../web/hanging.ts'
import { sendJson } from '../web/serve.ts'
import { invalid, ResendError } from './resend-error.ts'

type Fault = { status: keyof typeof answers | 'hang'; left: number; keeps: boolean }

const answers = {
  400: new ResendError(400, 'validation_error', 'API key is invalid'),
  429: new ResendError(
    429,
    'rate_limit_exceeded',
    'Too many requests. Please limit the number of requests per second. Or contact support to increase rate limit.',
  ),
  500: new ResendError(500, 'application_error', 'An unexpected error occurred.'),
}

/** The failure that a test has requested, for the next sends or for all until it resets it. */
export class Faults {
  #fault: Fault | undefined
  #hanging = new Hanging()

  /**
   * Sets the fault of `{status?: 400 | 429 | 500, hang?: true, times?: n, keep?: true}`, replacing any earlier one. With
   * `keep`, the emails are accepted before it. Throws a ResendError for anything else.
   */
  set(order: Record<string, unknown>): void {
    const { status = 500, hang = false, times = Number.POSITIVE_INFINITY, keep = false } = order
    if (status !== 400 && status !== 429 && status !== 500)
      throw invalid('The `status` must be 400, 429 or 500.')
    if (typeof times !== 'number' || !(times >= 1)) throw invalid('The `times` must be 1 or more.')
    this.#fault = { status: hang ? 'hang' : status, left: times, keeps: keep === true }
  }

  /** How many requests are hanging, for a test that waits for its own. */
  get hanging(): number {
    return this.#hanging.count
  }

  /** Ends the fault, and the requests that hang. */
  reset(): void {
    this.#fault = undefined
    this.#hanging.release()
  }

  /** Takes the fault that this send should meet, if any. */
  next(): Fault | undefined {
    if (!this.#fault || this.#fault.left < 1) return undefined
    this.#fault.left -= 1
    return this.#fault
  }

  /** Answers a send as the fault says. */
  answer(fault: Fault, response: ServerResponse): void {
    if (fault.status === 429) response.setHeader('retry-after', '1')
    if (fault.status === 'hang') this.#hanging.hold(response)
    else sendJson(response, fault.status, answers[fault.status])
  }
}
