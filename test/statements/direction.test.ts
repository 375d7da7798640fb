import { describe, expect, test } from 'vitest'
import type { Minor } from '../../src/domain/money.ts'
import { type Known, readStatement } from '../../statements/index.ts'
import { encode } from './corpus.ts'
import { readFile } from './judge/reader.ts'

const table = (...lines: string[]) => encode(`${lines.join('\n')}\n`)
const read = (bytes: Uint8Array, answers: Record<string, string> = {}, remembered?: Record<string, string>) =>
  readFile(bytes, { kind: 'bank', answers, ...(remembered && { remembered }) })
const asked = (bytes: Uint8Array, remembered?: Record<string, string>) =>
  read(bytes, {}, remembered).questions.map(({ field }) => field)
const amounts = (
  bytes: Uint8Array,
  answers: Record<string, string> = {},
  remembered?: Record<string, string>,
) => read(bytes, answers, remembered).rows.map(({ amount }) => amount)

const named = 'Date,Text,Amount,Balance'
const ordinary = [
  named,
  '2026-01-02,Rent,-30.00,70.00',
  '2026-01-03,Tea,-5.00,65.00',
  '2026-01-04,Pay,20.00,85.00',
]

describe('balances that follow from signed amounts', () => {
  test('prove them if they are positive, and lowered at least as often as raised', () => {
    expect(amounts(table(...ordinary))).toEqual([-3000, -500, 2000])
  })

  test('prove them if they are negative: what is owed has a minus sign', () => {
    const overdrawn = [named, '2026-01-02,Rent,-30.00,-70.00', '2026-01-03,Pay,20.00,-50.00']
    expect(amounts(table(...overdrawn))).toEqual([-3000, 2000])
    const loan = [
      named,
      '2026-01-02,Repayment,30.00,-70.00',
      '2026-01-31,Interest,-1.00,-71.00',
      '2026-02-02,Repayment,30.00,-41.00',
    ]
    expect(amounts(table(...loan))).toEqual([3000, -100, 3000])
  })

  test.each([
    ['are raised more often than lowered', ['Tea,5.00,105.00', 'Bus,2.00,107.00', 'Pay,-7.00,100.00']],
    ['follow from amounts that run against them', ['Tea,5.00,95.00', 'Bus,2.00,93.00', 'Pay,-7.00,100.00']],
    ['are lowered by repayments', ['Loan repayment,-5.00,95.00', 'Adjustment,-2.00,93.00', 'Use,1.00,94.00']],
    ['are raised by a debt’s interest', ['A,-5.00,95.00', 'B,-2.00,93.00', 'Interest charged,1.00,94.00']],
    [
      'are lowered by one text only',
      ['Payment 1/9,-5.00,95.00', 'Payment 2/9,-2.00,93.00', 'Use,1.00,94.00'],
    ],
    ['are as often negative as positive', ['Pay,-5.00,-3.00', 'Tea,7.00,4.00']],
    ['are negative, and raised more often than lowered', ['Tea,5.00,-30.00', 'Bus,2.00,-28.00']],
    ['are negative, and lowered by refunds', ['Paid,-5.00,-9.00', 'Tea,7.00,-2.00', 'Refund,-3.00,-5.00']],
  ])('prove nothing if they %s', (_, rows) => {
    const file = table(named, ...rows.map((row, i) => `2026-01-0${i + 2},${row}`))
    expect(asked(file)).toEqual(['signs'])
    const written = amounts(file, { signs: 'as_written' })
    expect(amounts(file, { signs: 'inverted' })).toEqual(written.map((amount) => -amount))
  })

  test.each([
    ['a title', table('Kreditkarte **** 1234', ...ordinary)],
    [
      'the name of the account',
      table(...ordinary.map((row, i) => `${row},${i === 0 ? 'Account' : 'Home loan'}`)),
    ],
    [
      'a column that each row fills',
      table(...ordinary.map((row, i) => `${row},${i === 0 ? 'Card number' : '1234'}`)),
    ],
  ])('prove nothing if %s names a card or a loan', (_, file) => {
    expect(asked(file)).toEqual(['signs'])
  })

  test.each([
    [
      'a column that some rows fill',
      table(...ordinary.map((row, i) => `${row},${['Card number', '1234', '', ''][i]}`)),
    ],
    [
      'a payment for a card or a loan',
      table(
        named,
        '2026-01-02,Visa card bill,-30.00,70.00',
        '2026-01-03,Home loan,-5.00,65.00',
        '2026-01-04,Pay,20.00,85.00',
      ),
    ],
  ])('prove them though %s speaks of one', (_, file) => {
    expect(amounts(file)).toEqual([-3000, -500, 2000])
  })

  test('say nothing against what was settled for the account before', () => {
    const card = table(named, '2026-01-02,Tea,5.00,105.00', '2026-01-03,Bus,2.00,107.00')
    const { remembered } = read(card, { signs: 'inverted' })
    const next = table(
      named,
      '2026-02-02,Tea,5.00,105.00',
      '2026-02-03,Pay,-80.00,25.00',
      '2026-02-04,Back,-2.00,23.00',
    )
    expect(amounts(next, {}, remembered)).toEqual([-500, 8000, 200])
  })
})

