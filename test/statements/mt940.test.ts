import { describe, expect, test } from 'vitest'
import { errorsOf, read } from './corpus.ts'

const first = ':25:ACC1\n:28C:1/1\n:60F:C260101EUR100,00\n:61:260131D1,NTRF\n:62F:C260131EUR99,00\n'
const accountsOf = (text: string) =>
  read(text).accounts.map(({ identifier, currency, entries, closingBalance }) => [
    identifier,
    currency,
    entries.map(({ amount }) => amount),
    closingBalance?.amount,
  ])

test.each(['', ':20:A\n'])(
  'statements of several accounts may follow one another, each below %j',
  (reference) => {
    const second = ':25:ACC2\n:28C:1/1\n:60F:C260101USD50,00\n:61:260131D2,NTRF\n:62F:C260131USD48,00\n'
    for (const between of ['', reference])
      expect(accountsOf(`${reference}${first}${between}${second}`)).toEqual([
        ['ACC1', 'EUR', [-100], 9_900],
        ['ACC2', 'USD', [-200], 4_800],
      ])
  },
)

test('another opening balance begins another statement of the same account, which must be closed too', () => {
  const next = ':60F:C260201EUR99,00\n:61:260201D2,NTRF\n'
  expect(accountsOf(`${first}${next}:62F:C260201EUR97,00\n`)).toEqual([['ACC1', 'EUR', [-100, -200], 9_700]])
  expect(errorsOf(() => read(first + next))?.file?.[0]).toMatch(/^The file ends before .* on line 6;/)
})

test('an account that is followed by another before its closing balance is refused', () => {
  const open = first.replace(/:62F:.*\n/, '')
  expect(errorsOf(() => read(open + first.replace('ACC1', 'ACC2')))?.file?.[0]).toMatch(
    /on line 1 has no closing .* before line 5\./,
  )
})

test.each(['ACC1', 'ACC1EUR'])('the account %s may be repeated before the closing balance', (account) => {
  const repeated = `:25:${account}\n:61:260131D2,NTRF\n:62F:C260131EUR97,00\n`
  const text = first.replace('ACC1', account).replace(/:62F:.*\n/, repeated)
  expect(accountsOf(text)).toEqual([['ACC1', 'EUR', [-100, -200], 9_700]])
})

describe('a statement whose balances do not agree with its entries', () => {
  const statement = (entries: string, closing: string) =>
    `:20:A\n:25:ACC1\n:28C:1/1\n:60F:C260101EUR100,00\n${entries}:62F:C260131EUR${closing}\n`

  test('is asked about', () => {
    const file = statement(':61:260131D1,NTRF\n', '101,00')
    expect(errorsOf(() => read(file))?.signs?.[0]).toMatch(/^The opening balance and the entries/)
    expect(accountsOf(file.replace('101,00', '99,00'))).toEqual([['ACC1', 'EUR', [-100], 9_900]])
    expect(read(file, { signs: 'inverted' }).accounts[0]?.entries).toMatchObject([{ amount: 100 }])
  })

  test('is not asked about if an amount cannot be read', () => {
    const text = first.replace(':61:', ':61:260130D-5,NTRF\n:61:')
    expect(Object.keys(errorsOf(() => read(text)) ?? {})).toEqual(['rows.4.entry'])
  })

  test('has its reversals turned round, if that makes them agree', () => {
    const file = statement(':61:260131D5,NTRF\n:61:260131RD5,NTRF\n', '90,00')
    expect(accountsOf(file)).toEqual([['ACC1', 'EUR', [-500, -500], 9_000]])
    expect(accountsOf(file.replace('90,00', '100,00'))).toEqual([['ACC1', 'EUR', [-500, 500], 10_000]])
  })
})
