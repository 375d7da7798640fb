import { createHash } from 'node:crypto'

/**
 * Replaces `@oslojs/crypto/sha2` in the Worker (wrangler.toml, alias), which Arctic uses for the PKCE challenge: the
 * runtime has its own SHA-256.
 */
export function sha256(data: Uint8Array): Uint8Array {
  return createHash('sha256').update(data).digest()
}
