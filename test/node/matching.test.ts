import { expect, test } from 'vitest'
import { findMatches, type MatchRow } from '../../src/domain/matching.ts'

const accountNames = new Map([
  [1, 'Giro'],
  [2, 'Savings'],
])
const options = { accountNames, isRejected: () => false }
let lastId = 0
const row = (fields: Partial<MatchRow>): MatchRow => ({
  id: ++lastId,
  accountId: 1,
  type: 'expense',
  amount: 1250,
  date: '2026-12-30',
  words: '',
  importId: null,
  ...fields,
})

test('what was typed is found in the bank’s file, also across the turn of the year', () => {
  const typed = row({ words: 'Café Schröder' })
  const booked = row({ date: '2027-01-03', words: 'CARD PAYMENT 4471 CAFE SCHROEDER', importId: 1 })
  expect(findMatches([booked, typed], options)).toEqual([
    {
      kind: 'duplicate',
      ids: [typed.id, booked.id],
      daysApart: 4,
      certainty: 'sure',
      reasons: ['same_amount', 'days_apart', 'words_in_common', 'only_candidate'],
    },
  ])
})

test('two legs of a transfer are found by the name of the other account', () => {
  const out = row({ words: 'Standing order savings', importId: 1 })
  const into = row({ accountId: 2, type: 'income', date: '2026-12-29', importId: 2 })
  expect(findMatches([into, out], options)).toEqual([
    {
      kind: 'transfer',
      ids: [out.id, into.id],
      daysApart: -1,
      certainty: 'sure',
      reasons: ['same_amount', 'days_apart', 'account_named', 'only_candidate'],
    },
  ])
})

test('two rows of one import are never the same', () => {
  expect(findMatches([row({ importId: 1 }), row({ importId: 1 })], options)).toEqual([])
})
