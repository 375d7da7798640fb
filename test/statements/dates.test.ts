import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readStatementLine } from '../../statements/mt940/statement-line.ts'
import { Aspects } from '../../statements/shared/aspect.ts'
import { dateCell } from '../../statements/shared/date.ts'
import { Problems } from '../../statements/shared/problems.ts'
import { dateReader } from '../../statements/tables/aspects/dates.ts'
import { encode, errorsOf, read } from './corpus.ts'
import { type FileOptions, readGeneric } from './readers.ts'

/** The dates of a file, or its errors. */
const readAll = (texts: string[], said?: string) => {
  const problems = new Problems()
  const cells = texts.map((text, i) => dateCell(i + 2, text))
  const aspects = new Aspects({ answers: said === undefined ? {} : { date_format: said } })
  const dates = cells.map(dateReader(cells, aspects, problems))
  return errorsOf(() => problems.throwIfAny(aspects)) ?? dates
}

describe('a written date', () => {
  test.each([
    ['2026-02-01', '2026-02-01'],
    ['2026/2/1', '2026-02-01'],
    ['2026.02.01.', '2026-02-01'],
    ['2026年2月1日', '2026-02-01'],
    ['令和8年2月1日', '2026-02-01'],
    ['R08.02.01', '2026-02-01'],
    ['115/02/01', '2026-02-01'],
    ['1150201', '2026-02-01'],
    ['民國115年2月1日', '2026-02-01'],
    ['2026년 2월 1일 09:30', '2026-02-01'],
    ['20260201', '2026-02-01'],
    ['20260201120000', '2026-02-01'],
    ['2026-02-01T23:30:00.000Z', '2026-02-01'],
    ['2026-02-01 23:30:00 +0200', '2026-02-01'],
    ['2026-02-01+01:00', '2026-02-01'],
    ['01.02.2026', '2026-02-01'],
    ['1.2.26', '2026-02-01'],
    ['01.02.1999 10:30', '1999-02-01'],
    ['1. 2. 2026', '2026-02-01'],
    ['31122026', '2026-12-31'],
    ['13/02/2026', '2026-02-13'],
    ['Sun 01 Feb 2026', '2026-02-01'],
    ['Sunday, February 1, 2026', '2026-02-01'],
    ['02/13/2026', '2026-02-13'],
    ['02/13/2026 11:59 PM', '2026-02-13'],
    ['13-02-26', '2026-02-13'],
    ["12/31'26", '2026-12-31'],
    ["13/ 2' 6", '2006-02-13'],
    ['1 Feb 2026', '2026-02-01'],
    ['01-Feb-26', '2026-02-01'],
    ['Feb 1, 2026', '2026-02-01'],
    ['1. März 2026', '2026-03-01'],
    ['1er févr. 2026', '2026-02-01'],
    ['15 août 2026', '2026-08-15'],
    ['3 de marzo de 2026', '2026-03-03'],
    ['12 paź 2026', '2026-10-12'],
    ['7 mrt 2026', '2026-03-07'],
    ['7. března 2026', '2026-03-07'],
    ['7 kasım 2026', '2026-11-07'],
    ['7 мая 2026', '2026-05-07'],
    ["7 Mar '26", '2026-03-07'],
    ['7 Mar 2026 | 18:22', '2026-03-07'],
    ['١٣/٠٢/٢٠٢٦', '2026-02-13'],
    ['29/02/2024', '2024-02-29'],
  ])('%s is %s', (text, date) => {
    expect(readAll([text])).toEqual([date])
  })

  test.each([
    '31.02.2026',
    '2026-13-01',
    '29/02/2023',
    '1/2/6',
    '1 Foo 2026',
    '45321',
    'yesterday',
    '00/00/0000',
    '2026-02-01x',
    // 01012026 without its zero, not a year of Taiwan.
    '1012026',
  ])('%s is none', (text) => {
    expect(readAll([text])).toEqual({ 'rows.2.date': ['The date field must be a valid date.'] })
  })

  test('must be there, and from 1900 to 2100', () => {
    expect(readAll(['', '1899-12-31', '2101-01-01', '1900-01-01', '2100-12-31'])).toEqual({
      'rows.2.date': ['The date field is required.'],
      'rows.3.date': ['The date field must be a date from 1900-01-01 to 2100-12-31.'],
      'rows.4.date': ['The date field must be a date from 1900-01-01 to 2100-12-31.'],
    })
  })
})

