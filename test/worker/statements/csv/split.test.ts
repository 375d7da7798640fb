import fc from 'fast-check'
import Papa from 'papaparse'
import { expect, test } from 'vitest'
import { splitText } from '../../../../src/imports/formats/csv/split.ts'

/** Text made of what makes CSV hard: quotes, delimiters and line ends in every order. */
const pieces = [
  '"',
  '""',
  ',',
  ';',
  '\t',
  '|',
  '\n',
  ' ',
  '  ',
  'a',
  'b c',
  '1.250,00',
  '"x"',
  '"x,\n""y"',
  'é',
]
const csvText = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(''))
const delimiters = fc.constantFrom(',', ';', '\t', '|', ' ')

function byPapa(text: string, delimiter: string, maxRows: number) {
  const options = { delimiter, newline: '\n', quoteChar: '"', preview: maxRows, fastMode: false } as const
  const { data, errors } = Papa.parse<string[]>(text, options)
  return { rows: data, isBroken: errors.some(({ type }) => type === 'Quotes') }
}

test('text of any kind is split as Papa Parse splits it', () => {
  fc.assert(
    fc.property(csvText, delimiters, fc.integer({ min: 1, max: 20 }), (text, delimiter, maxRows) => {
      expect(splitText(text, delimiter, maxRows)).toEqual(byPapa(text, delimiter, maxRows))
    }),
    { numRuns: 5_000 },
  )
})

test.each([
  [
    'a,b\nc,d',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['a,b\n', [['a', 'b'], ['']]],
  ['', []],
  [',', [['', '']]],
  ['"a,b","c\nd"', [['a,b', 'c\nd']]],
  ['"say ""hi""",x', [['say "hi"', 'x']]],
  ['"a"  ,b', [['a', 'b']]],
  ['a "b" c,d', [['a "b" c', 'd']]],
])('%j is well-formed', (text, rows) => {
  expect(splitText(text, ',', 10)).toEqual({ rows, isBroken: false })
})

test.each(['"a', '"a" b,c', 'x,"a\ny', '"Bar "Sun"",1'])('%j has quotes that do not add up', (text) => {
  expect(splitText(text, ',', 10).isBroken).toBe(true)
})
