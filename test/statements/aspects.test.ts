import { describe, expect, test } from 'vitest'
import type { Settled } from '../../statements/shared/aspect.ts'
import { encode, errorsOf, type FileOptions, readGeneric, readStatement, unreadableOf } from './corpus.ts'
import { choiceOf } from './readers.ts'

/**
 * An aspect with a file that proves it, the same file without the proof, and one whose evidence contradicts itself. `asks` are
 * the fields of their questions; all other aspects of the files are proved or told.
 */
type Example = {
  field: string
  value: string
  proved: string
  unproved: string
  contradicted: string
  asks: [unproved: string, contradicted: string]
  options?: FileOptions
  /** The kind of file, if the aspect differs between them. */
  only?: Reader
}
type Reader = 'a bank statement' | 'a table of one’s own'

const table = (...lines: string[]) => `${lines.join('\n')}\n`
const asWritten: FileOptions = { signs: 'as_written' }
const named = 'Date,Text,Amount,Balance'
const ofx = (debit: string, credit: string) =>
  `<OFX><STMTRS><CURDEF>EUR<BANKTRANLIST><STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260102<TRNAMT>${debit}</STMTTRN><STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20260103<TRNAMT>${credit}</STMTTRN></BANKTRANLIST></STMTRS></OFX>`
const mt940 = (closing: string) =>
  `:20:x\n:25:1\n:60F:C260101EUR100,\n:61:260102D5,NTRFNONREF\n:62F:C260131EUR${closing}\n-\n`

