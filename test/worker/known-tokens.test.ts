import { expect, test } from 'vitest'
import { forget, isRemembered, remember, userOf } from '../../src/http/known-tokens.ts'

test('an isolate remembers the ten thousand tokens used last, and forgets those it is told to', () => {
  const mark = crypto.randomUUID()
  remember(`${mark} first`, 1)
  remember(`${mark} second`, 2)
  for (let i = 0; i < 9_998; i++) remember(`${mark} ${i}`, i)
  expect([isRemembered(`${mark} first`), isRemembered(`${mark} second`)]).toEqual([true, true])
  expect([userOf(`${mark} first`), userOf(`${mark} second`)]).toEqual([1, 2])
  remember(`${mark} first`, 1)
  remember(`${mark} another`, 1)
  expect([isRemembered(`${mark} first`), isRemembered(`${mark} second`)]).toEqual([true, false])
  forget(`${mark} first`)
  expect([isRemembered(`${mark} first`), userOf(`${mark} first`)]).toEqual([false, undefined])
  for (let i = 0; i < 9_998; i++) forget(`${mark} ${i}`)
})