describe('the order of day and month', () => {
  test('is settled by any one date of the file', () => {
    expect(readAll(['01/02/2026', '13/02/2026'])).toEqual(['2026-02-01', '2026-02-13'])
    expect(readAll(['01/02/2026', '02/13/2026'])).toEqual(['2026-01-02', '2026-02-13'])
  })

  test('does not matter if both readings are the same day', () => {
    expect(readAll(['01/01/2026', '07-07-26'])).toEqual(['2026-01-01', '2026-07-07'])
  })

  test('is asked for, with both readings, if nothing settles it', () => {
    expect(readAll(['05/05/2026', '01/02/2026'])).toEqual({
      date_format: [
        'The date 01/02/2026 in row 3 can be read in two ways and nothing in the file settles it; choose DD/MM/YYYY (2026-02-01) or MM/DD/YYYY (2026-01-02).',
      ],
    })
  })

  test('is asked for if two dates contradict each other', () => {
    expect(readAll(['13/02/2026', '02/13/2026'])).toEqual({
      date_format: [
        'The dates 13/02/2026 in row 2 and 02/13/2026 in row 3 are written in different orders; choose DD/MM/YYYY or MM/DD/YYYY.',
      ],
    })
  })

  test.each([
    ['DD/MM/YYYY', '2026-02-01'],
    ['d/m/Y', '2026-02-01'],
    ['%m/%d/%Y', '2026-01-02'],
    ['MM-DD-YY HH:mm', '2026-01-02'],
    ['dmy', '2026-02-01'],
  ])('is as a form field says: %s', (format, date) => {
    expect(readAll(['01/02/2026'], format)).toEqual([date])
  })

  test('said by a form field is kept to', () => {
    expect(readAll(['13/02/2026'], 'MM/DD/YYYY')).toEqual({
      'rows.2.date': ['The date field must be a valid date.'],
    })
    expect(readAll(['01.02.2026'], 'MM/DD/YYYY')).toEqual(['2026-01-02'])
    expect(readAll(['2026-02-01'], 'YYYY-DD-MM')).toEqual(['2026-01-02'])
    expect(readAll(['26-02-01'], 'YY-MM-DD')).toEqual(['2026-02-01'])
  })

  test('said by a form field must be an order', () => {
    expect(readAll(['2026-01-01'], 'weekly')).toEqual({
      date_format: [
        'The selected date format is invalid; use one of DD/MM/YYYY, MM/DD/YYYY, YYYY-MM-DD, YYYY-DD-MM.',
      ],
    })
  })

  test('is found for any dates of which one has a day past the twelfth', () => {
    const dates = (min: string, max: string) =>
      fc.array(
        fc
          .date({ min: new Date(min), max: new Date(max), noInvalidDate: true })
          .map((date) => date.toISOString().slice(0, 10)),
        { minLength: 1, maxLength: 20 },
      )
    const styles = fc.record({
      order: fc.constantFrom('dmy', 'mdy'),
      separator: fc.constantFrom('/', '-'),
      padded: fc.boolean(),
    })
    // A few dates of many years can be those of one month with the year first, if it has two digits.
    const years = fc.oneof(
      fc.record({ short: fc.constant(false), some: dates('1970-01-01', '2069-12-31') }),
      fc.record({ short: fc.constant(true), some: dates('2026-01-01', '2026-12-26') }),
    )
    fc.assert(
      fc.property(years, styles, ({ short, some }, { order, separator, padded }) => {
        const all = [...some, '2026-02-13']
        const written = all.map((date) => {
          const [year = '', month = '', dayOfMonth = ''] = date.split('-')
          const pad = (part: string) => (padded ? part : String(Number(part)))
          const parts = order === 'dmy' ? [pad(dayOfMonth), pad(month)] : [pad(month), pad(dayOfMonth)]
          return [...parts, short ? year.slice(2) : year].join(separator)
        })
        expect(readAll(written)).toEqual(all)
      }),
    )
  })
})