describe('the kind of the account', () => {
  const amountsOnly = table('Date,Text,Amount', '2026-01-02,Tea,-5.00', '2026-01-03,Pay,80.00')
  const raising = table(
    'Date,Text,Amount',
    '2026-01-02,Tea,5.00',
    '2026-01-03,Bus,2.00',
    '2026-01-04,Pay,-7.00',
  )
  const growing = table(named, '2026-01-02,In,5.00,5.00', '2026-01-03,In,2.00,7.00')
  const read = (bytes: Uint8Array, known: Known, answers = {}) =>
    readStatement(bytes, { kind: 'bank', today: '2026-02-01', known, answers })
  const day = (date: string, amount: number) => ({ date, amount: amount as Minor })

  test.each(['current', 'savings'] as const)('%s says that what has a minus was spent', (kind) => {
    for (const bytes of [amountsOnly, growing, table(named, '2026-01-02,Tea,-5.00,3.00')]) {
      const { rows, settled, needs } = read(bytes, { kind })
      expect(settled.signs?.proof).toBe(`as in a ${kind} account`)
      expect(rows[0]?.amount).toBe(bytes === growing ? 500 : -500)
      // Recorded rows may show the opposite.
      expect(needs).not.toBeNull()
      expect(read(bytes, { kind, rows: [], balances: [] }).needs).toBeNull()
    }
  })

  test.each(['card', 'loan', 'investment', null] as const)('%s says nothing', (kind) => {
    for (const bytes of [amountsOnly, growing])
      expect(read(bytes, { kind }).questions.map(({ field }) => field)).toEqual(['signs'])
  })

  test('says nothing of a file that speaks of a card, or whose amounts run against a balance that is known or stated', () => {
    const title = table(
      'Kreditkarte 1234',
      'Date,Text,Amount',
      '2026-01-02,Tea,-5.00',
      '2026-01-03,Pay,80.00',
    )
    const fallen = { rows: [], balances: [day('2026-01-01', 900), day('2026-01-04', 200)] }
    const opposite = table(
      named,
      '2026-01-02,Tea,5.00,95.00',
      '2026-01-03,Bus,2.00,93.00',
      '2026-01-04,Pay,-7.00,100.00',
    )
    const asked = [
      read(title, { kind: 'current' }),
      read(raising, { kind: 'current', ...fallen }),
      read(opposite, { kind: 'current' }),
    ]
    for (const { questions } of asked) expect(questions.map(({ field }) => field)).toEqual(['signs'])
    expect(read(raising, { kind: 'current' }).questions).toEqual([])
  })

  test('yields to recorded rows and to an answer', () => {
    const rows = [day('2026-01-02', -500), day('2026-01-03', -200), day('2026-01-04', 700)]
    const { settled } = read(raising, { kind: 'current', rows, balances: [] })
    expect(settled.signs).toEqual({ value: 'inverted', proof: '3 recorded rows of the same day and amount' })
    expect(read(amountsOnly, { kind: 'current' }, { signs: 'inverted' }).rows[0]?.amount).toBe(500)
  })

  test('settles all but the oldest of amounts without signs that only raise the balance', () => {
    const unsigned = table(
      named,
      '2026-01-02,In,5.00,105.00',
      '2026-01-03,In,2.00,107.00',
      '2026-01-05,In,3.00,110.00',
    )
    const values = (known: Known) =>
      read(unsigned, known).questions.flatMap(({ options }) => options.map(({ value }) => value))
    expect(values({ kind: 'savings' })).toEqual(['as_written', 'inverted'])
    expect(values({})).toHaveLength(4)
  })
})

