import { describe, expect, test } from 'vitest'
import { allCases } from './judge/cases.ts'
import { outcomeOf } from './judge/judge.ts'
import { answerFaults, askedAgain, refusedOptions } from './judge/laws.ts'

const { cases, oddities, older } = allCases()
const all = [...cases, ...oddities, ...older]

describe('of the whole corpus', () => {
  test('each file asks all its questions at once', () => {
    const again = all.filter((one) => (askedAgain(one) ?? []).length > 0)
    expect(again.map(({ name }) => name)).toEqual([])
  })

  test('no answer that is offered is refused', () => {
    const asking = all.filter(({ isRefused }) => !isRefused)
    expect(asking.flatMap((one) => refusedOptions(one).map((answer) => `${one.name} ${answer}`))).toEqual([])
  })

  test('each answer is used, refused or named as unused', () => {
    const faults = all.flatMap((one) => {
      const { verdict, answers } = outcomeOf(one)
      return ['exact', 'asked'].includes(verdict) ? answerFaults(one, answers) : []
    })
    expect(faults).toEqual([])
  })
})
