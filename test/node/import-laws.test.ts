import { describe, expect, test } from 'vitest'
import { allCases, type Case } from '../imports/cases.ts'
import { conservationFaults } from '../imports/conservation.ts'
import { outcomeOf } from '../imports/judge.ts'
import { answerFaults, askedAgain } from '../imports/laws.ts'
import { provedByBalances } from '../imports/proved-by-balances.ts'
import { randomCase } from '../imports/random/statement.ts'

const { cases, older } = allCases()
const all = [...cases, ...older]
/** The files that are read, with their readings in the end. */
const read = all.flatMap((one) => {
  const outcome = outcomeOf(one)
  return ['exact', 'asked'].includes(outcome.verdict) ? [{ one, ...outcome }] : []
})
/** Faults by file, for those that have any. */
const faulty = (faultsOf: (one: (typeof read)[number]) => string[]) =>
  Object.fromEntries(
    read.map((one) => [one.one.name, faultsOf(one)] as const).filter(([, faults]) => faults.length > 0),
  )

describe('of the corpus', () => {
  test('each file asks all its questions at once', () => {
    const again = all.filter((one) => (askedAgain(one) ?? []).length > 0)
    expect(again.map(({ name }) => name)).toEqual([])
  })

  test('at most two ordinary accounts with balances ask', () => {
    const isOrdinary = ({ name }: Case) =>
      name.startsWith('cases/account-') || provedByBalances.includes(name)
    const accounts = all.filter(isOrdinary)
    expect(accounts.length).toBeGreaterThanOrEqual(20 + provedByBalances.length)
    const asking = accounts.filter((one) => outcomeOf(one).doubts.length > 0)
    expect(asking.length, asking.map(({ name }) => name).join()).toBeLessThanOrEqual(2)
  })

  // Lines of workbooks are not counted here.
  test('each record is named by the header, by a row or by what is left out', () => {
    const isText = (name: string) => !/xlsx|workbook/.test(name)
    expect(faulty(({ one, reading }) => (isText(one.name) ? conservationFaults(one, reading) : []))).toEqual(
      {},
    )
  })

  test('each answer is used, refused or named as unused', () => {
    expect(faulty(({ one, answers }) => answerFaults(one, answers))).toEqual({})
  })
})

describe('of 500 random statements', () => {
  test('none is wrong, silently or after the right answers, and none is refused that a person can read', () => {
    const seeds = Array.from({ length: 500 }, (_, i) => i + 1)
    const bad = ['silently wrong', 'wrong', 'not offered', 'refused wrongly']
    const verdicts = seeds.map((seed) => ({ seed, verdict: outcomeOf(randomCase(seed)).verdict }))
    expect(verdicts.filter(({ verdict }) => bad.includes(verdict))).toEqual([])
  })
})
