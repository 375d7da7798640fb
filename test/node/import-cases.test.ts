import { describe, expect, test } from 'vitest'
import { allCases, type Case } from '../imports/cases.ts'
import { expectedFailures } from '../imports/expected-failures.ts'
import { goodVerdicts, outcomeOf } from '../imports/judge.ts'
import { type Kind, kindOf } from '../imports/kinds.ts'

const { cases, older } = allCases()
const all = [...cases, ...older]
const isListed = ({ name }: Case) => name in expectedFailures
const named = (some: Case[]) => some.map((one) => [one.name, one] as const)
const isRead = (one: Case) => goodVerdicts.includes(outcomeOf(one).verdict)

describe('a file of the corpus', () => {
  test.each(named(all.filter((one) => !isListed(one))))('%s is exact, at once or after answers', (_, one) => {
    const { verdict, text, asked } = outcomeOf(one)
    expect({ verdict, text, asked }).toMatchObject({ verdict: expect.toBeOneOf([...goodVerdicts]) })
  })

  test('that is expected to fail does', () => {
    const names = all.map(({ name }) => name)
    expect(Object.keys(expectedFailures).filter((name) => !names.includes(name))).toEqual([])
    expect(
      all
        .filter(isListed)
        .filter(isRead)
        .map(({ name }) => name),
    ).toEqual([])
  })
})

describe('of the files that people have,', () => {
  const outcomes = all
    .filter((one) => !isListed(one))
    .map((one) => {
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
      const { asked, text } = outcomeOf({ ...one, remembered: outcome.reading.remembered })
      // Which way the oldest amount without a sign went says nothing about that of the next month.
      const isAskedAgain = outcome.asked.includes('signs') && !outcome.reading.remembered.signs
      expect({ name: one.name, asked, text }).toEqual({
        name: one.name,
        asked: isAskedAgain ? ['signs'] : [],
        text: '',
      })
    }
  })
})
