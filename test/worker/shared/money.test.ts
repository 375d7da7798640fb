import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  formatMoney,
  type Minor,
  maxAmount,
  maxTotal,
  moneyNumber,
  parseMoney,
} from '../../../src/domain/money.ts'

const minor = (bound: number) => fc.integer({ min: -bound, max: bound }).map((amount) => amount as Minor)
/** A decimal with three places, the last of which is not zero. */
const thirdDecimal = (maxWhole: number) =>
  fc
    .tuple(
      fc.boolean(),
      fc.integer({ min: 0, max: maxWhole }),
      fc.integer({ min: 0, max: 99 }),
      fc.integer({ min: 1, max: 9 }),
    )
    .map(
      ([negative, whole, cents, third]) =>
        `${negative ? '-' : ''}${whole}.${String(cents).padStart(2, '0')}${third}`,
    )

describe('parsing money', () => {
  test('is the inverse of formatting it', () => {
    fc.assert(fc.property(minor(maxAmount), (amount) => parseMoney(formatMoney(amount)) === amount))
  })

  test('reads any number of two decimals exactly', () => {
    fc.assert(
      fc.property(minor(maxAmount), (amount) => parseMoney(Number(formatMoney(amount))) === amount),
      { numRuns: 1_000 },
    )
  })

  test('reads any number of two decimals that is printed in full exactly, too', () => {
    fc.assert(
      fc.property(minor(100_000_000), (amount) => {
        return parseMoney(Number(formatMoney(amount)).toPrecision(17)) === amount
      }),
    )
  })

  test('reads the noise of a sum of floats as the amount it stands for', () => {
    const cents = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 2, maxLength: 6 })
    fc.assert(
      fc.property(cents, (parts) => {
        const sum = parts.reduce((total, part) => total + part / 100, 0)
        const expected = parts.reduce((total, part) => total + part, 0)
        return parseMoney(sum) === expected
      }),
    )
  })

  test('refuses any number with a real third decimal, as far as floats can tell one (2^43)', () => {
    fc.assert(
      fc.property(
        thirdDecimal(8_796_093_022_207),
        (text) => parseMoney(Number(text)) === 'too many decimals',
      ),
      { numRuns: 1_000 },
    )
  })

  test('refuses any text with a real third decimal', () => {
    fc.assert(
      fc.property(thirdDecimal(9_999_999_999_998), (text) => parseMoney(text) === 'too many decimals'),
      { numRuns: 1_000 },
    )
  })

  test.each([
    [9_999_999_999_999.99, 999_999_999_999_999],
    ['-9999999999999.99', -999_999_999_999_999],
    [10_000_000_000_000, 'too large'],
    ['10000000000000.00', 'too large'],
    [-1e13, 'too small'],
    ['9'.repeat(400), 'too large'],
    [Number.NaN, 'not a number'],
    [Number.POSITIVE_INFINITY, 'not a number'],
    ['', 'not a number'],
    ['.', 'not a number'],
    ['1e3', 'not a number'],
    ['1,5', 'not a number'],
    ['0x1', 'not a number'],
    ['١', 'not a number'],
    [null, 'not a number'],
    [undefined, 'not a number'],
    [true, 'not a number'],
    [[1], 'not a number'],
    [12n, 'not a number'],
    ['999999999.2999999', 99_999_999_930],
    ['0.2999999', 'too many decimals'],
  ])('reads %s as %s', (input, expected) => {
    expect(parseMoney(input)).toBe(expected)
  })
})

describe('writing money', () => {
  test('as a JSON number gives the digits of the decimal string, for every total there can be', () => {
    fc.assert(
      fc.property(minor(maxTotal), (amount) => {
        const digits = JSON.stringify(moneyNumber(amount))
        const [whole, decimals = ''] = digits.split('.')
        return `${whole}.${decimals.padEnd(2, '0')}` === formatMoney(amount)
      }),
      { numRuns: 1_000 },
    )
  })

  test('as a JSON number is exact for totals that no number holds as well', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), (amount) => {
        const [whole, decimals = ''] = JSON.stringify(moneyNumber(amount)).split('.')
        return `${whole}.${decimals.padEnd(2, '0')}` === formatMoney(amount)
      }),
      { numRuns: 1_000 },
    )
  })
})
