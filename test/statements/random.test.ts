import { expect, test } from 'vitest'
import { accountKinds } from '../../src/domain/types.ts'
import { conservationFaults } from './judge/conservation.ts'
import { goodVerdicts, outcomeOf } from './judge/judge.ts'
import { nextOf } from './judge/laws.ts'
import { randomCase } from './random/statement.ts'

test('of 500 random statements each is exact, at once or after one sheet of needed questions, names each record, and the next one asks nothing', () => {
  const seeds = Array.from({ length: 500 }, (_, i) => i + 1)
  const found = seeds.map((seed) => {
    const one = randomCase(seed)
    const outcome = outcomeOf(one)
    const { verdict, rounds } = outcome
    return {
      seed,
      isGood: goodVerdicts.includes(verdict),
      rounds,
      faults: conservationFaults(one, outcome.reading),
      next: outcomeOf(nextOf(one, outcome)).asked,
    }
  })
  const isFaulty = ({ isGood, rounds, faults, next }: (typeof found)[number]) =>
    !isGood || rounds > 1 || faults.length > 0 || next.length > 0
  expect(found.filter(isFaulty)).toEqual([])
})

test('random statements of current and savings accounts ask about no sign but the oldest, if the kind is known, and are never wrong', () => {
  const seeds = Array.from({ length: 500 }, (_, i) => i + 1)
  const wrong = seeds.flatMap((seed) => {
    const one = randomCase(seed)
    const kind = accountKinds.find((kind) => one.name.includes(kind))
    if (kind !== 'current' && kind !== 'savings') return []
    const { verdict, asked } = outcomeOf({ ...one, known: { kind } })
    return goodVerdicts.includes(verdict) || verdict === 'unasked' ? [] : [[seed, verdict, asked]]
  })
  expect(wrong).toEqual([])
})
