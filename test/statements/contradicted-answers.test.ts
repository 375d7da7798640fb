import { describe, expect, test } from 'vitest'
import { encode } from './corpus.ts'
import { type Answers, readFile } from './judge/reader.ts'

const table = (...lines: string[]) => `${lines.join('\n')}\n`

/** A file of each kind that shows which way its amounts go, the answers that contradict it, and the row that the error names. */
const files: [name: string, text: string, answers: Answers[], row: number][] = [
  [
    'MT940',
    ':20:x\n:25:1\n:60F:C260101EUR100,\n:61:260102D5,NTRFNONREF\n:62F:C260131EUR95,\n-\n',
    [{ signs: 'inverted' }],
    4,
  ],
  [
    'CAMT',
    '<Document><BkToCstmrStmt><Stmt><Ntry><Amt Ccy="EUR">5.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts><BookgDt><Dt>2026-01-02</Dt></BookgDt></Ntry></Stmt></BkToCstmrStmt></Document>',
    [{ signs: 'inverted' }],
    1,
  ],
  [
    'OFX',
    '<OFX><STMTRS><CURDEF>EUR<BANKTRANLIST><STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260102<TRNAMT>-5.00</STMTTRN></BANKTRANLIST></STMTRS></OFX>',
    [{ signs: 'inverted' }],
    1,
  ],
  ['QIF', '!Type:Bank\nD2026-01-31\nT-5.00\n^\n', [{ signs: 'inverted' }], 2],
  [
    'debits and credits',
    table('Date,Text,Debit,Credit', '2026-01-02,Tea,5.00,', '2026-01-03,Pay,,9.00'),
    [{ signs: 'inverted' }, { 'mapping.debit': 'Credit', 'mapping.credit': 'Debit' }],
    2,
  ],
  [
    'debits and credits without known headers, with balances',
    table(
      'Date,Text,X,Y,Balance',
      '2026-01-02,Tea,5.00,,95.00',
      '2026-01-03,Bus,2.00,,93.00',
      '2026-01-04,Bar,4.00,,89.00',
      '2026-01-05,Pay,,9.00,98.00',
    ),
    [{ 'mapping.debit': 'Y', 'mapping.credit': 'X' }],
    2,
  ],
  [
    'marks',
    table('Datum;Text;Betrag;S/H', '02.01.2026;Tee;5,00;S', '03.01.2026;Lohn;9,00;H'),
    [{ signs: 'inverted' }, { 'marks.S': 'in' }],
    2,
  ],
  [
    'marks of a column that is mapped to debits',
    table('Datum;Text;Betrag;S/H', '02.01.2026;Tee;5,00;S', '03.01.2026;Lohn;9,00;H'),
    [{ 'mapping.debit': 'Betrag' }],
    3,
  ],
  [
    'marks under a header that names both',
    table('Date,Text,Amount,Dr/Cr', '2026-01-02,Tea,5.00,Dr'),
    [{ signs: 'inverted' }, { 'marks.Dr': 'in' }],
    2,
  ],
  [
    'marks beside amounts',
    table('Date,Text,Amount', '2026-01-02,Tea,5.00 DR', '2026-01-03,Pay,9.00 CR'),
    [{ signs: 'inverted' }],
    2,
  ],
  [
    'signs that agree with marks',
    table('Date,Text,Amount,D/C', '2026-01-02,Tea,-5.00,D', '2026-01-03,Pay,9.00,C'),
    [{ signs: 'inverted' }, { 'mapping.debit': 'Amount' }],
    2,
  ],
  [
    'a published layout',
    table(
      'Datum,Bedrag,Rekening,Tegenrekening,Naam,Omschrijving',
      '2026-01-02,"-5,00",NL01,NL02,Bakker,Brood',
    ),
    [{ signs: 'inverted' }, { 'mapping.debit': 'Bedrag' }],
    2,
  ],
  [
    'a published layout with inverted signs',
    table('Date,Description,Card Member,Account #,Amount', '01/13/2026,Tea,JO,-1,5.00'),
    [{ signs: 'as_written' }, { 'mapping.credit': 'Amount' }],
    2,
  ],
  [
    'running balances',
    table(
      'Date,Text,Amount,Balance',
      '2026-01-02,Tea,-5.00,95.00',
      '2026-01-03,Bus,-2.00,93.00',
      '2026-01-04,Bar,-4.00,89.00',
      '2026-01-05,Pay,9.00,98.00',
    ),
    [{ signs: 'inverted' }, { 'mapping.debit': 'Amount' }],
    2,
  ],
  [
    'running balances of amounts without signs',
    table(
      'Date,Text,Amount,Balance',
      '2026-01-02,Tea,5.00,-5.00',
      '2026-01-03,Bus,2.00,-7.00',
      '2026-01-04,Bar,4.00,-11.00',
      '2026-01-05,Pay,9.00,-2.00',
    ),
    [{ signs: 'inverted' }],
    5,
  ],
  [
    'balances that contain the fees',
    table(
      'Date,Text,Amount,Fee,Balance',
      '2026-01-02,Tea,-5.00,0.00,95.00',
      '2026-01-03,Bus,-2.00,1.00,92.00',
      '2026-01-04,Bar,-4.00,0.00,88.00',
    ),
    [{ fees: 'included' }],
    3,
  ],
  [
    'balances that follow without declined rows',
    table(
      'Date,Text,Amount,Balance,Status',
      '2026-01-02,Tea,-5.00,95.00,ok',
      '2026-01-03,Bus,-2.00,93.00,odd',
      '2026-01-04,Bar,-4.00,89.00,ok',
    ),
    [{ 'states.odd': 'skipped' }],
    3,
  ],
]

describe('an answer is refused by the first row that contradicts it, in', () => {
  test.each(
    files.flatMap(([name, text, all, row]) => all.map((answers) => [name, answers, text, row] as const)),
  )('%s: %j', (_, answers, text, row) => {
    const bytes = encode(text)
    expect(readFile(bytes, { kind: 'bank' }).problems).toEqual([])
    const [field = ''] = Object.keys(answers)
    const { rows, problems } = readFile(bytes, { kind: 'bank', answers })
    expect(rows).toEqual([])
    expect(problems).toMatchObject([
      {
        line: null,
        field: field.split('.')[0],
        text: expect.stringMatching(new RegExp(`row ${row} .*contradicts ${field}=`, 'i')),
      },
    ])
  })

  test('a table of one’s own with types', () => {
    const bytes = encode(table('Date,Type,Amount', '2026-01-02,expense,5.00', '2026-01-03,income,9.00'))
    expect(readFile(bytes, { kind: 'own', answers: { signs: 'inverted' } }).problems).toMatchObject([
      { field: 'signs', text: 'Row 2 contradicts signs=inverted: the types of all rows.' },
    ])
  })
})
