import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { corpus, encode, errorsOf, fileOf, readGeneric, readStatement, statements } from './corpus.ts'

/** Large enough for every limit within a file. */
const fileBytes = 1_000_000
const fill = (text: string) => text.repeat(fileBytes / text.length)
const asStatement = (bytes: Uint8Array) => errorsOf(() => readStatement(bytes, {}))
const asGeneric = (bytes: Uint8Array) => errorsOf(() => readGeneric(bytes, {}))
const latin = (text: string) => encode(text, 'windows-1252')

describe('a file that is no statement', () => {
  test.each([
    ['PK\u0003\u0004', 'a ZIP archive'],
    ['PK\u0003\u0004 [Content_Types].xml xl/workbook.xml', 'an Excel workbook'],
    ['%PDF-1.7', 'a PDF document'],
    ['\u0089PNG\r\n', 'a PNG image'],
    ['\u00ff\u00d8\u00ff\u00e0', 'a JPEG image'],
    ['\u00d0\u00cf\u0011\u00e0', 'an old Microsoft Office document'],
    ['\u001f\u008b', 'a gzip archive'],
    ['{\\rtf1', 'an RTF document'],
    ['<html><table></table></html>', 'a web page (HTML)'],
    ['<?xml version="1.0"?><invoice/>', 'XML, but not a statement'],
    ['{"transactions":[]}', 'JSON'],
    ['', 'empty'],
    [' \n\t\n', 'empty'],
  ])('%j is refused as %s', (start, what) => {
    const bytes = Uint8Array.from(start, (character) => character.charCodeAt(0))
    expect(asStatement(bytes)?.file?.[0]).toContain(what)
    expect(asGeneric(bytes)?.file?.[0]).toContain(what)
  })

  test('holds a NUL, and is told where', () => {
    expect(asStatement(encode('date,amount\n2026-01-01,5\n2026-01-02,\0-3'))).toEqual({
      file: ['The file has a NUL character on line 3, so it is not text.'],
    })
  })

  test('is in UTF-32', () => {
    expect(asStatement(Uint8Array.of(0xff, 0xfe, 0, 0, 0x41, 0, 0, 0))?.file?.[0]).toContain('UTF-32')
  })

  test('reports a day that is not over', () => {
    const interim =
      ':20:X\n:25:DE02120300000000202051\n:28C:1\n:34F:EUR0,\n:13D:2601011200+0100\n:61:260101C5,NTRFNONREF\n:90C:1EUR5,\n-\n'
    expect(asStatement(encode(interim))?.file?.[0]).toContain('MT942')
  })
})

describe('a document type definition', () => {
  const bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'

  test.each(['camt/de-053-v8.xml', 'ofx/gb-two-accounts-v2.ofx'])('in %s is refused', (path) => {
    const text = fileOf(path).replace('?>\n', `?>\n${bomb}\n`)
    expect(asStatement(encode(text))?.file?.[0]).toContain('document type definition')
  })

  test('alone can define entities other than those of XML, which stay as they are', () => {
    const text = fileOf('camt/de-053-v8.xml').replace('Erstattung', '&euro;')
    const entries = readStatement(encode(text), {}).accounts.flatMap((account) => account.entries)
    expect(entries.some(({ description }) => description?.includes('&euro;'))).toBe(true)
  })
})

describe('a large file of one thing', () => {
  const camt = '<Document><BkToCstmrStmt>'
  test.each([
    ['nested elements', camt + fill('<a>')],
    ['elements', camt + fill('<a/>')],
    ['angle brackets', camt + fill('<')],
    ['comments', camt + fill('<!---->')],
    ['references', `${camt}${fill('&amp;')}`],
    ['OFX aggregates', `<OFX>${fill('<STMTRS>')}`],
    ['unknown OFX tags', `<OFX>${fill('<A>')}</A>`],
    ['OFX brackets', `<OFX>${fill('<')}`],
    ['unended CDATA', `<OFX>${fill('<![CDATA[')}`],
    ['half entities', `<OFX><STMTRS><STMTTRN><NAME>${fill('&#x')}`],
    ['QIF lines', `!Type:Bank\n${fill('PX\n')}`],
    ['QIF records', `!Type:Bank\n${fill('D1\n^\n')}`],
    ['one QIF line', `!Type:Bank\nT${fill('1')}`],
    ['SWIFT fields', `:20:x\n${fill(':86:?20a?20b\n')}`],
    ['old line ends', `:20:x${fill('@@:')}`],
    ['one SWIFT line', `:20:x\n:61:${fill('1')}`],
    ['commas', `date,amount\n${fill(',')}`],
    ['quotes', `date,amount\n${fill('"a"b\n')}`],
    ['one quoted cell', `date,amount\n"${fill('a"')}`],
    ['empty lines', `date,amount\n${fill('\n')}`],
    ['rows', `date,amount\n${fill('2026-01-01,1\n')}`],
    ['spaces', fill(' ')],
    ['JSON', fill('{"a":')],
  ])('(%s) is refused', (_, text) => {
    // test/statements/work.test.ts measures what such files cost.
    expect(asStatement(encode(text))).not.toBeNull()
  })
})

