import type { Dice } from '../../dice.ts'
import type { ApiResponse, CallOptions } from '../fixtures/responses.ts'

/** What was done, over all histories. */
export class Tally {
  /** Rows that were written or should have been, and pages that were pulled. */
  operations = 0
  readonly counts = new Map<string, number>()

  count(what: string, times = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + times)
  }
}

/** The response of the service to a request, whether or not its sender learns of it. */
export type Outcome = Pick<ApiResponse, 'status' | 'body'>
export type Request = { method: string; path: string; options: CallOptions }

/** The network between devices and a service, where requests and responses get lost. */
export abstract class Network {
  readonly tally: Tally
  readonly told: string[] = []
  #stamps = 0

  constructor(tally: Tally) {
    this.tally = tally
  }

  /** Sends a request reliably. */
  abstract call(method: string, path: string, options?: CallOptions): Promise<ApiResponse>

  /**
   * Sends a request and returns what its sender gets: undefined if the request or the response was lost. `executed` gets
   * the response in any case, unless the request was never sent, and a 503 if what happened is unknown.
   */
  abstract send(
    name: string,
    dice: Dice,
    request: Request,
    executed: (outcome: Outcome) => void,
  ): Promise<ApiResponse | undefined>

  /** A text that occurs nowhere else in the history. */
  newText(): string {
    this.#stamps += 1
    return `s${this.#stamps}`
  }

  /** An amount that occurs nowhere else in the history. */
  newAmount(): string {
    this.#stamps += 1
    return (this.#stamps / 100).toFixed(2)
  }

  /** A different value for one that has to be unique. */
  anew(field: string, value: unknown): unknown {
    if (field === 'amount' || field === 'starting_balance') return this.newAmount()
    return typeof value === 'string' && /^s\d+$/.test(value) ? this.newText() : value
  }
}

/** How many rows a request is about, or the one page that it requests. */
export function rowsIn(body: unknown): number {
  const { ops, transactions } = (body ?? {}) as { ops?: unknown[]; transactions?: unknown[] }
  return (ops ?? transactions)?.length ?? 1
}
