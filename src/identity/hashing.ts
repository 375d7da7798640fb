import type { Budgets } from '../failures/budgets.ts'
import { TooBusy } from '../failures/failures.ts'
import { hashPassword, type ScryptCost, verifyPassword } from './passwords.ts'

/** A hash blocks its isolate, so queued hashes get a third of its time. */
const share = 1 / 3
/** Time per unit of cost (N·r·p): the minimum on an idle core, the maximum on a busy one. */
const msPerUnit = { min: 0.0002, max: 0.001 }

/** The end of the queue. It consists of time, not of slots, which a cancelled request would never release. */
let reservedUntil = 0
let lastMsPerUnit = msPerUnit.min
/** The end of the last hash in the queue of each client address. */
const lastEnds = new Map<string, number>()

/** The cost of a hash, the client address that requests it, and how long it may wait. */
export type Hashing = { cost: ScryptCost; client: string; budgets: Budgets }

/** Hashes a password in the queue. Throws TooBusy at once if the wait would be too long. */
export function hashQueued(password: string, hashing: Hashing): Promise<string> {
  return inReservedTime(hashing, () => hashPassword(password, hashing.cost))
}

/** Verifies a password in the queue, even without a stored hash. Throws TooBusy like `hashQueued`. */
export function verifyQueued(password: string, stored: string | null, hashing: Hashing): Promise<boolean> {
  return inReservedTime(hashing, () => verifyPassword(password, stored, hashing.cost))
}

async function inReservedTime<T>({ cost, client, budgets }: Hashing, hash: () => T): Promise<T> {
  const units = cost.N * cost.r * cost.p
  const now = performance.now()
  const startsAt = Math.max(now, reservedUntil)
  for (const [other, endsAt] of lastEnds) if (endsAt <= now) lastEnds.delete(other)
  const maxWait = lastEnds.has(client) ? budgets.furtherHashWaitMs : budgets.firstHashWaitMs
  if (startsAt - now > maxWait) throw new TooBusy()
  const endsAt = startsAt + (units * lastMsPerUnit) / share
  reservedUntil = endsAt
  lastEnds.set(client, endsAt)
  await scheduler.wait(startsAt - now)
  const startedAt = performance.now()
  try {
    return hash()
  } finally {
    // A Worker's clock only advances during I/O.
    await scheduler.wait(0)
    const measured = (performance.now() - startedAt) / units
    lastMsPerUnit = Math.min(Math.max(measured, msPerUnit.min), msPerUnit.max)
    // If this hash is the last in the queue, the next one starts at once.
    if (reservedUntil === endsAt) reservedUntil = 0
    if (lastEnds.get(client) === endsAt) lastEnds.delete(client)
  }
}