const examples: Example[] = [
  {
    field: 'mapping.amount',
    value: '3',
    proved: table('31.01.2026;Tea;-3,00;5,00', '30.01.2026;Pay;10,00;8,00'),
    unproved: table('31.01.2026;Tea;-3,00;5,00', '30.01.2026;Pay;10,00;9,00'),
    contradicted: table('31.01.2026;Tea;-3,00;5,00;-3,00', '30.01.2026;Pay;10,00;8,00;10,00'),
    asks: ['mapping.amount', 'mapping.amount'],
  },
  {
    field: 'mapping.date',
    value: '1',
    proved: table('31.01.2026;Tea;-3,00', '30.01.2026;Pay;10,00'),
    unproved: table('31.01.2026;Tea;01.02.2026;-3,00', '30.01.2026;Pay;31.01.2026;10,00'),
    contradicted: table('Date;Date;Amount', '31.01.2026;01.02.2026;-3,00', '30.01.2026;31.01.2026;10,00'),
    asks: ['mapping.date', 'mapping.date'],
    options: asWritten,
  },
  {
    field: 'delimiter',
    value: ';',
    proved: table('Date;Text;Amount', '2026-01-02;Tea;-1.50'),
    unproved: table('2026-01-02;1;x|2026-01-03|2', '2026-01-04;3;x|2026-01-05|4'),
    contradicted: table('Date;Text,Date;Amount,Amount', '2026-01-02;Tea,2026-01-02;-1.50,-1.50'),
    asks: ['delimiter', 'delimiter'],
    options: asWritten,
  },
  {
    field: 'date_format',
    value: 'DD/MM/YYYY',
    proved: table(named, '01/02/2026,Tea,-1.50,8.50', '13/02/2026,Pay,2.00,10.50'),
    unproved: table(named, '01/02/2026,Tea,-1.50,8.50', '12/02/2026,Pay,2.00,10.50'),
    contradicted: table(named, '02/13/2026,Tea,-1.50,8.50', '13/02/2026,Pay,2.00,10.50'),
    asks: ['date_format', 'date_format'],
    options: asWritten,
  },
  {
    field: 'decimal_separator',
    value: ',',
    proved: table('Date;Amount', '2026-01-02;-1.500,00', '2026-01-03;2,000'),
    unproved: table('Date;Amount', '2026-01-02;-1.500', '2026-01-03;2.000'),
    contradicted: table('Date;Amount', '2026-01-02;-1,50', '2026-01-03;2.50'),
    asks: ['decimal_separator', 'decimal_separator'],
    options: asWritten,
  },
  {
    field: 'signs',
    value: 'inverted',
    proved: table('Date,Amount,D/C', '2026-01-02,1.50,D', '2026-01-03,-2.00,C'),
    unproved: table('Date,Amount', '2026-01-02,1.50', '2026-01-03,-2.00'),
    contradicted: table('Date,Amount,D/C', '2026-01-02,1.50,D', '2026-01-03,-2.00,D'),
    asks: ['signs', 'signs'],
    only: 'a bank statement',
  },
  {
    field: 'signs',
    value: 'as_written',
    proved: table(
      named,
      '2026-01-02,Tea,-1.50,8.50',
      '2026-01-03,Pay,2.00,10.50',
      '2026-01-04,Bus,-1.00,9.50',
    ),
    unproved: table(
      named,
      '2026-01-02,Tea,1.50,8.50',
      '2026-01-03,Pay,-2.00,6.50',
      '2026-01-04,Bus,1.00,7.50',
    ),
    contradicted: table(
      named,
      '2026-01-02,Tea,1.50,8.50',
      '2026-01-03,Pay,-2.00,6.50',
      '2026-01-04,Bus,1.00,5.50',
    ),
    asks: ['signs', 'signs'],
  },
  {
    field: 'signs',
    value: 'by_mark',
    proved: table('Date,Amount,D/C', '2026-01-02,1.50,D', '2026-01-03,2.00,C'),
    unproved: table('Date,Amount,D/C', '2026-01-02,1.50,D', '2026-01-03,2.00,X'),
    contradicted: table('Date,Amount,D/C', '2026-01-02,-1.50,D', '2026-01-03,-2.00,C'),
    asks: ['marks.X', 'signs'],
    only: 'a bank statement',
  },
  {
    field: 'signs',
    value: 'by_type',
    proved: table('Date,Type,Amount', '2026-01-02,expense,1.50', '2026-01-03,income,2.00'),
    unproved: table('Date,Type,Amount', '2026-01-02,expense,1.50', '2026-01-03,other,2.00'),
    contradicted: table(
      'Date,Text,Type,Amount,Balance',
      '2026-01-02,Tea,income,1.50,8.50',
      '2026-01-03,Pay,expense,2.00,10.50',
      '2026-01-04,Bus,income,1.00,9.50',
    ),
    asks: ['marks.other', 'signs'],
    only: 'a table of one’s own',
  },
  {
    field: 'signs',
    value: 'as_written',
    proved: table('Date,Type,Amount', '2026-01-02,Purchase,-1.50', '2026-01-03,Refund,2.00'),
    unproved: table('Date,Type,Amount', '2026-01-02,Purchase,-1.50', '2026-01-03,Purchase,-2.00'),
    contradicted: table(
      'Date,Text,Type,Amount,Balance',
      '2026-01-02,Tea,Refund,1.50,8.50',
      '2026-01-03,Pay,Purchase,-2.00,10.50',
      '2026-01-04,Bus,Refund,1.00,9.50',
    ),
    asks: ['signs', 'signs'],
    only: 'a bank statement',
  },
  {
    field: 'signs',
    value: 'as_written',
    proved: ofx('-5.00', '7.00'),
    unproved: ofx('5.00', '-7.00'),
    contradicted: ofx('5.00', '-7.00').replace('DEBIT', 'OTHER'),
    asks: ['signs', 'signs'],
    only: 'a bank statement',
  },
  {
    field: 'signs',
    value: 'as_written',
    proved: mt940('95,'),
    unproved: mt940('105,'),
    contradicted: mt940('94,'),
    asks: ['signs', 'signs'],
    only: 'a bank statement',
  },
  {
    field: 'statement_account',
    value: '*',
    proved: table(
      'Date,Account number,Amount,Balance',
      '2026-01-02,11112222,-1.50,8.50',
      '2026-01-03,33334444,2.00,10.50',
    ),
    unproved: table('Date,Account number,Amount', '2026-01-02,11112222,-1.50', '2026-01-03,33334444,2.00'),
    contradicted: table(
      'Date,Account number,Amount,Balance',
      '2026-01-02,11112222,-1.50,8.50',
      '2026-01-03,33334444,2.00,10.50',
      '2026-01-04,11112222,1.00,20.50',
    ),
    asks: ['statement_account', 'statement_account'],
    options: asWritten,
    only: 'a bank statement',
  },
  {
    field: 'states',
    value: 'Status',
    proved: table('Date,Amount,Status', '2026-01-02,-1.50,Completed', '2026-01-03,2.00,Declined'),
    unproved: table('Date,Amount,Status', '2026-01-02,-1.50,Completed', '2026-01-03,2.00,Enriched'),
    contradicted: table('Date,Amount,Status', '2026-01-02,-1.50,', '2026-01-03,2.00,Completed'),
    asks: ['states.Enriched', 'states.blank'],
    options: asWritten,
  },
  {
    field: 'fees',
    value: 'extra',
    proved: table('Date,Amount,Fee,Balance', '2026-01-02,-1.50,0.50,8.00', '2026-01-03,-2.00,0.25,5.75'),
    unproved: table('Date,Amount,Fee', '2026-01-02,-1.50,0.50', '2026-01-03,-2.00,0.25'),
    contradicted: table(
      'Date,Amount,Fee,Balance',
      '2026-01-01,-1.00,,9.50',
      '2026-01-02,-1.50,0.50,7.50',
      '2026-01-03,-1.00,,6.50',
      '2026-01-04,-2.00,0.25,4.50',
      '2026-01-05,-1.00,,3.50',
    ),
    asks: ['fees', 'fees'],
    options: asWritten,
  },
]

