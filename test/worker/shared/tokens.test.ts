import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { newSecret, parseBearer, sha256Hex } from '../../../src/identity/tokens.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)
const secrets = fc.constant(null).map(() => newSecret(random))
const ids = fc.integer({ min: 1, max: 999_999_999_999_999 })

describe('a secret', () => {
  test('is at least 40 letters and digits and a checksum, different each time', () => {
    const made = Array.from({ length: 100 }, () => newSecret(random))
    for (const secret of made) expect(secret).toMatch(/^[A-Za-z0-9]{46}$/)
    expect(new Set(made).size).toBe(100)
  })

  test('favours no character: bytes that would wrap around the alphabet are discarded', () => {
    let calls = 0
    const biased = (bytes: Uint8Array) => bytes.fill(calls++ === 0 ? 255 : 61)
    expect(newSecret(biased)).toMatch(/^z{40}[A-Za-z0-9]{6}$/)
    expect(calls).toBe(2)
  })

  test('is stored as SHA-256 in hex', async () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })
})

describe('a bearer token', () => {
  test('is read back as it was made', () => {
    fc.assert(
      fc.property(ids, secrets, (tokenId, secret) => {
        expect(parseBearer(`Bearer ${tokenId}|${secret}`)).toEqual({ tokenId, secret })
      }),
    )
  })

  test('is refused after any change of a single character of its secret', () => {
    const changes = fc.record({ secret: secrets, at: fc.nat(45), to: fc.constantFrom(...alphabet) })
    fc.assert(
      fc.property(changes, ({ secret, at, to }) => {
        fc.pre(secret[at] !== to)
        const changed = secret.slice(0, at) + to + secret.slice(at + 1)
        return parseBearer(`Bearer 1|${changed}`) === null
      }),
      { numRuns: 1_000 },
    )
  })

  test('is refused after two neighbours of its secret changed places', () => {
    fc.assert(
      fc.property(secrets, fc.nat(44), (secret, at) => {
        fc.pre(secret[at] !== secret[at + 1])
        const changed = secret.slice(0, at) + secret[at + 1] + secret[at] + secret.slice(at + 2)
        return parseBearer(`Bearer 1|${changed}`) === null
      }),
    )
  })
})
