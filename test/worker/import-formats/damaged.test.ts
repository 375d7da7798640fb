import { expect, test } from 'vitest'
import { Invalid } from '../../../src/domain/failures.ts'
import { readGenericCsv } from '../../../src/domain/import-formats/generic-csv.ts'
import { readStatement } from '../../../src/domain/import-formats/read-statement.ts'

const head = 'date,amount,description\n2026-01-01,-1,x\n'
const utf8 = (text: string) => new TextEncoder().encode(text)
const utf16 = (units: number[]) => new Uint8Array(new Uint16Array([0xfeff, ...units]).buffer)
const unitsOf = (text: string) => Array.from(text, (character) => character.charCodeAt(0))

/** The fields that reading a file complains of, by either reader. */
function errorsOf(bytes: Uint8Array): string[][] {
  return [readGenericCsv, readStatement].map((read) => {
    try {
      read(bytes, {})
      return []
    } catch (error) {
      if (error instanceof Invalid) return Object.keys(error.errors)
      throw error
    }
  })
}

test.each([
  ['half a date', `${head}2026-01-\n`],
  ['a year alone', `${head}2026\n`],
  ['text in every cell', `${head}x,y,z\n`],
])('a last line with %s is a wrong row, not a footer', (_, text) => {
  for (const fields of errorsOf(utf8(text))) expect(fields).toContain('rows.3.date')
})

test('a last line that sums up or closes the file is a footer', () => {
  for (const footer of ['Total,-1,', '3 rows,,', 'End of file']) {
    expect(readGenericCsv(utf8(`${head}${footer}\n`), {})).toHaveLength(1)
  }
})

test.each([
  ['UTF-16 with half a surrogate pair', utf16([...unitsOf(head), 0xd800, ...unitsOf('\n')])],
  ['UTF-16 with an odd byte at the end', utf16(unitsOf(head)).slice(0, -1)],
  ['UTF-8 that ends inside a character', new Uint8Array([...utf8(`${head}2026-01-02,-1,caf`), 0xc3])],
  [
    'UTF-8 with a stray byte',
    new Uint8Array([...utf8(`${head}2026-01-02,-1,café\n2026-01-03,-1,`), 0xff, ...utf8('\n')]),
  ],
])('%s is refused as a file', (_, bytes) => {
  for (const fields of errorsOf(bytes)) expect(fields).toEqual(['file'])
})

test('a file of an older encoding is still read', () => {
  const bytes = new Uint8Array([...utf8(`${head}2026-01-02,-1,caf`), 0xe9, ...utf8('\n')])
  expect(readGenericCsv(bytes, {}).at(-1)?.description).toBe('café')
})
