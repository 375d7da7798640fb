import { expect, test } from 'vitest'
import { allCases } from './judge/cases.ts'
import { outcomeOf } from './judge/judge.ts'
import { answerFaults } from './judge/laws.ts'

test('of the whole corpus, each answer is used, refused or named as unused', () => {
  const { cases, oddities, older } = allCases()
  const faults = [...cases, ...oddities, ...older].flatMap((one) => {
    const { verdict, answers } = outcomeOf(one)
    return ['exact', 'asked'].includes(verdict) ? answerFaults(one, answers) : []
  })
  expect(faults).toEqual([])
})
