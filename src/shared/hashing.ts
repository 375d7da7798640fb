import { TooBusy } from './failures.ts'
import { hashPassword, type ScryptCost, verifyPassword } from './passwords.ts'

/**
 * A request that would have to wait longer is refused, since it has only a few seconds in total. One client address can
 * fill only the first two seconds; the rest is for addresses that have no other hash in the queue.
 */
const longestWaitMs = { ofFirst: 4_000, ofFurther: 2_000 }
/** A hash blocks everything else in its isolate, so while hashes queue up, they get a third of its time. */
const share = 1 / 3
/** Time per unit of cost (N·r·p): the least on an ordinary core, the most on one slowed down by other work. */
const msPerUnit = { least: 0.0002, most: 0.001 }

/**
 * Until when this isolate's time is reserved for hashes. Time is reserved, not slots: a request whose client has gone
 * may never resume, and would never give its slot back.
 */
let reservedUntil = 0
let lastMsPerUnit = msPerUnit.least
/** The end of each client address's last turn; what is past is forgotten. */
const lastTurns = new Map<string, number>()

/** What a hash costs, and the client address whose turn it takes. */
export type Hashing = { cost: ScryptCost; client: string }

/** Hashes a password when its turn comes. Throws TooBusy immediately if that would take too long. */
export function hashInTurn(password: string, hashing: Hashing): Promise<string> {
  return inReservedTime(hashing, () => hashPassword(password, hashing.cost))
}

/** Verifies a password when its turn comes, whether or not a hash is stored. Throws TooBusy as well. */
export function verifyInTurn(password: string, stored: string | null, hashing: Hashing): Promise<boolean> {
  return inReservedTime(hashing, () => verifyPassword(password, stored, hashing.cost))
}

async function inReservedTime<T>({ cost, client }: Hashing, hash: () => T): Promise<T> {
  const units = cost.N * cost.r * cost.p
  const now = performance.now()
  const turnAt = Math.max(now, reservedUntil)
  for (const [other, turnEndedAt] of lastTurns) if (turnEndedAt <= now) lastTurns.delete(other)
  const longest = lastTurns.has(client) ? longestWaitMs.ofFurther : longestWaitMs.ofFirst
  if (turnAt - now > longest) throw new TooBusy()
  const turnEndsAt = turnAt + (units * lastMsPerUnit) / share
  reservedUntil = turnEndsAt
  lastTurns.set(client, turnEndsAt)
  await scheduler.wait(turnAt - now)
  const beganAt = performance.now()
  try {
    return hash()
  } finally {
    // The clock stands still during computation; waiting lets it advance, and lets other requests in.
    await scheduler.wait(0)
    const took = (performance.now() - beganAt) / units
    lastMsPerUnit = Math.min(Math.max(took, msPerUnit.least), msPerUnit.most)
    // Nobody is waiting behind this one, so the next need not wait either.
    if (reservedUntil === turnEndsAt) reservedUntil = 0
    if (lastTurns.get(client) === turnEndsAt) lastTurns.delete(client)
  }
}