describe('a file that is cut off', () => {
  test.each(statements.filter(([path]) => /^(?:ofx|camt|mt940|qif)\//.test(path)))(
    '%s, anywhere in its second half, is refused or loses no more than what follows its end',
    (_, text) => {
      const whole = readStatement(encode(text), {})
      for (let part = 50; part < 100; part += 3) {
        const bytes = encode(text.slice(0, Math.floor((text.trimEnd().length * part) / 100)))
        const errors = asStatement(bytes)
        if (errors === null) {
          // Between two statements or records nothing shows that more was to come.
          const rows = readStatement(bytes, {}).accounts.flatMap((account) => account.entries)
          const all = whole.accounts.flatMap((account) => account.entries)
          expect(all).toEqual(expect.arrayContaining(rows))
        }
      }
    },
  )

  test.each([
    [
      'ofx/us-checking-sgml.ofx',
      '</LEDGERBAL>',
      /ends before <\/OFX>, inside <LEDGERBAL> after 3 transactions/,
    ],
    [
      'mt940/de-structured.sta',
      ':62F:',
      /ends before the closing balance \(:62F:\) of the statement that begins on line 1/,
    ],
    ['camt/de-053-v8.xml', '</Stmt>', /Missing end tag for element Stmt \(line 29/],
    ['qif/us-quicken.qif', 'PEmployer', /ends before the \^ of the record on line 10/],
  ])('%s says where', (path, before, message) => {
    const text = fileOf(path)
    expect(asStatement(encode(text.slice(0, text.indexOf(before))))?.file?.[0]).toMatch(message)
  })

  test('QIF records without the ^ between them are refused', () => {
    const records = '!Type:Bank\nD10/13/2026\nT-4\nPx\nD10/14/2026\nT-5\nPy\n^\n'
    expect(asStatement(encode(records))?.file).toEqual([
      'The record on line 2 goes on in line 5; it lacks the ^ at its end.',
    ])
    const memo = '!Type:Bank\nD10/13/2026\nT-4\nMFuel\nTransfer\nDone at 10:00\n^\n'
    expect(asStatement(encode(memo))).toBeNull()
  })
})

describe('a mutated file', () => {
  const mutation = fc.record({
    at: fc.double({ min: 0, max: 0.999999, noNaN: true }),
    kind: fc.constantFrom('replace', 'insert', 'remove', 'repeat', 'cut', 'swap'),
    bytes: fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 6 }),
      fc
        .constantFrom(
          ...['"', ';', ',', '\n', '<', '>', '</', '&', ':', '?', '-', '0'],
          ...['9', '99999999', ':61:', '^', '!'],
        )
        .map(latin),
    ),
    length: fc.integer({ min: 1, max: 200 }),
  })

  const mutate = (
    bytes: Uint8Array,
    { at, kind, bytes: extra, length }: typeof mutation extends fc.Arbitrary<infer T> ? T : never,
  ) => {
    const position = Math.floor(at * bytes.length)
    const head = bytes.subarray(0, position)
    const tail = bytes.subarray(position)
    const parts = {
      replace: [head, extra, tail.subarray(extra.length)],
      insert: [head, extra, tail],
      remove: [head, tail.subarray(length)],
      repeat: [head, tail.subarray(0, length), tail],
      cut: [head],
      swap: [tail, head],
    }
    return new Uint8Array(Buffer.concat(parts[kind as keyof typeof parts]))
  }

  test.each([...corpus])('of %s is read or refused, and nothing else', (_, text) => {
    const bytes = encode(text)
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (mutations) => {
        const mutated = mutations.reduce(mutate, bytes)
        // Neither call may throw anything but Invalid, and an error always names a field.
        for (const errors of [asStatement(mutated), asGeneric(mutated)]) {
          if (errors) expect(Object.keys(errors)).not.toHaveLength(0)
        }
      }),
      { numRuns: 2 },
    )
  })

  test('of random bytes is read or refused, and nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        asStatement(bytes)
        asGeneric(bytes)
      }),
      { numRuns: 300 },
    )
  })
})
