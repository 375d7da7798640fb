import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addDays } from '../../src/domain/dates.ts'
import type { MatchKind, MatchRow } from '../../src/domain/match-row.ts'
import { maxAmount } from '../../src/domain/money.ts'
import { distinctiveWords, shareWords } from '../../src/domain/words.ts'
import { findMatches, type MatchOptions } from '../../src/matches/matching.ts'
import { householdOf } from '../households/household.ts'
import { rowsOf } from '../households/rows.ts'

const [giro, savings, cash] = [1, 2, 3]
const accountNames = new Map([
  [giro, 'DKB Giro'],
  [savings, 'DKB Savings'],
  [cash, 'Tin'],
])

let lastId = 0
/** A row that a user typed, of 12.50 spent on 14 April, unless `fields` say otherwise. */
const typed = (fields: Partial<MatchRow> = {}): MatchRow => ({
  id: ++lastId,
  accountId: giro,
  type: 'expense',
  amount: 1250,
  date: '2026-04-14',
  words: '',
  importId: null,
  ...fields,
})
const booked = (fields: Partial<MatchRow> = {}) => typed({ importId: 1, ...fields })
const find = (rows: MatchRow[], options: Partial<MatchOptions> = {}) =>
  findMatches(rows, { accountNames, isRejected: () => false, ...options })
const idsOf = (rows: MatchRow[], options: Partial<MatchOptions> = {}) =>
  find(rows, options).map(({ ids }) => ids)
const certaintiesOf = (rows: MatchRow[]) => find(rows).map(({ certainty }) => certainty)

