import { describe, expect, test } from 'vitest'
import { isKept } from '../../src/imports/remembered-layouts.ts'
import { allCases, type Kind, kindOf, outcomeOf } from '../imports/cases.ts'

const { cases, older } = allCases()

describe('a file of the corpus', () => {
  test.each(cases.map((one) => [one.name, one] as const))(
    '%s is exact, at once or after answers',
    (_, one) => {
      expect(outcomeOf(one)).toMatchObject({ result: expect.stringMatching(/^(?:exact|asked)$/) })
    },
  )

  test.each(older.map((one) => [one.name, one] as const))(
    '%s is exact, at once or after answers',
    (_, one) => {
      expect(outcomeOf(one)).toMatchObject({ result: expect.stringMatching(/^(?:exact|asked)$/) })
    },
  )
})

describe('of the files that people have,', () => {
  const outcomes = [...cases, ...older].map((one) => {
    const outcome = outcomeOf(one)
    return { one, outcome, kind: kindOf(one, outcome) }
  })
  const shareOf = (...kinds: Kind[]) => {
    const some = outcomes.filter(({ kind }) => kinds.includes(kind))
    return some.filter(({ outcome }) => outcome.doubts.length > 0).length / some.length
  }

  test('at most 2 % with a proof are asked about, and at most 30 % of all CSVs of banks', () => {
    expect(shareOf('statement')).toBeLessThanOrEqual(0.02)
    expect(shareOf('statement', 'proved CSV')).toBeLessThanOrEqual(0.02)
    expect(shareOf('proved CSV', 'unproved CSV')).toBeLessThanOrEqual(0.3)
  })

  test('those that are asked about have at most two questions in the median', () => {
    const many = outcomes.flatMap(({ outcome: { doubts } }) => (doubts.length > 0 ? [doubts.length] : []))
    expect(many.sort((a, b) => a - b)[Math.floor(many.length / 2)]).toBeLessThanOrEqual(2)
  })

  test('the second file of a layout asks nothing and comes to the same rows', () => {
    for (const { one, outcome } of outcomes) {
      const values = Object.fromEntries(
        Object.entries(outcome.settled).flatMap(([field, { value }]) =>
          isKept(field, value) ? [[field, value]] : [],
        ),
      )
      const told = { ...one.told, kept: { values, source: 'as in import 1' } }
      expect({ name: one.name, ...outcomeOf({ ...one, told }) }).toMatchObject({
        name: one.name,
        result: 'exact',
      })
    }
  })
})