describe('what is known of the account', () => {
  const debt = table(
    named,
    '2026-01-02,Tea,5.00,105.00',
    '2026-01-03,Bus,2.00,107.00',
    '2026-01-04,Pay,-7.00,100.00',
  )
  const readKnowing = (bytes: Uint8Array, rows: [string, number][], balances: [string, number][]) => {
    const known = (all: [string, number][]) =>
      all.map(([date, amount]) => ({ date, amount: amount as Minor }))
    return readStatement(bytes, {
      kind: 'bank',
      today: '2026-02-01',
      known: { rows: known(rows), balances: known(balances) },
    }).rows.map(({ amount }) => amount)
  }

  test('is needed for the days of the file and the one before them, where only the direction is open', () => {
    const needs = (bytes: Uint8Array) => readStatement(bytes, { kind: 'bank', today: '2026-02-01' }).needs
    expect(needs(debt)).toEqual({ from: '2026-01-01', to: '2026-01-04' })
    expect(needs(table(...ordinary))).toBeNull()
  })

  test('settles it by a balance on one of the days', () => {
    expect(readKnowing(debt, [], [['2026-01-03', 10_700]])).toEqual([500, 200, -700])
    expect(readKnowing(debt, [], [['2026-01-02', -10_500]])).toEqual([-500, -200, 700])
    expect(
      readKnowing(
        debt,
        [],
        [
          ['2026-01-01', 0],
          ['2026-01-03', 10_500],
        ],
      ),
    ).toEqual([])
  })

  test('settles it by three rows that agree', () => {
    const rows: [string, number][] = [
      ['2026-01-02', -500],
      ['2026-01-03', -200],
      ['2026-01-04', 700],
    ]
    expect(readKnowing(debt, rows, [])).toEqual([-500, -200, 700])
    expect(readKnowing(debt, rows.slice(0, 2), [])).toEqual([])
    expect(readKnowing(debt, rows.with(0, ['2026-01-02', 500]), [])).toEqual([])
  })

  test('shows which way the oldest amount without a sign went', () => {
    const file = table(
      named,
      '2026-01-02,Tea,5.00,95.00',
      '2026-01-03,Bus,2.00,93.00',
      '2026-01-04,Pay,7.00,100.00',
    )
    expect(readKnowing(file, [], [['2026-01-01', 10_000]])).toEqual([-500, -200, 700])
    expect(readKnowing(file, [], [['2026-01-01', 9_000]])).toEqual([500, -200, 700])
    expect(readKnowing(file, [], [['2026-01-01', 8_000]])).toEqual([])
  })
})

describe('of amounts without signs', () => {
  const debt = table(
    named,
    '2026-01-02,Tea,5.00,105.00',
    '2026-01-03,Bus,2.00,107.00',
    '2026-01-04,Pay,7.00,100.00',
    '2026-01-05,Gym,3.00,103.00',
  )

  test('balances in doubt are asked about together with the oldest amount, which they do not show', () => {
    const [question] = read(debt).questions
    expect(question?.options.map(({ value }) => value)).toEqual([
      'as_written',
      'as_written_but_oldest',
      'inverted',
      'inverted_but_oldest',
    ])
    expect(amounts(debt, { signs: 'as_written' })).toEqual([500, 200, -700, 300])
    expect(amounts(debt, { signs: 'as_written_but_oldest' })).toEqual([-500, 200, -700, 300])
    expect(amounts(debt, { signs: 'inverted' })).toEqual([-500, -200, 700, -300])
    expect(amounts(debt, { signs: 'inverted_but_oldest' })).toEqual([500, -200, 700, -300])
  })

  test('the oldest one is asked about in each month anew, but not what the balance means', () => {
    const { remembered } = read(debt, { signs: 'inverted' })
    expect(read(debt, {}, remembered).questions[0]?.options.map(({ value }) => value)).toEqual([
      'as_written',
      'inverted',
    ])
    expect(amounts(debt, { signs: 'as_written' }, remembered)).toEqual([500, -200, 700, -300])
    const opening = table(
      named,
      '2026-02-01,Opening balance,,103.00',
      '2026-02-02,Tea,5.00,108.00',
      '2026-02-03,Bus,2.00,110.00',
    )
    expect(amounts(opening, {}, remembered)).toEqual([-500, -200])
  })

  test('a month in which all go one way is read as the one before it', () => {
    const deposits = (month: string) =>
      table(named, `2026-${month}-02,Order,5.00,105.00`, `2026-${month}-03,Order,2.00,107.00`)
    const { remembered } = read(deposits('01'), { signs: 'as_written' })
    expect(amounts(deposits('02'), {}, remembered)).toEqual([500, 200])
    const signed = table(
      named,
      '2026-02-02,Tea,-5.00,105.00',
      '2026-02-03,Order,2.00,107.00',
      '2026-02-04,Order,2.00,109.00',
    )
    expect(amounts(signed, {}, remembered)).toEqual([-500, 200, 200])
  })
})

