import { describe, expect, test } from 'vitest'
import { hashPassword, isOutdated, verifyPassword } from '../../../src/identity/passwords.ts'

const cost = { N: 1024, r: 8, p: 1 }

describe('a stored password', () => {
  test('carries its parameters and a salt of its own, and nothing of the password', () => {
    const [one, two] = [hashPassword('correct horse', cost), hashPassword('correct horse', cost)]
    expect(one).toMatch(/^scrypt\$1024\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
    expect(one).not.toBe(two)
    expect(one).not.toContain('horse')
  })

  test('is outdated when any parameter differs from today’s', () => {
    const stored = hashPassword('correct horse', cost)
    expect(isOutdated(stored, cost)).toBe(false)
    for (const today of [
      { ...cost, N: 2048 },
      { ...cost, r: 4 },
      { ...cost, p: 2 },
      { ...cost, p: 11 },
    ]) {
      expect(isOutdated(stored, today)).toBe(true)
    }
  })

  test('is the same however the keyboard spells its letters', () => {
    expect(verifyPassword('pa\u0308sswort', hashPassword('p\u00e4sswort', cost), cost)).toBe(true)
  })

  test('that is longer than any can be set verifies nothing, not even itself', () => {
    for (const password of ['x'.repeat(1_025), '🔑'.repeat(1_025), 'x'.repeat(100_000)]) {
      expect(verifyPassword(password, hashPassword(password, cost), cost)).toBe(false)
      expect(verifyPassword(password, hashPassword('', cost), cost)).toBe(false)
    }
    const longest = '🔑'.repeat(1_024)
    expect(verifyPassword(longest, hashPassword(longest, cost), cost)).toBe(true)
  })

  test('is not cut at a NUL', () => {
    expect(verifyPassword('secret\0two', hashPassword('secret\0one', cost), cost)).toBe(false)
  })
})
