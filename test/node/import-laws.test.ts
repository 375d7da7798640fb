import { describe, expect, test } from 'vitest'
import { allCases, type Case } from '../imports/cases.ts'
import { asksTwice } from '../imports/expected-failures.ts'
import { outcomeOf } from '../imports/judge.ts'
import { askedAgain } from '../imports/laws.ts'
import { provedByBalances } from '../imports/proved-by-balances.ts'

const { cases, older } = allCases()
const all = [...cases, ...older]

describe('of the corpus', () => {
  test('each file asks all its questions at once', () => {
    const again = all.filter((one) => (askedAgain(one) ?? []).length > 0)
    expect(again.map(({ name }) => name)).toEqual(asksTwice)
  })

  test('at most two ordinary accounts with balances ask', () => {
    const isOrdinary = ({ name }: Case) =>
      name.startsWith('cases/account-') || provedByBalances.includes(name)
    const accounts = all.filter(isOrdinary)
    expect(accounts.length).toBeGreaterThanOrEqual(20 + provedByBalances.length)
    const asking = accounts.filter((one) => outcomeOf(one).doubts.length > 0)
    expect(asking.length, asking.map(({ name }) => name).join()).toBeLessThanOrEqual(2)
  })
})
