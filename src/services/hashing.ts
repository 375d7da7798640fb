import { TooBusy } from '../domain/failures.ts'
import { hashPassword, type ScryptCost, verifyPassword } from '../domain/passwords.ts'

/** A hash holds up all else in its isolate, so few may wait for theirs: a request has ten seconds as a whole. */
const longestWaitMs = 1_000
/** Of N·r·p, on a slow core: what a quick one has left of it is for everybody else's requests. */
const msPerUnitOfCost = 0.0003

/**
 * Until when this isolate is promised to hashes, and by how much they are behind that plan. Time is promised, not
 * places: a request whose client has gone is never resumed, and so would never give its place back.
 */
let promisedUntil = 0
let behindMs = 0

/** Hashes a password once it is its turn. Throws TooBusy, at once. */
export function hashInTurn(password: string, cost: ScryptCost): Promise<string> {
  return inTurn(cost, () => hashPassword(password, cost))
}

/** Verifies a password once it is its turn, which is the same with a stored hash and without. Throws TooBusy, at once. */
export function verifyInTurn(password: string, stored: string | null, cost: ScryptCost): Promise<boolean> {
  return inTurn(cost, () => verifyPassword(password, stored, cost))
}

async function inTurn<T>({ N, r, p }: ScryptCost, hash: () => T): Promise<T> {
  const now = performance.now()
  if (promisedUntil + behindMs <= now) {
    promisedUntil = now
    behindMs = 0
  }
  const plannedAt = promisedUntil
  const waitMs = plannedAt + behindMs - now
  if (waitMs > longestWaitMs) throw new TooBusy()
  const plannedUntil = plannedAt + N * r * p * msPerUnitOfCost
  promisedUntil = plannedUntil
  // Where there is nothing to wait for as well: between two hashes, whoever else has come is let through.
  await scheduler.wait(waitMs)
  behindMs = Math.max(0, performance.now() - plannedAt)
  try {
    return hash()
  } finally {
    // Nobody is waiting behind it, so the next one need not wait either.
    if (promisedUntil === plannedUntil) promisedUntil = 0
  }
}
