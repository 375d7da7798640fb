import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const randomLength = 40
const checksumLength = 6

/** The parts of a bearer token: the id of its row, and its secret. */
export type Bearer = { tokenId: number; secret: string }

/** Fills an array with cryptographically strong random bytes. */
export type RandomBytes = (bytes: Uint8Array) => Uint8Array

/**
 * Makes a secret: 40 random characters of `[A-Za-z0-9]` and a checksum of six, by which leak scanners recognise it and
 * mistyped ones are rejected without a query.
 */
export function newSecret(random: RandomBytes): string {
  let secret = ''
  while (secret.length < randomLength) {
    for (const byte of random(new Uint8Array(randomLength))) {
      // 248 is the largest multiple of 62 that fits in a byte: using more values would favour some characters.
      if (byte < 248 && secret.length < randomLength) secret += alphabet[byte % alphabet.length]
    }
  }
  return secret + checksum(secret)
}

/**
 * Begins the secret of a named token: leak scanners recognise it, and a Worker from before named tokens, for which all tokens
 * are sessions, refuses it.
 */
export const namedTokenPrefix = 'purse_'

const bearerHeader = new RegExp(`^Bearer +([1-9]\\d{0,15})\\|((?:${namedTokenPrefix})?([A-Za-z0-9]+))$`, 'i')

/** Reads `Bearer <id>|<secret>`; null if it is malformed. */
export function parseBearer(header: string | undefined): Bearer | null {
  const match = bearerHeader.exec(header?.trim() ?? '')
  if (!match) return null
  const [, id = '', secret = '', checked = ''] = match
  const random = checked.slice(0, -checksumLength)
  if (checked.length < randomLength + checksumLength || checked.slice(-checksumLength) !== checksum(random))
    return null
  return { tokenId: Number(id), secret }
}

/** SHA-256 of a text, in hex. Stored instead of a secret. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** CRC-32 of an ASCII text, in base 62. */
function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < checksumLength; i++) {
    digits = alphabet[rest % alphabet.length] + digits
    rest = Math.floor(rest / alphabet.length)
  }
  return digits
}
