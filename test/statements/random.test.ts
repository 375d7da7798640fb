import { expect, test } from 'vitest'
import { outcomeOf } from './judge/judge.ts'
import { randomCase } from './random/statement.ts'

test('of 500 random statements none is wrong, silently or after the right answers, and none is refused that a person can read', () => {
  const seeds = Array.from({ length: 500 }, (_, i) => i + 1)
  const bad = ['silently wrong', 'wrong', 'not offered', 'refused wrongly']
  const verdicts = seeds.map((seed) => ({ seed, verdict: outcomeOf(randomCase(seed)).verdict }))
  expect(verdicts.filter(({ verdict }) => bad.includes(verdict))).toEqual([])
})