describe('a mark', () => {
  test.each(['D', 'C', 'Debit'])('%s in all rows proves nothing', (mark) => {
    expect(asked(table('Date,Type,Amount', `2026-01-02,${mark},5.00`, `2026-01-03,${mark},7.00`))).toEqual([
      'signs',
    ])
  })

  test.each(['3.50 DR', '3.50 CR'])('beside each amount proves nothing: %s', (amount) => {
    expect(asked(table('Date,Amount', `2026-01-02,${amount}`, `2026-01-03,${amount}`))).toEqual(['signs'])
  })

  test.each([
    ['Dr/Cr', 'Dr', -500],
    ['Soll/Haben', 'H', 500],
    ['Cargo/Abono', 'C', -500],
    ['Deposit/Withdrawal', 'D', 500],
  ])('under a header that names both, %s, is enough: %s', (header, mark, amount) => {
    expect(amounts(table(`Date,Amount,${header}`, `2026-01-02,5.00,${mark}`))).toEqual([amount])
  })

  test('that was told is read as told, alone and beside another one', () => {
    const file = table('Date,Type,Amount', '2026-01-02,D,5.00', '2026-01-03,D,7.00')
    const { remembered } = read(file, { signs: 'as_written' })
    expect(amounts(file, {}, remembered)).toEqual([500, 700])
    const both = table('Date,Type,Amount', '2026-02-02,D,5.00', '2026-02-03,C,7.00')
    expect(asked(both, remembered)).toEqual(['marks.C'])
    expect(amounts(both)).toEqual([-500, 700])
  })

  test('that a month with both has proved is known in a month with one', () => {
    const { remembered } = read(table('Date,Type,Amount', '2026-01-02,D,5.00', '2026-01-03,C,7.00'))
    expect(amounts(table('Date,Type,Amount', '2026-02-02,D,5.00'), {}, remembered)).toEqual([-500])
  })

  test('decides though the balance is what is owed', () => {
    const card = table(
      'Date,Text,Amount,Dr/Cr,Balance',
      '2026-01-02,Tea,5.00,Dr,105.00',
      '2026-01-03,Bus,2.00,Dr,107.00',
      '2026-01-04,Pay,7.00,Cr,100.00',
    )
    expect(amounts(card)).toEqual([-500, -200, 700])
  })
})

describe('the statement of a card', () => {
  const ofx = (...entries: [type: string, amount: string][]) =>
    encode(
      `<OFX><CREDITCARDMSGSRSV1><CCSTMTTRNRS><CCSTMTRS><CURDEF>EUR<BANKTRANLIST>${entries.map(([type, amount]) => `<STMTTRN><TRNTYPE>${type}<DTPOSTED>20260105<TRNAMT>${amount}</STMTTRN>`).join('')}</BANKTRANLIST></CCSTMTRS></CCSTMTTRNRS></CREDITCARDMSGSRSV1></OFX>`,
    )

  test('in OFX is asked about if no type of an entry confirms the signs', () => {
    expect(asked(ofx(['OTHER', '5.00'], ['OTHER', '-7.00']))).toEqual(['signs'])
    expect(amounts(ofx(['OTHER', '-5.00'], ['POS', '-7.00']))).toEqual([-500, -700])
  })

  test('in QIF is asked about if it has more payments than purchases', () => {
    const qif = (...amounts: string[]) =>
      encode(`!Type:CCard\n${amounts.map((amount) => `D2026-01-05\nT${amount}\nPTea\n^\n`).join('')}`)
    expect(asked(qif('5.00', '7.00', '-12.00'))).toEqual(['signs'])
    expect(amounts(qif('-5.00', '-7.00', '12.00'))).toEqual([-500, -700, 1200])
  })
})
