import type { Budgets } from '../src/failures/budgets.ts'

const longMs = 120_000

/** Budgets that do not run out on a busy machine. Those of kept streams and queues, which fail no request, stay. */
const long: Partial<Budgets> = {
  requestMs: 0,
  firstHashWaitMs: longMs,
  furtherHashWaitMs: longMs,
  slotWaitMs: longMs,
  slotLeaseMs: longMs,
  bodyPauseMs: longMs,
  bodyMs: longMs,
  mailMs: longMs,
}

/** The variable BUDGETS of tests: long, apart from those that a test is about. */
export const budgets = (changes: Partial<Budgets> = {}) => ({
  BUDGETS: JSON.stringify({ ...long, ...changes }),
})
