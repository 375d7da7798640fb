import { describe, expect, test } from 'vitest'
import { encode, errorsOf, type FileOptions, fileOf, read, readGeneric } from '../corpus.ts'

const asWritten: FileOptions = { signs: 'as_written' }
const entriesOf = (text: string) => read(text, asWritten).accounts.flatMap(({ entries }) => entries)
const errors = (text: string) => errorsOf(() => read(text, asWritten))

describe('a table', () => {
  test('has up to 10,000 rows and not one more', () => {
    const rows = (count: number) => `Date,Amount\n${'2026-01-31,-1\n'.repeat(count)}`
    expect(entriesOf(rows(10_000))).toHaveLength(10_000)
    expect(errors(rows(10_001))).toEqual({ file: ['The file must not have more than 10,000 rows.'] })
  })

  test('reports the first hundred errors and how many there are', () => {
    const found = errors(`Date,Amount\n${'2026-01-31,x\n'.repeat(250)}`) ?? {}
    expect(Object.keys(found)).toHaveLength(101)
    expect(found['rows.2.amount']).toEqual(['The amount field must be a number.'])
    expect(found.file).toEqual(['The file has 250 errors, of which the first 100 are shown.'])
  })

  test('has descriptions of at most 255 characters, without control characters', () => {
    const [row] = entriesOf(`Date,Amount,Description\n2026-01-31,-1,"a\tb\u0001 ${'x😀'.repeat(300)}"\n`)
    expect([...(row?.description ?? '')]).toHaveLength(255)
    expect(row?.description).toMatch(/^a b x😀.*…$/u)
  })

  test('of one’s own is told from a bank statement', () => {
    expect(errorsOf(() => readGeneric(encode(fileOf('ofx/us-checking-sgml.ofx')), {}))?.file).toEqual([
      'The file is a bank statement (OFX), not a CSV file; import it as one.',
    ])
  })
})
