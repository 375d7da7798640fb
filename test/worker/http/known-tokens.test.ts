import { expect, test } from 'vitest'
import {
  addKnownToken,
  isKnownToken,
  removeKnownToken,
  userOfKnownToken,
} from '../../../src/http/known-tokens.ts'

test('an isolate remembers the ten thousand tokens used last, and forgets those it is told to', () => {
  const mark = crypto.randomUUID()
  addKnownToken(`${mark} first`, 1)
  addKnownToken(`${mark} second`, 2)
  for (let i = 0; i < 9_998; i++) addKnownToken(`${mark} ${i}`, i)
  expect([isKnownToken(`${mark} first`), isKnownToken(`${mark} second`)]).toEqual([true, true])
  expect([userOfKnownToken(`${mark} first`), userOfKnownToken(`${mark} second`)]).toEqual([1, 2])
  addKnownToken(`${mark} first`, 1)
  addKnownToken(`${mark} another`, 1)
  expect([isKnownToken(`${mark} first`), isKnownToken(`${mark} second`)]).toEqual([true, false])
  removeKnownToken(`${mark} first`)
  expect([isKnownToken(`${mark} first`), userOfKnownToken(`${mark} first`)]).toEqual([false, undefined])
  for (let i = 0; i < 9_998; i++) removeKnownToken(`${mark} ${i}`)
})
