import { expect, test } from 'vitest'
import { goodVerdicts, outcomeOf } from './judge/judge.ts'
import { nextOf } from './judge/laws.ts'
import { randomCase } from './random/statement.ts'

test('of 500 random statements each is exact, at once or after one sheet of needed questions, and the next one asks nothing', () => {
  const seeds = Array.from({ length: 500 }, (_, i) => i + 1)
  const found = seeds.map((seed) => {
    const one = randomCase(seed)
    const outcome = outcomeOf(one)
    const { verdict, rounds } = outcome
    return {
      seed,
      isGood: goodVerdicts.includes(verdict),
      rounds,
      next: outcomeOf(nextOf(one, outcome)).asked,
    }
  })
  expect(found.filter(({ isGood, rounds, next }) => !isGood || rounds > 1 || next.length > 0)).toEqual([])
})
