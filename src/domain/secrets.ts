/** Signing and sealing with the Worker's secret. Each purpose has a key of its own (HKDF, RFC 5869). */

const encoder = new TextEncoder()
const ivBytes = 12

/** HMAC-SHA-256 of a text, in hex. */
export async function sign(secret: string, text: string): Promise<string> {
  const signature = await crypto.subtle.sign('HMAC', await hmacKey(secret, ['sign']), encoder.encode(text))
  return Buffer.from(signature).toString('hex')
}

/** True for a signature of that text by `sign`; compares in constant time. */
export async function isSigned(secret: string, text: string, signature: string): Promise<boolean> {
  if (!/^[0-9a-f]{64}$/.test(signature)) return false
  const key = await hmacKey(secret, ['verify'])
  return crypto.subtle.verify('HMAC', key, Buffer.from(signature, 'hex'), encoder.encode(text))
}

/** Encrypts and authenticates a value (AES-256-GCM), as text that fits into a URL. */
export async function seal(secret: string, value: unknown): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes))
  const key = await sealingKey(secret, ['encrypt'])
  const sealed = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv },
    key,
    encoder.encode(JSON.stringify(value)),
  )
  return Buffer.concat([iv, Buffer.from(sealed)]).toString('base64url')
}

/** Reads what `seal` wrote; undefined for anything else. */
export async function open(secret: string, sealed: string): Promise<unknown> {
  const bytes = Buffer.from(sealed, 'base64url')
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