const readers: Record<Reader, (text: string, options: FileOptions) => Settled> = {
  'a bank statement': (text, options) => {
    const { settled } = readStatement(encode(text), options)
    return { ...settled, ...choiceOf(encode(text), options) }
  },
  'a table of one’s own': (text, options) => readGeneric(encode(text), options).settled,
}

/** How a file was settled, or the fields that are asked about. */
function outcomeOf(read: () => Settled): { settled: Settled; asked: string[] } {
  let settled: Settled = {}
  const unreadable = unreadableOf(() => {
    settled = read()
  })
  for (const { options } of unreadable?.questions ?? []) expect(options.length).toBeGreaterThan(0)
  return { settled, asked: unreadable?.questions.map(({ field }) => field) ?? [] }
}

describe.each(Object.entries(readers))('of %s', (name, read) => {
  const some = examples.filter(({ only = name }) => only === name)

  describe.each(some)(
    '$field ($value)',
    ({ field, value, proved, unproved, contradicted, asks, options = {} }) => {
      test('is proved', () => {
        const { settled, asked } = outcomeOf(() => read(proved, options))
        expect(asked).toEqual([])
        if (field !== 'delimiter') expect(settled[field]?.value).toBe(value)
      })

      test('is asked about without the proof', () => {
        expect(outcomeOf(() => read(unproved, options)).asked).toContain(asks[0])
      })

      test('is asked about if the evidence contradicts itself', () => {
        expect(outcomeOf(() => read(contradicted, options)).asked).toContain(asks[1])
      })
    },
  )
})

test.each([
  ['date_format', 'MM/DD/YYYY'],
  ['decimal_separator', '.'],
  ['signs', 'as_written'],
  ['fees', 'included'],
])('%s that was kept and is refuted is asked about again', (field, kept) => {
  const { proved, options } = examples.find((one) => one.field === field) as Example
  const told = field === 'signs' ? {} : options
  const before = { values: { [field]: kept }, source: 'as in import 1' }
  expect(outcomeOf(() => readers['a bank statement'](proved, { ...told, kept: before })).asked).toEqual([
    field,
  ])
})

test('a QIF file of a card with more payments than purchases obeys the signs that the request tells', () => {
  const file = encode('!Type:CCard\nD2026-01-31\nT12.50\nPTea\n^\n')
  const read = (options: FileOptions) => readStatement(file, options).accounts[0]?.entries[0]?.amount
  expect(read({ signs: 'as_written' })).toBe(1250)
  expect(read({ signs: 'inverted' })).toBe(-1250)
  expect(Object.keys(errorsOf(() => read({})) ?? {})).toEqual(['signs'])
})

test('the encoding is never asked about, but said where nothing proves it', () => {
  const file = 'Date;Text;Amount\n2026-01-02;Müller Grüße;-1.50\n'
  const settledIn = (bytes: Uint8Array, options: FileOptions = {}) =>
    readStatement(bytes, { ...asWritten, ...options }).settled.encoding
  expect(settledIn(encode(file))).toBeUndefined()
  expect(settledIn(encode(file, 'windows-1252'))).toEqual({
    value: 'windows-1252',
    proof: 'the most likely of the usual ones; `encoding` tells another',
  })
  expect(settledIn(encode(file, 'windows-1252'), { encoding: 'windows-1250' })).toEqual({
    value: 'windows-1250',
    proof: 'as the request says',
  })
})

test.each([
  [
    'columns of amounts that differ in the second account only',
    table(
      'Text,Date,Paid,Charged,Currency',
      'Shop,2026-03-30,-4.50,-4.50,CHF',
      'Tea,2026-03-26,-10.00,-9.50,EUR',
    ),
    'mapping.amount',
  ],
])('%s are asked about', (_, file, field) => {
  expect(outcomeOf(() => readers['a bank statement'](file, {})).asked).toContain(field)
})

test.each([
  ['12.50', 'if a positive amount such as 12.50 in row 2 came in, signs=inverted if it was spent'],
  ['-12.50', 'if a negative amount such as -12.50 in row 2 was spent, signs=inverted if it came in'],
])('the question about signs gives %s as an example of its own sign', (amount, text) => {
  const read = () => readStatement(encode(`Date,Text,Amount\n2026-11-13,Market,${amount}\n`), {})
  expect(errorsOf(read)).toEqual({ signs: [expect.stringContaining(text)] })
})
