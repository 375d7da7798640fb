import { expect, test } from 'vitest'
import { forget, isKnown, remember } from '../../src/http/known-tokens.ts'

test('an isolate remembers the ten thousand tokens that were used last, and forgets what it is told to', () => {
  const mark = crypto.randomUUID()
  remember(`${mark} first`)
  remember(`${mark} second`)
  for (let i = 0; i < 9_998; i++) remember(`${mark} ${i}`)
  expect([isKnown(`${mark} first`), isKnown(`${mark} second`)]).toEqual([true, true])
  remember(`${mark} first`)
  remember(`${mark} another`)
  expect([isKnown(`${mark} first`), isKnown(`${mark} second`)]).toEqual([true, false])
  forget(`${mark} first`)
  expect(isKnown(`${mark} first`)).toBe(false)
  for (let i = 0; i < 9_998; i++) forget(`${mark} ${i}`)
})
