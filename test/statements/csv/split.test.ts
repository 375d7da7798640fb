import fc from 'fast-check'
import Papa from 'papaparse'
import { expect, test } from 'vitest'
import { splitText } from '../../../statements/tables/text/split.ts'

/** Text made of what makes CSV hard: quotes, delimiters and line ends in every order. */
const pieces = [
  ...['"', '""', ',', ';', '\t', '|', '\n', ' ', '  '],
  ...['a', 'b c', '1.250,00', '"x"', '"x,\n""y"', 'é'],
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
