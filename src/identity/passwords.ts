import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import { isLongerThan } from '../domain/texts.ts'
import { longestPassword } from './password-length.ts'

/** Cost parameters of scrypt (RFC 7914): N, r and p. `SCRYPT_COST` in wrangler.toml sets them. */
export type ScryptCost = { N: number; r: number; p: number }

const hashBytes = 32
const saltBytes = 16
/** N=2^16, r=8 takes 64 MiB, half of an isolate's memory. More is rejected, even for a stored hash. */
const maxMemoryBytes = 72 * 1024 * 1024

/** Reads `"16384,8,5"` as N, r and p; undefined unless there are three numbers, none of them zero. */
export function parseScryptCost(text: string): ScryptCost | undefined {
  const [N, r, p, more] = text.split(',').map(Number)
  return N && r && p && more === undefined ? { N, r, p } : undefined
}

/** Hashes a password as `scrypt$N$r$p$salt$hash`, salt and hash in base64url. */
export function hashPassword(password: string, cost: ScryptCost): string {
  const salt = randomBytes(saltBytes)
  const hash = derive(password, salt, cost)
  return `scrypt$${cost.N}$${cost.r}$${cost.p}$${salt.toString('base64url')}$${hash.toString('base64url')}`
}

/**
 * Compares in constant time. Without a stored hash it does the same work and returns false. A password that is too long is
 * wrong; an empty one is hashed instead, since normalising takes quadratic time on runs of combining marks.
 */
export function verifyPassword(password: string, stored: string | null, cost: ScryptCost): boolean {
  const parsed = stored ? parseStored(stored) : null
  const compared = isLongerThan(password, longestPassword) ? null : password
  const expected = parsed?.hash ?? Buffer.alloc(hashBytes)
  const actual = derive(compared ?? '', parsed?.salt ?? Buffer.alloc(saltBytes), parsed?.cost ?? cost)
  return timingSafeEqual(actual, expected) && parsed !== null && compared !== null
}

/** True if a hash has a different cost from the configured one, and should be replaced. */
export function isOutdated(stored: string, { N, r, p }: ScryptCost): boolean {
  return !stored.startsWith(`scrypt$${N}$${r}$${p}$`)
}

function parseStored(stored: string) {
  const [scheme, N, r, p, salt, hash] = stored.split('$')
  if (scheme !== 'scrypt' || !N || !r || !p || !salt || !hash) throw new Error('Unknown password hash format')
  return {
    cost: { N: Number(N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  }
}

function derive(password: string, salt: Buffer, cost: ScryptCost): Buffer {
  // The same password has several Unicode encodings, depending on the keyboard (NIST SP 800-63B §3.1.1.2).
  return scryptSync(password.normalize('NFKC'), salt, hashBytes, { ...cost, maxmem: maxMemoryBytes })
}
