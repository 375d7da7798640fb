import type { ServerResponse } from 'node:http'

/** Requests left unanswered on purpose, so that a caller's timeouts can be tested. */
export class Hanging {
  #responses = new Set<ServerResponse>()

  /** Leaves the request unanswered until its caller gives up or `release` is called. */
  hold(response: ServerResponse): void {
    this.#responses.add(response)
    response.once('close', () => this.#responses.delete(response))
  }

  /** How many callers are waiting. */
  get count(): number {
    return this.#responses.size
  }

  /** Breaks every held connection. */
  release(): void {
    for (const response of this.#responses) response.destroy()
  }
}
