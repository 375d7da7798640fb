import { describe, expect, test } from 'vitest'
import {
  contentsOf,
  corpus,
  encode,
  errorsOf,
  expectedOf,
  fileOf,
  fits,
  genericFiles,
  read,
  readGeneric,
  statements,
  workbooks,
} from './corpus.ts'

test('the corpus has files of every format', () => {
  expect(new Set(statements.map(([path]) => path.split('/')[0]))).toEqual(
    new Set(['csv', 'mt940', 'camt', 'ofx', 'qif']),
  )
  expect(corpus.size).toBeGreaterThan(145)
  expect(new Set(eastAsian.map(([, encoding]) => encoding))).toEqual(new Set(Object.values(encodings)))
  expect(workbooks.map(([path]) => path.split('/')[0]).sort()).toEqual(['generic-csv', 'xlsx'])
})

/** The files of countries that have an encoding of their own, as far as it has their letters. */
const encodings = { cn: 'gb18030', jp: 'shift_jis', kr: 'euc-kr', tw: 'big5' }
const eastAsian = statements.flatMap(([path, text]) => {
  const encoding = encodings[path.slice('csv/'.length, 'csv/cn'.length) as keyof typeof encodings]
  return encoding && fits(text, encoding) ? [[path, encoding, text] as const] : []
})

/** A minus sign alone proves nothing. */
const asWritten = { signs: 'as_written' } as const

/** True if nearly all characters are Latin letters, digits and signs. */
const isLatin = (text: string) => [...text].filter((one) => one <= '\u00ff').length > text.length * 0.9

describe('a statement of the corpus', () => {
  test.each(statements)('%s reads as the file beside it expects', (path, text) => {
    const { options, asks, ...expected } = expectedOf(path)
    expect(read(text, options)).toEqual(expected)
    if (asks) expect(Object.keys(errorsOf(() => read(text)) ?? {}).sort()).toEqual(asks.toSorted())
  })

  test.each(statements)('%s reads the same with other line ends and in other encodings', (path, text) => {
    const { options = {} } = expectedOf(path)
    const expected = read(text, options)
    const same = (bytes: Uint8Array) => expect(contentsOf(bytes, options)).toEqual(expected)
    same(encode(text.replaceAll('\n', '\r\n')))
    same(encode(text.replaceAll('\n', '\r')))
    same(encode(`\ufeff${text}`))
    for (const encoding of ['utf-16le', 'utf-16be']) {
      same(encode(`\ufeff${text}`, encoding))
      // Without a mark, NULs between Latin letters give it away.
      if (isLatin(text)) same(encode(text, encoding))
    }
  })

  test.each(statements.filter(([, text]) => fits(text, 'windows-1252')))(
    '%s reads the same in Windows-1252',
    (path, text) => {
      const { options = {} } = expectedOf(path)
      // An XML file has to say that it is in another encoding than UTF-8.
      const bytes = encode(text.replace(/encoding="utf-8"/i, 'encoding="windows-1252"'), 'windows-1252')
      expect(contentsOf(bytes, options)).toEqual(read(text, options))
    },
  )

  test('in Windows-1250 or ISO 8859-2 is recognised by its Polish letters', () => {
    const text = fileOf('csv/pl-mbank.csv')
    for (const encoding of ['windows-1250', 'iso-8859-2']) {
      expect(contentsOf(encode(text, encoding), {})).toEqual(read(text))
    }
  })

  test('in Windows-1250 is recognised by its Czech letters', () => {
    const files = statements.filter(
      ([path, text]) => /csv\/(?:cz|sk)-/.test(path) && fits(text, 'windows-1250'),
    )
    expect(files.length).toBeGreaterThan(4)
    for (const [, text] of files)
      expect(contentsOf(encode(text, 'windows-1250'), asWritten)).toEqual(read(text, asWritten))
  })

  test.each(eastAsian)('%s in %s is recognised by its words', (path, encoding, text) => {
    const { options = {} } = expectedOf(path)
    expect(contentsOf(encode(text, encoding), options)).toEqual(read(text, options))
  })

  test('in Shift JIS is recognised by Japanese words below other headers', () => {
    const text = 'Date,Description,Amount\n2026-01-30,ローソン渋谷店,-1175\n2026-01-29,スターバックス,-500\n'
    expect(contentsOf(encode(text, 'shift_jis'), asWritten)).toEqual(read(text, asWritten))
  })

  test('in an East Asian encoding keeps its amounts where a bank has cut a character in half', () => {
    const [start, end] = ['日付,摘要,金額\n2026-01-30,パン', ',-1175\n'].map((text) =>
      encode(text, 'shift_jis'),
    )
    const bytes = Uint8Array.from([...(start ?? []), 0x83, ...(end ?? [])])
    expect(contentsOf(bytes, asWritten).accounts[0]?.entries).toMatchObject([{ amount: -117500 }])
  })

  test.each([
    ['Hungarian', 'windows-1250', 'Vásárlás, bőrönd üzlet'],
    ['Portuguese', 'windows-1252', 'Transações de crédito, prestações, água Müller'],
    ['Estonian', 'windows-1252', 'Külmkapp, võõras Pärnu'],
    ['French', 'windows-1252', 'Goûter à la fenêtre, Noël, Müller, août'],
    ['Greek', 'windows-1253', 'ΑΓΟΡΑ ΜΑΡΚΕΤ, Καφενείο'],
    ['Hebrew', 'windows-1255', 'סופר שוק, משכורת'],
    ['Russian', 'windows-1251', 'Оплата товаров, Магазин'],
    ['Turkish', 'windows-1254', 'ŞİŞLİ Beşiktaş, çarşı'],
    ['Latvian', 'windows-1257', 'Pirkums Rīgā, Šķēle'],
    ['Thai', 'windows-874', 'ถอนเงิน โอนเงิน, ค่าธรรมเนียม'],
  ])('in %s is recognised by letters that go together', (_, encoding, words) => {
    const text = `Date,Description,Amount\n2026-01-31,${words.replaceAll(',', '')},-3.20\n`
    expect(contentsOf(encode(text, encoding), asWritten)).toEqual(read(text, asWritten))
  })
})

describe('a generic CSV file of the corpus', () => {
  test.each(genericFiles)('%s reads as the file beside it expects', (path, text) => {
    const { options, ...expected } = expectedOf(path)
    const { rows, startingBalances: starts } = readGeneric(encode(text), options ?? {})
    expect({ rows, ...(starts.length > 0 && { starts }) }).toEqual(expected)
  })
})

describe('a workbook of the corpus', () => {
  test.each(workbooks)('%s reads as the file beside it expects', (path, bytes) => {
    const { options = {}, ...expected } = expectedOf(path)
    const isGeneric = path.startsWith('generic-csv/')
    const found = isGeneric ? { rows: readGeneric(bytes, options).rows } : contentsOf(bytes, options)
    expect(found).toEqual(expected)
  })
})
