import * as z from 'zod/mini'

// Other limits: failures/limits.ts.

/** Budgets of time, in milliseconds, as in production. The variable BUDGETS changes them by name (config.ts). */
export const defaultBudgets = {
  /** The time of a request for the database and other services. Beyond it, the response is a 503. 0 sets no limit. */
  requestMs: 8_000,
  /** The longest wait of the first password hash of a client address in the queue; beyond it, a request fails at once. */
  firstHashWaitMs: 4_000,
  /** The same for its further hashes, so that one address cannot fill the queue. */
  furtherHashWaitMs: 2_000,
  /** The longest wait for memory or a slot of the isolate. */
  slotWaitMs: 2_000,
  /** Memory and slots are released this long after they were taken: a cancelled request may never run its `finally`. */
  slotLeaseMs: 20_000,
  /** Receiving a body fails if neither another 1 KB (of a short body, all of it) nor the end arrives within this time. */
  bodyPauseMs: 10_000,
  /** Receiving a body fails if the whole takes longer. */
  bodyMs: 120_000,
  /** How long a client may pause while a refused body is discarded. */
  discardPauseMs: 2_000,
  /** How long a refused body is discarded. */
  discardMs: 30_000,
  /** The longest time that a response waits for a queue. */
  queueWaitMs: 2_000,
  /** The time for a call to the email service. */
  mailMs: 10_000,
  /** A stream is kept if the isolate sent another request within this time, and closed after as long without use. */
  streamIdleMs: 1_000,
  /** A stream that was idle for longer is not used: the server ends it after ten seconds. */
  streamMaxIdleMs: 5_000,
  /** The lease of a stream expires after this time: workerd may cancel a request without running `finally`. */
  streamLeaseMs: 10_000,
  /** No stream is kept for this long after the server reported too many connections. */
  streamPauseMs: 60_000,
  /** The time for a request that closes a stream. */
  streamCloseMs: 5_000,
  /** An offline batch that is pending for longer is queued again: the queue delivers within seconds. */
  batchOverdueMs: 30_000,
}

export type Budgets = typeof defaultBudgets

const maxMs = 86_400_000
const name = z.enum(Object.keys(defaultBudgets) as (keyof Budgets)[])
const changes = z.partialRecord(name, z.int().check(z.nonnegative(), z.maximum(maxMs)))

/** Reads budgets that differ from the defaults, such as `{"requestMs":5000}`; undefined unless all are valid. */
export function parseBudgets(json: string): Budgets | undefined {
  try {
    return { ...defaultBudgets, ...changes.parse(JSON.parse(json)) }
  } catch {
    return undefined
  }
}
