import { describe, expect, test } from 'vitest'
import { allCases, type Case } from './judge/cases.ts'
import { conservationFaults } from './judge/conservation.ts'
import { expectedFailures } from './judge/expected-failures.ts'
import { goodVerdicts, outcomeOf } from './judge/judge.ts'
import { type Kind, kindOf } from './judge/kinds.ts'
import { answerFaults, askedAgain, nextOf, refusedOptions, textsOf } from './judge/laws.ts'
import { provedByBalances } from './judge/proved-by-balances.ts'

const { cases, oddities, older } = allCases()
const all = [...cases, ...oddities, ...older]
/** Each file is read, and its questions answered, once. */
const judged = all.map((one) => ({ one, outcome: outcomeOf(one) }))
/** A quarter of the files, for what takes long; all of them are in cases.long.test.ts. */
const some = all.filter((_, nth) => nth % 4 === 0)
const isListed = ({ name }: Case) => name in expectedFailures
const expected = judged.filter(({ one }) => !isListed(one))
/** The files that are read, with their readings in the end. */
const read = judged.flatMap(({ one, outcome }) =>
  ['exact', 'asked'].includes(outcome.verdict) ? [{ one, ...outcome }] : [],
)
/** Faults by file, for those that have any. */
const faulty = (faultsOf: (one: (typeof read)[number]) => string[]) =>
  Object.fromEntries(
    read.map((one) => [one.one.name, faultsOf(one)] as const).filter(([, faults]) => faults.length > 0),
  )

describe('a file of the corpus', () => {
  test.each(expected.map(({ one, outcome }) => [one.name, outcome] as const))(
    '%s is exact, at once or after answers',
    (_, { verdict, text, asked }) => {
      expect({ verdict, text, asked }).toMatchObject({ verdict: expect.toBeOneOf([...goodVerdicts]) })
    },
  )

  test.each(
    oddities.filter(({ says }) => Object.keys(says).length > 0).map((one) => [one.name, one] as const),
  )('%s says why it is asked about, or refused', (_, one) => {
    expect(textsOf(one)).toMatchObject(one.says)
  })

  test('that is expected to fail does', () => {
    const names = all.map(({ name }) => name)
    expect(Object.keys(expectedFailures).filter((name) => !names.includes(name))).toEqual([])
    const good = judged.filter(({ outcome }) => goodVerdicts.includes(outcome.verdict))
    expect(good.flatMap(({ one }) => (isListed(one) ? [one.name] : []))).toEqual([])
  })
})

describe('of the corpus', () => {
  test('each file asks all its questions at once', () => {
    const again = some.filter((one) => (askedAgain(one) ?? []).length > 0)
    expect(again.map(({ name }) => name)).toEqual([])
  })

  test('at most two ordinary accounts with balances ask', () => {
    const accounts = judged.filter(
      ({ one: { name } }) => name.startsWith('cases/account-') || provedByBalances.includes(name),
    )
    expect(accounts.length).toBeGreaterThanOrEqual(20 + provedByBalances.length)
    const asking = accounts.flatMap(({ one, outcome }) => (outcome.doubts.length > 0 ? [one.name] : []))
    expect(asking.length, asking.join()).toBeLessThanOrEqual(2)
  })

  // Lines of workbooks are not counted here.
  test('each record is named by the header, by a row or by what is left out', () => {
    const isText = (name: string) => !/xlsx|workbook/.test(name)
    expect(faulty(({ one, reading }) => (isText(one.name) ? conservationFaults(one, reading) : []))).toEqual(
      {},
    )
  })

  test('no answer that is offered is refused', () => {
    const asking = some.filter(({ isRefused }) => !isRefused)
    expect(asking.flatMap((one) => refusedOptions(one).map((answer) => `${one.name} ${answer}`))).toEqual([])
  })

  test('each answer is used, refused or named as unused', () => {
    const faults = read.flatMap(({ one, answers }) => (some.includes(one) ? answerFaults(one, answers) : []))
    expect(faults).toEqual([])
  })
})

describe('of the files that people have,', () => {
  const outcomes = expected
    .filter(({ one }) => !oddities.includes(one))
    .map(({ one, outcome }) => ({ one, outcome, kind: kindOf(one, outcome) }))
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
    for (const { one, outcome } of outcomes.filter(({ one }) => !one.isRefused)) {
      const { asked, text } = outcomeOf(nextOf(one, outcome))
      expect({ name: one.name, asked, text }).toEqual({ name: one.name, asked: [], text: '' })
    }
  })
})
