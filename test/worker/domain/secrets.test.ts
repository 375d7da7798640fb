import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSigned, seal, sign, unseal } from '../../../src/shared/secrets.ts'

const secret = 'a secret, long enough to be one indeed'
const other = 'another secret, as long as the first is'

describe('a signature', () => {
  test('is 64 hex digits, the same each time for the same text', async () => {
    expect(await sign(secret, 'text')).toMatch(/^[0-9a-f]{64}$/)
    expect(await sign(secret, 'text')).toBe(await sign(secret, 'text'))
    expect(await isSigned(secret, 'text', await sign(secret, 'text'))).toBe(true)
  })

  test('is for that text only', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), async (one, two) => {
        fc.pre(one !== two)
        return !(await isSigned(secret, one, await sign(secret, two)))
      }),
    )
  })

  test('is by that secret only', async () => {
    expect(await isSigned(other, 'text', await sign(secret, 'text'))).toBe(false)
  })

  test('by the previous secret is still accepted during a rotation, and new ones are by the new secret', async () => {
    const both = `${other}|${secret}`
    expect(await isSigned(both, 'text', await sign(secret, 'text'))).toBe(true)
    expect(await sign(both, 'text')).toBe(await sign(other, 'text'))
    expect(await isSigned(secret, 'text', await sign(both, 'text'))).toBe(false)
    expect(await unseal(both, await seal(secret, { a: 1 }))).toEqual({ a: 1 })
    expect(await unseal(other, await seal(both, { a: 1 }))).toEqual({ a: 1 })
    expect(await unseal(both, await seal('a third secret, nobody knows it here', { a: 1 }))).toBeUndefined()
  })

  test('is refused with any of its digits changed', async () => {
    const good = await sign(secret, 'text')
    for (const i of good.split('').keys()) {
      const altered = good.slice(0, i) + (good[i] === '0' ? '1' : '0') + good.slice(i + 1)
      expect(await isSigned(secret, 'text', altered)).toBe(false)
    }
  })

  test('is refused if it is not one: shorter, longer, in capitals, with spaces, or empty', async () => {
    const good = await sign(secret, 'text')
    const wrong = [
      '',
      good.slice(0, 62),
      `${good}00`,
      good.toUpperCase(),
      ` ${good}`,
      `${good}\n`,
      '0x',
      '🔑',
    ]
    for (const signature of wrong) expect(await isSigned(secret, 'text', signature)).toBe(false)
  })
})

describe('what is sealed', () => {
  const values = fc.jsonValue()

  test('opens unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        expect(await unseal(secret, await seal(secret, value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('fits in a URL as it is', async () => {
    expect(await seal(secret, { text: 'ä🔑'.repeat(50) })).toMatch(/^[\w-]+$/)
  })

  test('is different each time, and shows nothing of what is in it', async () => {
    const [one, two] = [
      await seal(secret, { verifier: 'hidden' }),
      await seal(secret, { verifier: 'hidden' }),
    ]
    expect(one).not.toBe(two)
    expect(Buffer.from(one, 'base64url').toString('latin1')).not.toContain('hidden')
  })

  test('does not open with another secret', async () => {
    expect(await unseal(other, await seal(secret, 'text'))).toBeUndefined()
  })

  test('does not open with any of its bytes changed', async () => {
    const good = Buffer.from(await seal(secret, { a: 1 }), 'base64url')
    for (const i of good.keys()) {
      const altered = Buffer.from(good)
      altered[i] = (altered[i] ?? 0) ^ 1
      expect(await unseal(secret, altered.toString('base64url'))).toBeUndefined()
    }
  })

  test('does not open cut short, added to, or made up', async () => {
    const good = await seal(secret, { a: 1 })
    for (let length = 0; length < good.length - 1; length++) {
      expect(await unseal(secret, good.slice(0, length))).toBeUndefined()
    }
    for (const text of [`${good}AAAA`, '{"a":1}', 'A'.repeat(200), '🔑', '%00']) {
      expect(await unseal(secret, text)).toBeUndefined()
    }
  })

  test('is not a signature, and a signature is not sealed: each has a key of its own', async () => {
    expect(await unseal(secret, await sign(secret, '{"a":1}'))).toBeUndefined()
    expect(await isSigned(secret, 'text', await seal(secret, 'text'))).toBe(false)
  })
})