describe('a duplicate', () => {
  test('is what was typed and what the bank’s file brings days later', () => {
    const [note, entry] = [
      typed({ words: 'Café Müller' }),
      booked({ date: '2026-04-18', words: 'CARD 4471 CAFE MUELLER' }),
    ]
    expect(find([entry, note])).toEqual([
      {
        kind: 'duplicate',
        ids: [note.id, entry.id],
        daysApart: 4,
        certainty: 'sure',
        reasons: ['same_amount', 'days_apart', 'words_in_common', 'only_candidate'],
      },
    ])
  })

  test.each([
    [-2, false],
    [-1, true],
    [0, true],
    [6, true],
    [7, false],
  ])('is posted from a day before to six days after: %i', (days, isFound) => {
    expect(
      find([typed(), booked({ date: addDays('2026-04-14', days) })]).map(({ daysApart }) => daysApart),
    ).toEqual(isFound ? [days] : [])
  })

  test.each([
    ['the turn of the year', '2026-12-30', '2027-01-03', 4],
    ['a leap day', '2028-02-27', '2028-03-02', 4],
    ['the hour that summer takes', '2026-03-27', '2026-03-30', 3],
    ['the hour that winter gives back', '2026-10-23', '2026-10-29', 6],
    ['the first day there is', '1900-01-01', '1900-01-02', 1],
  ])('spans %s', (_, date, later, days) => {
    expect(find([typed({ date }), booked({ date: later })])[0]?.daysApart).toBe(days)
  })

  test('has the same account, type and amount, however large', () => {
    const [note, entry] = [typed({ amount: maxAmount }), booked({ amount: maxAmount })]
    expect(idsOf([note, entry])).toEqual([[note.id, entry.id]])
    for (const other of [{ accountId: savings }, { type: 'income' as const }, { amount: maxAmount - 1 }])
      expect(find([note, { ...entry, ...other }], { kind: 'duplicate' })).toEqual([])
  })

  test('is never two rows of one import, or two that people typed', () => {
    expect(find([booked(), booked()])).toEqual([])
    expect(find([typed(), typed()])).toEqual([])
  })

  test('is two rows of different imports only on days that both cover', () => {
    const [jan, feb] = [
      [booked({ date: '2026-01-02', amount: 1 }), booked({ date: '2026-01-30' })],
      [booked({ date: '2026-02-02', importId: 2 }), booked({ date: '2026-02-27', amount: 2, importId: 2 })],
    ]
    expect(find([...jan, ...feb])).toEqual([])
    const [since, until] = [
      booked({ date: '2026-01-15', amount: 3, importId: 2 }),
      booked({ date: '2026-02-05', amount: 4 }),
    ]
    expect(idsOf([...jan, ...feb, since, until])).toEqual([[jan[1]?.id, feb[0]?.id]])
  })

  test('prefers words, then the order of the days', () => {
    const coffee = typed({ date: '2026-04-14', words: 'coffee' })
    const bus = typed({ date: '2026-04-15', words: 'bus' })
    const entries = [
      booked({ date: '2026-04-16', words: 'CITY BUS 0417' }),
      booked({ date: '2026-04-17', words: 'BLUE DOOR COFFEE' }),
    ]
    expect(idsOf([coffee, bus, ...entries])).toEqual(
      expect.arrayContaining([
        [coffee.id, entries[1]?.id],
        [bus.id, entries[0]?.id],
      ]),
    )
    const cups = ['2026-04-14', '2026-04-16'].map((date) => typed({ date, words: 'coffee' }))
    const posted = ['2026-04-16', '2026-04-18'].map((date) => booked({ date, words: 'coffee' }))
    // The nearest to the second cup is the first entry, which would leave the first cup with the last.
    expect(idsOf([...cups, ...posted])).toEqual([
      [cups[0]?.id, posted[0]?.id],
      [cups[1]?.id, posted[1]?.id],
    ])
  })

  test('is not sure if either side could be in another', () => {
    expect(certaintiesOf([typed(), typed({ date: '2026-04-13' }), booked()])).toEqual(['likely'])
    expect(certaintiesOf([typed(), booked(), booked({ date: '2026-04-16' })])).toEqual(['likely'])
  })

  test.each([
    ['Household and liability insurance', 'Shop 47'],
    ['', 'TESCO STORES 2984'],
    ['PayPal Spotify', 'PAYPAL *UBER'],
    ['Amazon, wool', 'AMZN MKTP AMAZON TOOLS'],
    ['Hotel', 'HOTEL ADLER'],
    ['Café Schmidt', 'CAFE MUELLER'],
    ['Dr. Weber', 'DR KLEIN'],
    ['La Poste', 'CB LA FOURNEE'],
  ])('some days later is not sure if no word names one payee: %s, %s', (note, entry) => {
    const pair = (date: string) => [typed({ words: note }), booked({ words: entry, date })]
    expect(certaintiesOf(pair('2026-04-17'))).toEqual(['likely'])
    expect(certaintiesOf(pair('2026-04-14'))).toEqual(['sure'])
  })

  test('is not sure if it was booked before it was typed', () => {
    const [note, entry] = [typed({ words: 'Tesco' }), booked({ words: 'TESCO', date: '2026-04-13' })]
    expect(certaintiesOf([note, entry])).toEqual(['likely'])
  })

  test('is not sure if a weekly debit may have been typed late', () => {
    const late = typed({ date: '2026-04-17', words: 'gym' })
    const debits = ['2026-04-14', '2026-04-21'].map((date) => booked({ date, words: 'GYM' }))
    expect(certaintiesOf([late, ...debits])).toEqual(['likely'])
  })

  test('is not sure if a settled row could have been meant', () => {
    const known = typed({ date: '2026-04-13', settled: ['duplicate'] })
    const [note, entry] = [typed(), booked()]
    expect(find([known, note, entry])).toMatchObject([{ ids: [note.id, entry.id], certainty: 'likely' }])
  })

  test('may be one leg of a transfer that was typed as such, the other leg of which waits for its turn', () => {
    const transfer = { id: ++lastId, settled: ['transfer' as const] }
    const legs = [typed(transfer), typed({ ...transfer, accountId: savings, type: 'income' })]
    const out = booked({ date: '2026-04-15' })
    const into = booked({ date: '2026-04-16', accountId: savings, type: 'income', importId: 2 })
    expect(find([...legs, out, into])).toMatchObject([{ kind: 'duplicate', ids: [transfer.id, out.id] }])
    const joined = legs.map((leg) =>
      leg.type === 'expense' ? { ...leg, settled: ['duplicate', 'transfer'] as MatchKind[] } : leg,
    )
    expect(find([...joined, into])).toMatchObject([{ kind: 'duplicate', ids: [transfer.id, into.id] }])
  })
})

