/*
 * Signing and sealing with the Worker's secret, with a separate key for each purpose (HKDF, RFC 5869). While a secret is
 * being replaced it is `new|old`: the first one signs and seals, both are accepted.
 */

const encoder = new TextEncoder()
const ivBytes = 12

/** A Worker's secrets, newest first. */
export function secretsOf(secret: string): string[] {
  return secret.split('|')
}

function newestOf(secret: string): string {
  const [newest = ''] = secretsOf(secret)
  return newest
}

/** HMAC-SHA-256 of a text, in hex. */
export async function sign(secret: string, text: string): Promise<string> {
  const key = await hmacKey(newestOf(secret), ['sign'])
  const signature = await crypto.subtle.sign('HMAC', key, encoder.encode(text))
  return Buffer.from(signature).toString('hex')
}

/** True if `sign` made the signature for this text; compares in constant time. */
export async function isSigned(secret: string, text: string, signature: string): Promise<boolean> {
  if (!/^[0-9a-f]{64}$/.test(signature)) return false
  for (const one of secretsOf(secret)) {
    const key = await hmacKey(one, ['verify'])
    if (await crypto.subtle.verify('HMAC', key, Buffer.from(signature, 'hex'), encoder.encode(text)))
      return true
  }
  return false
}

/** Encrypts and authenticates a value (AES-256-GCM) as text for a URL. */
export async function seal(secret: string, value: unknown): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes))
  const key = await sealingKey(newestOf(secret), ['encrypt'])
  const sealed = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv },
    key,
    encoder.encode(JSON.stringify(value)),
  )
  return Buffer.concat([iv, Buffer.from(sealed)]).toString('base64url')
}

/** Reads what `seal` made; undefined for anything else. */
export async function unseal(secret: string, sealed: string): Promise<unknown> {
  const bytes = Buffer.from(sealed, 'base64url')
  for (const one of secretsOf(secret)) {
    const value = await unsealWith(one, bytes)
    if (value !== undefined) return value
  }
}

async function unsealWith(secret: string, bytes: Uint8Array<ArrayBuffer>): Promise<unknown> {
  const key = await sealingKey(secret, ['decrypt'])
  try {
    const iv = bytes.subarray(0, ivBytes)
    const plain = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, bytes.subarray(ivBytes))
    return JSON.parse(new TextDecoder().decode(plain))
  } catch {
    return undefined
  }
}

async function hmacKey(secret: string, usages: ('sign' | 'verify' | 'encrypt' | 'decrypt')[]) {
  const bits = await derive(secret, 'signed links')
  return crypto.subtle.importKey('raw', bits, { name: 'HMAC', hash: 'SHA-256' }, false, usages)
}

async function sealingKey(secret: string, usages: ('sign' | 'verify' | 'encrypt' | 'decrypt')[]) {
  return crypto.subtle.importKey('raw', await derive(secret, 'sealed state'), 'AES-GCM', false, usages)
}

async function derive(secret: string, purpose: string): Promise<ArrayBuffer> {
  const material = await crypto.subtle.importKey('raw', encoder.encode(secret), 'HKDF', false, ['deriveBits'])
  const parameters = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: encoder.encode(purpose) }
  return crypto.subtle.deriveBits(parameters, material, 256)
}
