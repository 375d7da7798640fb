import { describe, expect, test } from 'vitest'
import { allCases, outcomeOf } from '../imports/cases.ts'

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

test('few files are asked about, and little', () => {
  const asking = [...cases, ...older].map(outcomeOf).filter(({ result }) => result === 'asked')
  expect(asking.length).toBeLessThan(0.3 * (cases.length + older.length))
  expect(asking.filter(({ asked }) => asked.length > 2).length).toBeLessThan(0.05 * asking.length)
})