describe('a transfer', () => {
  const out = (fields: Partial<MatchRow> = {}) => booked({ date: '2026-04-14', ...fields })
  const into = (fields: Partial<MatchRow> = {}) =>
    booked({ accountId: savings, type: 'income', importId: 2, date: '2026-04-15', ...fields })

  test('is an expense and an income on two accounts, sure where one names the account of the other', () => {
    const [left, arrived] = [out({ words: 'Standing order savings' }), into({ words: 'Jo Example' })]
    expect(find([arrived, left])).toEqual([
      {
        kind: 'transfer',
        ids: [left.id, arrived.id],
        daysApart: 1,
        certainty: 'sure',
        reasons: ['same_amount', 'days_apart', 'account_named', 'only_candidate'],
      },
    ])
  })

  test.each([
    [10, false],
    [11, true],
    [19, true],
    [20, false],
  ])('arrives from three days before to five days after: on the %ith', (day, isFound) => {
    expect(find([out(), into({ date: `2026-04-${day}` })])).toHaveLength(isFound ? 1 : 0)
  })

  test('is not within one account, nor of two amounts that differ by a fee', () => {
    expect(find([out(), into({ accountId: giro })])).toEqual([])
    expect(find([out(), into({ amount: 1200 })])).toEqual([])
  })

  test('is sure if neither leg says anything of its own', () => {
    expect(certaintiesOf([out({ words: 'Überweisung 4471' }), into({ words: 'SEPA GUTSCHRIFT' })])).toEqual([
      'sure',
    ])
  })

  test('is not sure about what a friend paid back, about a refund, or by words that name both accounts', () => {
    expect(certaintiesOf([out({ words: 'Pizzeria' }), into({ words: 'Anna Schäfer' })])).toEqual(['likely'])
    expect(certaintiesOf([out({ words: 'CARD Zalando' }), into({ words: 'Zalando refund' })])).toEqual([
      'likely',
    ])
    expect(certaintiesOf([out({ words: 'DKB card, pizza' }), into({ words: 'DKB, Anna' })])).toEqual([
      'likely',
    ])
  })

  test.each([
    ['2026-04-12', 'likely'],
    ['2026-04-13', 'sure'],
    ['2026-04-16', 'sure'],
    ['2026-04-17', 'likely'],
  ])('is sure only from the day before to two days after: %s', (date, certainty) => {
    expect(certaintiesOf([out({ words: 'to savings' }), into({ date })])).toEqual([certainty])
  })

  test('is sure if a leg was typed only if that leg names the other account', () => {
    const note = { words: 'from DKB Giro', importId: null }
    expect(certaintiesOf([out({ words: 'to savings' }), into(note)])).toEqual(['sure'])
    for (const note of [{ words: 'Leo Marsh' }, { words: '' }])
      expect(certaintiesOf([out({ words: 'to savings' }), into({ ...note, importId: null })])).toEqual([
        'likely',
      ])
  })

  test('prefers the name of the account', () => {
    const [left, named, near] = [
      out({ words: 'to the tin' }),
      into({ accountId: cash, date: '2026-04-18' }),
      into(),
    ]
    expect(find([left, named, near])).toMatchObject([{ ids: [left.id, named.id], certainty: 'likely' }])
  })

  test('whose outflow has a duplicate waits until that is settled, unless only transfers are requested', () => {
    const [note, left, arrived] = [typed({ words: 'savings' }), out({ words: 'savings' }), into()]
    const rows = [note, left, arrived]
    expect(find(rows).map(({ kind, ids }) => [kind, ...ids])).toEqual([['duplicate', note.id, left.id]])
    expect(idsOf(rows, { kind: 'transfer' })).toEqual([[left.id, arrived.id]])
  })
})

