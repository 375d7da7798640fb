import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxAmount } from '../../src/domain/money.ts'
import { amountCell } from '../../statements/shared/amount.ts'
import { Aspects } from '../../statements/shared/aspect.ts'
import { Problems } from '../../statements/shared/problems.ts'
import { amountReader } from '../../statements/tables/aspects/decimals.ts'
import { errorsOf } from './corpus.ts'

const read = (text: string, separator: '.' | ',') =>
  amountReader(
    [],
    new Aspects({ answers: { decimal_separator: separator } }),
    new Problems(),
  )(amountCell(1, text))

/** The separator that is found for a file of these amounts, or the error under `decimal_separator`. */
const decide = (texts: string[], said?: string) => {
  const problems = new Problems()
  const cells = texts.map((text, i) => amountCell(i + 2, text))
  const aspects = new Aspects({ answers: said === undefined ? {} : { decimal_separator: said } })
  const read = amountReader(cells, aspects, problems)
  const errors = errorsOf(() => problems.throwIfAny(aspects))
  if (errors) return errors.decimal_separator?.[0]
  return read(amountCell(1, '1.5')) === 150 ? '.' : ','
}

describe('a written amount', () => {
  test.each([
    ['1,234.56', '.', 123456],
    ['1.234,56', ',', 123456],
    ['1 234,56', ',', 123456],
    ['1\u00a0234,56', ',', 123456],
    ['1\u202f234,56', ',', 123456],
    ['1\u2009234 567,8', ',', 123456780],
    ["1'234.56", '.', 123456],
    ['1’234.56', '.', 123456],
    ['12,34,567.89', '.', 123456789],
    ['.5', '.', 50],
    [',05', ',', 5],
    ['5.', '.', 500],
    ['-0.00', '.', 0],
    ['+7', '.', 700],
    ['−7,10', ',', -710],
    ['(1,234.50)', '.', -123450],
    ['1.234,50-', ',', -123450],
    ['12,00 S', ',', -1200],
    ['12,00 H', ',', 1200],
    ['12.00 CR', '.', 1200],
    ['12,00 Bij', ',', 1200],
    ['12,00 Af', ',', -1200],
    ['392,95 A', ',', 39295],
    ['12.00DR', '.', -1200],
    ['12.00 Dr.', '.', -1200],
    ['€ 12,00', ',', 1200],
    ['12,00 €', ',', 1200],
    ['-$12.00', '.', -1200],
    ['$-12.00', '.', -1200],
    ['- $ 12.01', '.', -1201],
    ['R$ 1.234,56', ',', 123456],
    ['Fr. 12.50', '.', 1250],
    ['SFr.12.50', '.', 1250],
    ['12,50 zł', ',', 1250],
    ['１，５００', '.', 150000],
    ['－１２．５０', '.', -1250],
    ['Rp1.234,56', ',', 123456],
    ['RM 12.50', '.', 1250],
    ['S/.12.50', '.', 1250],
    ['1681,50грн.', ',', 168150],
    ['12,50 din.', ',', 1250],
    ['12.500 KD', '.', 1250],
    ['12.50 د.إ', '.', 1250],
    ['1,250円', '.', 125000],
    ['-NT$1,250', '.', -125000],
    ['△1,250', '.', -125000],
    ['▲1,250', '.', -125000],
    ['-350,75 TL', ',', -35075],
    ['٣', '.', 300],
    ['-١٬٢٣٤٫٥٠', '.', -123450],
    ['１２３４', '.', 123400],
    // In Shift JIS, a yen sign is the byte of a backslash.
    ['\\1,250', '.', 125000],
    ['CHF 5', '.', 500],
    ['10.5000', '.', 1050],
    ['0.30000000000000004', '.', 30],
    ['9,999,999,999,999.99', '.', maxAmount],
  ] as const)('%s with %s before the decimals is %i', (text, separator, amount) => {
    expect(read(text, separator)).toBe(amount)
  })

  test.each([
    '',
    '-',
    'abc',
    '12 apples',
    '120 km',
    '120 pts',
    '1.2.3',
    '1,2,3',
    '12,3456.7',
    '--5',
    '-5-',
    '-5 CR',
    '(5',
    '1 2',
    '1e5',
    '0x10',
    '12:30',
    '5%',
    '=5',
    '5 6 7 8',
    `${'1'.repeat(200)}`,
  ])('%j is none', (text) => {
    expect([read(text, '.'), read(text, ',')]).toEqual(['not a number', 'not a number'])
  })

  test('with a real third decimal, or beyond the bound, is refused by the rules of money', () => {
    expect(read('12.345', '.')).toBe('too many decimals')
    expect(read('12.3450', '.')).toBe('too many decimals')
    expect(read('10000000000000.00', '.')).toBe('too large')
  })

  test('reads back in every style that it can be written in', () => {
    const style = fc.record({
      amount: fc.integer({ min: 1, max: maxAmount }),
      grouping: fc.constantFrom('', ' ', '\u00a0', '\u202f', "'", '’', 'other'),
      separator: fc.constantFrom('.' as const, ',' as const),
      sign: fc.constantFrom('', '-', '()', 'behind', '−', 'DR'),
      currency: fc.constantFrom('', '€ ', 'EUR ', '$'),
    })
    fc.assert(
      fc.property(style, ({ amount, grouping, separator, sign, currency }) => {
        const digits = String(amount).padStart(3, '0')
        const group = grouping === 'other' ? (separator === '.' ? ',' : '.') : grouping
        const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, group)
        const plain = `${currency}${whole}${separator}${digits.slice(-2)}`
        const signed: Record<string, string> = {
          '': plain,
          '-': `-${plain}`,
          '()': `(${plain})`,
          behind: `${plain}-`,
          '−': `−${plain}`,
          DR: `${plain} DR`,
        }
        expect(read(signed[sign] ?? '', separator)).toBe(sign === '' ? amount : -amount)
      }),
      { numRuns: 500 },
    )
  })
})

describe('the decimal separator of a file', () => {
  test('is settled by any one amount that can be read in one way only', () => {
    expect(decide(['1.234', '5', '0,5'])).toBe(',')
    expect(decide(['1.234', '12.50'])).toBe('.')
    expect(decide(['1.234', '1.234.567'])).toBe(',')
    expect(decide(['1,234', '0.250'])).toBe('.')
    expect(decide(['1,234', '1234.5'])).toBe('.')
    expect(decide(['7', '1000'])).toBe('.')
  })

  test('is asked for if nothing settles it', () => {
    expect(decide(['5', '1.234'])).toMatch(/^The amount 1\.234 in row 3 can be read in two ways .* \. or ,$/)
    expect(decide(['1,234', '-2,000'])).toMatch(/^The amount 1,234 in row 2/)
  })

  test('is asked for if two amounts contradict each other', () => {
    expect(decide(['1,50', '1.50'])).toMatch(/1\.50 in row 3 and 1,50 in row 2/)
  })

  test('is as a form field says', () => {
    expect(decide(['1.234'], ',')).toBe(',')
    expect(decide(['1,50'], '.')).toBe('.')
    expect(decide(['1'], ';')).toBe('The selected decimal separator is invalid; use . or ,')
  })
})
