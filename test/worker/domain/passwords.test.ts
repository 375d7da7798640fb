import { describe, expect, test } from 'vitest'
import { hashPassword, isOutdated, parseScryptCost, verifyPassword } from '../../../src/shared/passwords.ts'

const cost = { N: 1024, r: 8, p: 1 }

describe('a stored password', () => {
  test('verifies the password it was made of, and no other', () => {
    const stored = hashPassword('correct horse', cost)
    expect(verifyPassword('correct horse', stored, cost)).toBe(true)
    for (const other of ['correct hors', 'Correct horse', 'correct horse ', ' correct horse', '']) {
      expect(verifyPassword(other, stored, cost)).toBe(false)
    }
  })

  test('carries its parameters and a salt of its own, and nothing of the password', () => {
    const [one, two] = [hashPassword('correct horse', cost), hashPassword('correct horse', cost)]
    expect(one).toMatch(/^scrypt\$1024\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
    expect(one).not.toBe(two)
    expect(one).not.toContain('horse')
  })

  test('verifies when it was made at another cost than today’s', () => {
    const stored = hashPassword('correct horse', { N: 512, r: 4, p: 2 })
    expect(verifyPassword('correct horse', stored, cost)).toBe(true)
    expect(verifyPassword('wrong horse', stored, cost)).toBe(false)
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

  test('that does not exist verifies nothing', () => {
    expect(verifyPassword('correct horse', null, cost)).toBe(false)
    expect(verifyPassword('', null, cost)).toBe(false)
  })

  test('is the same however the keyboard spells its letters', () => {
    expect(verifyPassword('pa\u0308sswort', hashPassword('p\u00e4sswort', cost), cost)).toBe(true)
  })

  test('counts every character of a long one', () => {
    const stored = hashPassword(`${'x'.repeat(1_023)}a`, cost)
    expect(verifyPassword(`${'x'.repeat(1_023)}b`, stored, cost)).toBe(false)
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

describe('a cost', () => {
  test('is read as N, r and p', () => {
    expect(parseScryptCost('16384,8,5')).toEqual({ N: 16384, r: 8, p: 5 })
  })

  test.each(['', '16384', '16384,8', 'a,b,c', '16384,8,0', '16,384,8,5'])('is not "%s"', (text) => {
    expect(parseScryptCost(text)).toBeUndefined()
  })
})