test('what was rejected is not found again, and leaves no doubt', () => {
  const words = 'Tesco'
  const [note, wrong, right] = [typed({ words }), booked({ words }), booked({ words, date: '2026-04-16' })]
  const isRejected: MatchOptions['isRejected'] = (kind, ids) => kind === 'duplicate' && ids[1] === wrong.id
  expect(find([note, wrong, right], { isRejected })).toMatchObject([
    { ids: [note.id, right.id], certainty: 'sure' },
  ])
})

describe('words', () => {
  test.each([
    ['Müller', 'MUELLER GMBH'],
    ['Café', 'CAFE 0417'],
    ['Supermarket', 'SUPERMARK BERLIN'],
    ['Łódź', 'LODZ PL'],
    ['Straße', 'STRASSE 12'],
    ['ﬁtness', 'FITNESS'],
    ['スターバックス', 'デビット ｽﾀｰﾊﾞﾂｸｽ ｼﾌﾞﾔ'],
    ['北京饭店', '消费 北京饭店(王府井)'],
    ['카페 봄', '결제 카페'],
    ['Кофе', 'ПОКУПКА КОФЕ ХАУЗ'],
    ['καφές', 'ΑΓΟΡΑ ΚΑΦΕΣ'],
    ['N26', 'to n26 account'],
  ])('%s is in %s', (some, others) => {
    expect(shareWords(distinctiveWords(some), distinctiveWords(others))).toBe(true)
  })

  test.each([
    ['', ''],
    ['CARD PAYMENT 4471', 'Kartenzahlung 4471'],
    ['Card payment to Tesco', 'Card payment to Boots'],
    ['SEPA-Lastschrift 20260414', 'SEPA-Lastschrift 20260414'],
    ['REF A1234567', 'REF A1234567'],
    ['振込', '振込'],
    ['👍🏽 ok', '👍🏽 ok'],
  ])('%s and %s have none in common', (some, others) => {
    expect(shareWords(distinctiveWords(some), distinctiveWords(others))).toBe(false)
  })

  test('of any text are few', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (text) => {
        expect(distinctiveWords(text).size).toBeLessThanOrEqual(32)
      }),
      { numRuns: 40 },
    )
  })
})

/** Rows that often have counterparts: few amounts, days, words and accounts. */
const anyRows = fc
  .array(
    fc.record({
      accountId: fc.constantFrom(giro, savings, cash),
      type: fc.constantFrom('income', 'expense'),
      amount: fc.constantFrom(320, 5000),
      date: fc.integer({ min: 1, max: 20 }).map((day) => `2026-04-${String(day).padStart(2, '0')}`),
      words: fc.constantFrom('', 'coffee', 'bus', 'to savings', 'giro'),
      importId: fc.constantFrom(null, null, 1, 2),
      settled: fc.constantFrom<MatchKind[]>([], [], [], ['duplicate'], ['transfer']),
    }),
    { maxLength: 30 },
  )
  .map((rows) => rows.map((row, index): MatchRow => ({ ...row, id: index + 1 })))