describe('years of two digits', () => {
  test('come last, as is usual', () => {
    expect(readAll(['13-11-26'])).toEqual(['2026-11-13'])
    expect(readAll(['26-11-25', '01-12-25', '03-01-26'])).toEqual(['2025-11-26', '2025-12-01', '2026-01-03'])
  })

  test('come first if no other order fits one of the dates', () => {
    expect(readAll(['26-11-13', '35-11-12'])).toEqual(['2026-11-13', '2035-11-12'])
    expect(readAll(['26-11-13', '35-11-12', '13-02-75'])).toEqual(['2013-11-26', '2035-11-12', '1975-02-13'])
  })

  test('are asked about if, coming first, they make one year of dates that are many years apart', () => {
    const month = ['26/01/25', '26/01/28', '26/02/14']
    expect(readAll(month)).toEqual({
      date_format: [
        'The date 26/01/25 in row 2 can be read in two ways and nothing in the file settles it; choose YYYY-MM-DD (2026-01-25) or DD/MM/YYYY (2025-01-26).',
      ],
    })
    expect(readAll(month, 'YYYY-MM-DD')).toEqual(['2026-01-25', '2026-01-28', '2026-02-14'])
    expect(readAll(month, 'DD/MM/YYYY')).toEqual(['2025-01-26', '2028-01-26', '2014-02-26'])
    expect(readAll(['26/01/10', '26/01/12'])).toEqual({
      date_format: [expect.stringContaining('choose DD/MM/YYYY (2010-01-26) or YYYY-MM-DD (2026-01-10)')],
    })
    expect(readAll(['02/03/25', '02/03/26'])).toEqual({
      date_format: [
        'The date 02/03/25 in row 2 can be read in three ways and nothing in the file settles it; choose DD/MM/YYYY (2025-03-02) or MM/DD/YYYY (2025-02-03) or YYYY-MM-DD (2002-03-25).',
      ],
    })
    // Dots come with the day first.
    expect(readAll(['26.01.25', '26.01.28'])).toEqual(['2025-01-26', '2028-01-26'])
    expect(readAll(['13-10-26', '14-10-26', '31-10-26'])).toEqual(['2026-10-13', '2026-10-14', '2026-10-31'])
  })
})

describe('dates far from today', () => {
  const today = '2026-11-27'
  const asWritten: FileOptions = { signs: 'as_written', today }
  const dated = (dates: string[], header = 'Date,Description,Amount', rest = '') =>
    [header, ...dates.map((date) => `${date},Tea,-1.50${rest}`)].join('\n')
  const datesOf = (text: string, options: FileOptions = {}) =>
    read(text, { ...asWritten, ...options }).accounts[0]?.entries.map(({ date }) => date)
  const asked = (text: string, options: FileOptions = {}) =>
    errorsOf(() => read(text, { ...asWritten, ...options }))?.date_format?.[0]

  test('are asked about if years of two digits may be those of the Buddhist era', () => {
    const text = dated(['23/10/69', '24/10/69'])
    expect(asked(text)).toBe(
      'The date 23/10/69 in row 2 would be 2069-10-23; choose how the dates are written.',
    )
    expect(datesOf(text, { date_format: 'DD/MM/YYYY BE' })).toEqual(['2026-10-23', '2026-10-24'])
    expect(datesOf(text, { date_format: 'DD/MM/YYYY' })).toEqual(['2069-10-23', '2069-10-24'])
    expect(datesOf(dated(['29 ก.พ. 67']), { date_format: 'DD/MM/YYYY BE' })).toEqual(['2024-02-29'])
    expect(datesOf(dated(['23/10/26', '24/10/26']))).toEqual(['2026-10-23', '2026-10-24'])
  })

  test('are asked about in bank files also in years of four digits', () => {
    const text = dated(['2026-10-23', '2027-10-24'])
    expect(asked(text)).toBe(
      'The date 2027-10-24 in row 3 is more than 62 days after today, 2026-11-27; send date_format=as_written if it is right.',
    )
    expect(datesOf(text, { date_format: 'as_written' })).toEqual(['2026-10-23', '2027-10-24'])
    expect(datesOf(dated(['2026-10-23', '2027-01-28']))).toEqual(['2026-10-23', '2027-01-28'])
  })

  test('that are right as they are written are still asked for the order of day and month', () => {
    expect(asked(dated(['02/03/2027']), { date_format: 'as_written' })).toMatch(/can be read in two ways/)
  })

  test('are expected of instalments, in tables of your own, and before 1970', () => {
    const instalments = dated(['2026-10-23', '2027-10-24'], 'Date,Description,Amount,Parcela', ',2/12')
    expect(datesOf(instalments)).toEqual(['2026-10-23', '2027-10-24'])
    const own = readGeneric(encode(dated(['2027-10-23', '2031-10-24'])), asWritten)
    expect(own.rows.map(({ date }) => date)).toEqual(['2027-10-23', '2031-10-24'])
    expect(datesOf(dated(['1962-10-23']))).toEqual(['1962-10-23'])
  })
})

test.each([
  ['2602300301', '2026-03-01'],
  ['260230', '2026-02-28'],
  ['2602280230', '2026-02-28'],
  ['2503010229', '2025-02-28'],
  ['2403010230', '2024-02-29'],
  ['2601021231', '2025-12-31'],
])('a statement line of MT940 that begins with %s was booked on %s', (days, date) => {
  const problems = new Problems()
  expect(readStatementLine(`${days}D5,00NTRFNONREF`, 1, problems)?.entry.date).toBe(date)
})
