import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

/*
 * Signing and sealing with the Worker's secret, with a separate key for each purpose (HKDF, RFC 5869). While a secret is
 * being replaced it is `new|old`: the first one signs and seals, both are accepted.
 */

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** A Worker's secrets, newest first. */
export function secretsOf(secret: string): [newest: string, ...older: string[]] {
  const [newest = '', ...older] = secret.split('|')
  return [newest, ...older]
}

/** HMAC-SHA-256 of a text, in hex. */
export function sign(secret: string, text: string): string {
  return hmac(secretsOf(secret)[0], text).toString('hex')
}

/** True if `sign` made the signature for this text; compares in constant time. */
export function isSigned(secret: string, text: string, signature: string): boolean {
  if (!/^[0-9a-f]{64}$/.test(signature)) return false
  const given = Buffer.from(signature, 'hex')
  return secretsOf(secret).some((one) => timingSafeEqual(hmac(one, text), given))
}

/** Encrypts and authenticates a value (AES-256-GCM) as text for a URL. */
export function seal(secret: string, value: unknown): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, keyOf(secretsOf(secret)[0], 'sealed state'), iv)
  const sealed = [cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]
  return Buffer.concat([iv, ...sealed, cipher.getAuthTag()]).toString('base64url')
}

/** Reads what `seal` made; undefined for anything else. */
export function unseal(secret: string, sealed: string): unknown {
  const bytes = Buffer.from(sealed, 'base64url')
  const [iv, tag] = [bytes.subarray(0, ivBytes), bytes.subarray(-tagBytes)]
  for (const one of secretsOf(secret)) {
    try {
      const key = keyOf(one, 'sealed state')
      const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: tagBytes }).setAuthTag(tag)
      const plain = [decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]
      return JSON.parse(Buffer.concat(plain).toString('utf8'))
    } catch {}
  }
}

function hmac(secret: string, text: string): Buffer {
  return createHmac('sha256', keyOf(secret, 'signed links')).update(text).digest()
}

function keyOf(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
}
