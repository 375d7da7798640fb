import type { ServerResponse } from 'node:http'
import { Hanging } from '../web/hanging.ts'
import { sendJson } from '../web/serve.ts'
import { invalid, ResendError } from './resend-error.ts'

type Fault = { status: 500 | 429 | 'hang'; left: number; keeps: boolean }

/** Failures a test asks for: the next sends, or all until the reset, are answered with one. */
export class Faults {
  #fault: Fault | undefined
  #hanging = new Hanging()

  /** Sets the fault of `{status?: 500 | 429, hang?: true, times?: n, keep?: true}`, in place of any before. */
  set(order: Record<string, unknown>): void {
    const { status = 500, hang = false, times = Number.POSITIVE_INFINITY, keep = false } = order
    if (status !== 500 && status !== 429) throw invalid('The `status` must be 500 or 429.')
    if (typeof times !== 'number' || !(times >= 1)) throw invalid('The `times` must be 1 or more.')
    this.#fault = { status: hang ? 'hang' : status, left: times, keeps: keep === true }
  }

  /** How many requests hang now: a test waits for its own to be among them. */
  get hanging(): number {
    return this.#hanging.count
  }

  /** Back to health; requests left hanging break off. */
  reset(): void {
    this.#fault = undefined
    this.#hanging.release()
  }

  /** The fault this send must meet, if any; it is used up by asking. */
  next(): Fault | undefined {
    if (!this.#fault || this.#fault.left < 1) return undefined
    this.#fault.left -= 1
    return this.#fault
  }

  /** Answers a send the way the fault says. */
  answer(fault: Fault, response: ServerResponse): void {
    if (fault.status === 'hang') {
      this.#hanging.hold(response)
    } else if (fault.status === 429) {
      response.setHeader('retry-after', '1')
      sendJson(response, 429, tooMany())
    } else sendJson(response, 500, unexpected())
  }
}

function tooMany(): ResendError {
  return new ResendError(
    429,
    'rate_limit_exceeded',
    'Too many requests. Please limit the number of requests per second. Or contact support to increase rate limit.',
  )
}

function unexpected(): ResendError {
  return new ResendError(500, 'application_error', 'An unexpected error occurred.')
}
