import { expect, test } from 'vitest'
import { errorsOf as corpusErrorsOf, readGeneric, readStatement } from './corpus.ts'

const head = 'date,amount,description\n2026-01-01,-1,x\n'
const utf8 = (text: string) => new TextEncoder().encode(text)
const utf16 = (units: number[]) => new Uint8Array(new Uint16Array([0xfeff, ...units]).buffer)
const swapped = (bytes: Uint8Array) => bytes.map((_, i) => bytes[i ^ 1] ?? 0)
const unitsOf = (text: string) => Array.from(text, (character) => character.charCodeAt(0))

/** The fields with errors when a file is read, for each of the readers. */
function errorsOf(bytes: Uint8Array): string[][] {
  return [readGeneric, readStatement].map((read) => Object.keys(corpusErrorsOf(() => read(bytes, {})) ?? {}))
}

function messageOf(bytes: Uint8Array): string | undefined {
  return corpusErrorsOf(() => readStatement(bytes, {}))?.file?.[0]
}

test.each([
  ['half a date', `${head}2026-01-\n`],
  ['a year alone', `${head}2026\n`],
  ['text in every cell', `${head}x,y,z\n`],
  ['half a year', `${head}20\n`],
  ['half a date and the name of a balance', `${head}2026-01-,-1,New Balance\n`],
  ['half the name of a month', `${head}Jan 3\n`],
  ['something in the amount cell', `${head}x,y,\n`],
  ['digits in the date cell', `${head}x1,,y\n`],
])('a last line with %s is a wrong row, not a footer', (_, text) => {
  for (const fields of errorsOf(utf8(text))) expect(fields).toContain('rows.3.date')
})

test('a line of as many cells as the table is no footer, though no other line is a row', () => {
  for (const fields of errorsOf(utf8('date,amount\nx,y\n'))) expect(fields).toEqual(['file'])
})

test('a last line that sums up or closes the file is a footer', () => {
  for (const footer of [
    'Total,-1,',
    '3 rows,,',
    'End of file',
    'Exported on 2026-01-31',
    'Totals 2026,-1,',
  ]) {
    expect(readGeneric(utf8(`${head}${footer}\n`), {}).rows).toHaveLength(1)
  }
})

test.each([
  ['UTF-16 with half a surrogate pair', utf16([...unitsOf(head), 0xd800, ...unitsOf('\n')])],
  ['UTF-16 with an odd byte at the end', utf16(unitsOf(head)).slice(0, -1)],
  ['big-endian UTF-16 with half a surrogate pair', swapped(utf16([...unitsOf(head), 0xdc00]))],
  ['UTF-16 without a mark that has an odd byte', utf16(unitsOf(head)).slice(2, -1)],
  ['UTF-8 that ends after many characters', utf8(`${head}2026-01-02,-1,ééééééééé`).slice(0, -1)],
  [
    'UTF-8 with a mark and a stray byte',
    new Uint8Array([...utf8(`\ufeff${head}2026-01-02,-1,`), 0xff, ...utf8('\n')]),
  ],
  [
    'UTF-8 with many characters and a stray byte',
    new Uint8Array([...utf8(`${head}2026-01-02,-1,éééééééé`), 0xff, ...utf8('\n')]),
  ],
  [
    'UTF-8 with a stray byte',
    new Uint8Array([...utf8(`${head}2026-01-02,-1,café\n2026-01-03,-1,`), 0xff, ...utf8('\n')]),
  ],
])('%s is refused as a file', (_, bytes) => {
  for (const fields of errorsOf(bytes)) expect(fields).toEqual(['file'])
})

test('a damaged file says in which line', () => {
  const stray = new Uint8Array([...utf8(`${head}2026-01-02,-1,éééé`), 0xff, ...utf8('\n')])
  expect(messageOf(stray)).toContain('see line 3')
  const cut = utf8(`${head}2026-01-02,-1,éé`).slice(0, -1)
  expect(messageOf(cut)).toContain('see line 3')
})

test.each([
  ['UTF-8', utf8(`${head}\0\0\0`)],
  ['UTF-8 of a DOS program', utf8(`${head}\x1a`)],
  ['UTF-16', utf16([...unitsOf(head), 0, 0, 0])],
])('a file in %s may be filled up with NULs', (_, bytes) => {
  expect(readGeneric(bytes, {}).rows).toHaveLength(1)
})

test('a file of an older encoding may end in a letter of it', () => {
  const bytes = new Uint8Array([...utf8(`${head}2026-01-02,-1,caf`), 0xe9])
  expect(readGeneric(bytes, {}).rows.at(-1)?.description).toBe('café')
})
