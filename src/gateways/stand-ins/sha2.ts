import { createHash } from 'node:crypto'

/**
 * In the Worker this stands in for `@oslojs/crypto/sha2` (wrangler.toml, alias), with which Arctic makes the PKCE
 * challenge: the runtime has SHA-256 already.
 */
export function sha256(data: Uint8Array): Uint8Array {
  return createHash('sha256').update(data).digest()
}
