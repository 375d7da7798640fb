import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSigned, seal, sign, unseal } from '../../../src/identity/secrets.ts'

const secret = 'a secret, long enough to be one indeed'
const other = 'another secret, as long as the first is'

describe('a signature', () => {
  test('is for that text only', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), async (one, two) => {
        fc.pre(one !== two)
        return !(await isSigned(secret, one, await sign(secret, two)))
      }),
    )
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
