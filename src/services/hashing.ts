import { TooBusy } from '../domain/failures.ts'
import { hashPassword, type ScryptCost, verifyPassword } from '../domain/passwords.ts'

/** Who would wait for longer is refused: a request has ten seconds as a whole. */
const longestWaitMs = 2_000
/** A hash holds up all else in its isolate, so hashes get a third of the time while others wait for them. */
const share = 1 / 3
/** What a hash takes for each unit of its cost (N·r·p): on an ordinary core, and where other work slows it down. */
const msPerUnit = { least: 0.0002, most: 0.001 }

/**
 * Until when this isolate is promised to hashes. Time is promised, not places: a request whose client has gone may
 * never be resumed, and so never give its place back.
 */
let promisedUntil = 0
/** What the last hash took. */
let lastMsPerUnit = msPerUnit.least

/** Hashes a password once it is its turn. Throws TooBusy, at once. */
export function hashInTurn(password: string, cost: ScryptCost): Promise<string> {
  return inTurn(cost, () => hashPassword(password, cost))
}

/** Verifies a password once it is its turn, which is the same with a stored hash and without. Throws TooBusy, at once. */
export function verifyInTurn(password: string, stored: string | null, cost: ScryptCost): Promise<boolean> {
  return inTurn(cost, () => verifyPassword(password, stored, cost))
}

async function inTurn<T>({ N, r, p }: ScryptCost, hash: () => T): Promise<T> {
  const units = N * r * p
  const now = performance.now()
  const turnAt = Math.max(now, promisedUntil)
  if (turnAt - now > longestWaitMs) throw new TooBusy()
  const turnEndsAt = turnAt + (units * lastMsPerUnit) / share
  promisedUntil = turnEndsAt
  await scheduler.wait(turnAt - now)
  const beganAt = performance.now()
  try {
    return hash()
  } finally {
    // The clock stands still while something is computed; this lets it go on, and whoever else has come.
    await scheduler.wait(0)
    const took = (performance.now() - beganAt) / units
    lastMsPerUnit = Math.min(Math.max(took, msPerUnit.least), msPerUnit.most)
    // Nobody is waiting behind it, so the next one need not wait either.
    if (promisedUntil === turnEndsAt) promisedUntil = 0
  }
}