describe('of any rows', () => {
  const kinds = fc.constantFrom<MatchKind | undefined>(undefined, 'duplicate', 'transfer')

  test('the order does not matter', () => {
    const shuffled = anyRows.chain((rows) =>
      fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length }), kinds),
    )
    fc.assert(
      fc.property(shuffled, ([rows, others, kind]) => {
        expect(find(others, { kind })).toEqual(find(rows, { kind }))
      }),
    )
  })

  test('each is in one match at most, with one that it can be the same as', () => {
    fc.assert(
      fc.property(anyRows, kinds, (rows, kind) => {
        const matches = find(rows, { kind })
        const ids = matches.flatMap(({ ids }) => ids)
        expect(new Set(ids).size).toBe(ids.length)
        for (const { kind, ids, daysApart } of matches) {
          const [first, second] = ids.map((id) => rows[id - 1]) as [MatchRow, MatchRow]
          expect((Date.parse(second.date) - Date.parse(first.date)) / 86_400_000).toBe(daysApart)
          expect(first.amount).toBe(second.amount)
          expect(first.type === second.type).toBe(kind === 'duplicate')
          expect(first.accountId === second.accountId).toBe(kind === 'duplicate')
          expect([...(first.settled ?? []), ...(second.settled ?? [])]).not.toContain(kind)
          if (kind === 'duplicate') expect(first.importId).not.toBe(second.importId)
        }
      }),
    )
  })

  test('those that are sure have been left no other', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        for (const { kind, ids, certainty } of find(rows, { kind: 'duplicate' })) {
          if (certainty !== 'sure') continue
          const isRejected: MatchOptions['isRejected'] = (_, others) => `${others}` === `${ids}`
          const again = find(rows, { kind, isRejected }).flatMap(({ ids }) => ids)
          expect(again).not.toContain(ids[0])
          expect(again).not.toContain(ids[1])
        }
      }),
    )
  })
})

describe('the work', () => {
  /** How many pairs of rows are considered. */
  function pairsOf(rows: MatchRow[]): number {
    let pairs = 0
    const isRejected = () => {
      pairs += 1
      return false
    }
    find(rows, { isRejected })
    return pairs
  }

  /** The CPU time of this thread, in milliseconds; other processes do not count. */
  function costOf(rows: MatchRow[]): number {
    const before = process.threadCpuUsage()
    find(rows)
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000
  }

  test('for eleven thousand rows of a year considers each with few others', () => {
    const years = Array.from({ length: 8 }, (_, index) => rowsOf(householdOf(index + 1, 12)))
    const rows = years.flat().slice(0, 11_395)
    expect(rows).toHaveLength(11_395)
    expect(pairsOf(rows.map((row, index) => ({ ...row, id: index + 1 })))).toBeLessThan(60_000)
  })

  const ofOneAmount: [string, (index: number) => Partial<MatchRow>][] = [
    ['on one account and day', (index) => ({ importId: index % 2 || null })],
    [
      'on two accounts',
      (index) => ({ accountId: 1 + (index % 2), type: index % 4 < 2 ? 'income' : 'expense' }),
    ],
    ['of a hundred imports', (index) => ({ importId: (index % 100) + 1 })],
    ['all year long', (index) => ({ importId: index % 2 || null, date: addDays('2026-01-01', index % 365) })],
  ]
  const rowsOfOneAmount = (count: number, fields: (index: number) => Partial<MatchRow>) =>
    Array.from({ length: count }, (_, index) => typed({ words: `coffee ${index % 7}`, ...fields(index) }))

  test.each(ofOneAmount)(
    'grows with the number of rows of one amount, not with its square: %s',
    (_, fields) => {
      expect(pairsOf(rowsOfOneAmount(10_000, fields))).toBeLessThan(600_000)
      const [few, many] = [rowsOfOneAmount(1_500, fields), rowsOfOneAmount(6_000, fields)]
      const costs = Array.from({ length: 3 }, () => [costOf(few), costOf(many)] as const)
      const [least, most] = [
        Math.min(...costs.map(([cost]) => cost)),
        Math.min(...costs.map(([, cost]) => cost)),
      ]
      // Four times the rows; sixteen times the work if it were quadratic. Less than some milliseconds are noise.
      expect(most).toBeLessThan(10 * Math.max(least, 4))
    },
  )
})
