import { describe, expect, test } from 'vitest'
import { readStatement } from '../../../statements/index.ts'
import { encode, errorsOf, type FileOptions, read, readGeneric } from '../corpus.ts'

/** A minus sign alone proves nothing, so most files here are told what it means. */
const asWritten: FileOptions = { signs: 'as_written' }
const accountsIn = (text: string, options: FileOptions = {}) =>
  read(text, { ...asWritten, ...options }).accounts
const rowsOf = (text: string, options: FileOptions = {}) =>
  accountsIn(text, options).flatMap((account) => account.entries)
const brief = (text: string, options: FileOptions = {}) =>
  rowsOf(text, options).map(({ date, amount }) => [date, amount])
const errors = (text: string, options: FileOptions = {}) =>
  errorsOf(() => read(text, { ...asWritten, ...options }))
/** The errors of a file of which nothing is told but these options. */
const asked = (text: string, options: FileOptions = {}) => errorsOf(() => read(text, options))

describe('the table of a bank export', () => {
  test('may be delimited by what a form field says', () => {
    expect(brief('Date^Amount\n2026-01-31^-5', { delimiter: '^' })).toEqual([['2026-01-31', -500]])
    expect(brief('Date\tAmount\n2026-01-31\t-5', { delimiter: 'tab' })).toEqual([['2026-01-31', -500]])
    expect(errors('Date,Amount\n2026-01-31,5', { delimiter: 'ab' })).toHaveProperty('delimiter')
    expect(errors('Date,Amount\n2026-01-31,5', { delimiter: ';' })).toHaveProperty('mapping')
  })

  test('may stand below a line that tells Excel its delimiter', () => {
    expect(
      rowsOf('sep=;\nDate;Amount\n2026-01-31;-5,50\n').map(({ line, amount }) => [line, amount]),
    ).toEqual([[3, -550]])
  })

  test('may have a longer delimiter, but not one that only stands in a text', () => {
    const rows = (delimiter: string, text: string) =>
      `${['Date', 'Text', 'Amount'].join(delimiter)}\n${['2026-01-31', text, '-5'].join(delimiter)}\n`
    for (const [delimiter, text] of [
      ['~|~', 'Tea'],
      ['#,#', 'Tea'],
      [',', 'a#;#b'],
    ] as const)
      expect(rowsOf(rows(delimiter, text)).map((row) => [row.description, row.amount])).toEqual([
        [text, -500],
      ])
  })

  test('without a clear delimiter is asked for one', () => {
    expect(errors('hello\nworld')).toEqual({
      delimiter: [
        'The delimiter of the file is unclear; choose one: ,  ;  tab  |',
        'The file begins with hello',
      ],
    })
  })

  test('that ends inside a quote is cut off', () => {
    expect(Object.keys(errors('Date,Text,Amount\n2026-01-02,a,1\n2026-01-03,"b') ?? {})).toEqual(['file'])
    const cut = 'Date,Text,Amount\n2026-01-02,"a",-1\n2026-01-03,"b" c,-2\n2026-01-04,"d'
    expect(errors(cut)?.file?.[0]).toMatch(/^A quote is not closed on line 4;/)
  })

  test('may have a quote that is closed too early, or never, if its line has all the cells', () => {
    const text = 'Date,Text,Amount\n2026-01-02,"Bob" Shop,-1\n2026-01-03,"b,-2\n2026-01-04,"c, d",-3\n'
    expect(rowsOf(text).map((row) => [row.description, row.amount])).toEqual([
      ['Bob" Shop', -100],
      ['b', -200],
      ['c, d', -300],
    ])
  })

  test('that ends in the middle of a row is cut off', () => {
    expect(errors('Date,Amount,Text\n2026-01-02,12.50,a\n2026-01-03,12.5')).toEqual({
      file: ['The file ends in the middle of line 3; it seems to be cut off.'],
    })
    expect(brief('Date,Amount,Text\n2026-01-02,-12.50,a\n2026-01-03,12.5\n')).toHaveLength(2)
  })

  test('that ends in the middle of its only row is cut off', () => {
    for (const row of ['2026-01-02,-12', '2026-01-02,-12.50'])
      expect(errors(`Date,Amount,Text\n${row}`)).toEqual({
        file: ['The file ends in the middle of line 2; it seems to be cut off.'],
      })
    expect(brief('Date,Amount,Text\n2026-01-02,-12.50\n')).toHaveLength(1)
  })

  test('without rows is an empty statement, and with rows that are not transactions is refused', () => {
    expect(read('Date,Amount\n').accounts).toEqual([
      { identifier: null, currency: null, entries: [], closingBalance: null, skipped: 0 },
    ])
    expect(errors('Date,Amount,Text\nfoo,bar,baz\n')).toHaveProperty('file')
  })

  test('may have headers on two lines', () => {
    const rows = '2026-01-31,Tea,1.50\n2026-02-01,Pay,,2.00\n'
    expect(brief(`Date,Text,Amount\n,,Debit,Credit\n${rows}`)).toEqual([
      ['2026-01-31', -150],
      ['2026-02-01', 200],
    ])
  })

  test('has no header row with a date or an amount in it', () => {
    const rows = [
      '2026-01-05,REWE,7.35,DR,Done',
      '2026-01-06,Pay,100.00,CR,Done',
      '2026-01-07,Tea,3.00,DR,Posted',
    ]
    expect(brief(`${rows.join('\n')}\n`).map(([, amount]) => amount)).toEqual([-735, 10_000, -300])
    const [fee, head] = ['2026-01-07,Bank,-3.00,Fee,Debit,Posted\n', 'Date,Who,Amount,Kind,Way,Progress\n']
    expect(brief(`${head}2026-01-06,Pay,100.00,Pay,In,Done\n${fee}`)).toHaveLength(2)
    // A second header with more names makes the rows above it a preamble.
    expect(
      errors(`Date,Who,Amount\n2026-01-06,Pay,100.00\n2026-01-07,Tea,-3.00\nDate,Text,Amount\n`),
    ).toEqual({ file: ['No line from line 2 on is a transaction with a date and an amount.'] })
    expect(brief('Balance,2026-01-05,100.00\nDate,Who,Amount\n')).toEqual([])
  })

  test('may be empty below the date of the export and numbers without decimals', () => {
    for (const line of ['Export;31.01.2026;12;', 'Account;1234567890;From;2026-01-01;To;2026-01-31'])
      expect(brief(`${line}\nDate;Who;Amount;Balance\n`)).toEqual([])
  })

  test('accepts 10,000 rows and not one more', () => {
    const rows = (count: number) => `Date,Amount\n${'2026-01-31,-1\n'.repeat(count)}`
    expect(brief(rows(10_000))).toHaveLength(10_000)
    expect(errors(rows(10_001))).toEqual({ file: ['The file must not have more than 10,000 rows.'] })
  })

  test('reports the first hundred errors and how many there are', () => {
    const found = errors(`Date,Amount\n${'2026-01-31,x\n'.repeat(250)}`) ?? {}
    expect(Object.keys(found)).toHaveLength(101)
    expect(found['rows.2.amount']).toEqual(['The amount field must be a number.'])
    expect(found.file).toEqual(['The file has 250 errors, of which the first 100 are shown.'])
  })

  test('reports all kinds of errors at once', () => {
    expect(errors('Date,Amount\n01/02/2026,-1.00\n2026-02-30,2.00\n03/04/2026,1.234\n05/06/2026,\n')).toEqual(
      {
        date_format: [expect.stringContaining('01/02/2026 in row 2')],
        'rows.4.amount': ['The amount field must have 0-2 decimal places.'],
        'rows.5.amount': ['The amount field is required.'],
      },
    )
  })
})

describe('the columns of a bank export', () => {
  test('of which two could be meant are asked for by number', () => {
    expect(errors('Date,Amount,Amount\n2026-01-31,1,2')).toEqual({
      mapping: [
        'The amount could be any of the columns 2 (Amount), 3 (Amount); choose one by its number. The first row has 1: 2026-01-31, 2: 1, 3: 2.',
      ],
    })
    expect(errors('Datum;Bedrag;Bedrag in EUR\n01.01.2026;-11,00;-10,00\n')).toHaveProperty('mapping')
    expect(brief('Date,Amount,Amount\n2026-01-31,1,-2', { mapping: { amount: '3' } })).toEqual([
      ['2026-01-31', -200],
    ])
  })

  test('prefer the booking date to others', () => {
    const text = 'Valutadatum;Buchungstag;Bedrag\n01.01.2026;02.01.2026;-10,00\n'
    expect(brief(text)).toEqual([['2026-01-02', -1000]])
  })

  test('that are not recognised are listed', () => {
    expect(errors('Foo,Bar\na,b')?.mapping?.[0]).toMatch(/none is recognised among Foo, Bar;/)
  })

  test('may hold amounts under the header of marks', () => {
    const text = 'Konto;Buchungstag;Soll/Haben;Empfänger;Vwz.0\n1;31.01.2026;-5,00;Shop;Rechnung\n'
    expect(Object.keys(asked(text) ?? {})).toEqual(['signs'])
    expect(brief(text, { mapping: { amount: 'Soll/Haben' } })).toEqual([['2026-01-31', -500]])
  })

  test('is quoted as it is, even if it looks like a part of our texts', () => {
    expect(errors('Foo,:field\na,b')?.mapping?.[0]).toMatch(/none is recognised among Foo, :field;/)
    expect(errors('Date,Amount\n2026-01-31,1', { mapping: { ':field': 'Date' } })?.mapping?.[0]).toMatch(
      /^The mapping field :field is unknown/,
    )
  })

  test('may be mapped by header or number, and a mapping that fits nothing is an error', () => {
    const text = 'When,What,How much\n2026-01-31,Tea,-3.20\n'
    expect(brief(text, { mapping: { date: 'when', amount: '3' } })).toEqual([['2026-01-31', -320]])
    expect(errors(text, { mapping: { date: 'when', amount: 'Sum' } })?.mapping?.[0]).toMatch(
      /no column Sum; it has When, What, How much/,
    )
    expect(errors('Date,Amount\n2026-01-31,1', { mapping: { colour: 'Date' } })?.mapping?.[0]).toMatch(
      /^The mapping field colour is unknown/,
    )
  })

  test.each([
    [
      'Buchungstag;Buchungstext;VWZ1;VWZ2;VWZ3;Betrag;Kontostand;Währung',
      '02.01.2026;Tea;a;b;c;-1,00;9,00;EUR',
    ],
    ['Date,Description,Ref 1,Ref 2,Amount', '2026-01-02,Tea,a,b,-1.00'],
    ['Date;Nom 1;Nom 2;Montant;Solde', '02.01.2026;Tea;a;-1,00;9,00'],
  ])('may have numbers behind the names in their headers: %s', (header, row) => {
    expect(brief(`${header}\n${row}\n`)).toEqual([['2026-01-02', -100]])
  })

  test.each(['\t', '|'])('without headers may be delimited by %j and have decimal commas', (delimiter) => {
    const rows = ['2026-01-02 10:00*Tea shop*-12,50', '2026-01-03 10:00*Pay*20,50']
    expect(brief(`${rows.join('\n')}\n`.replaceAll('*', delimiter))).toEqual([
      ['2026-01-02', -1250],
      ['2026-01-03', 2050],
    ])
  })

  test('without headers are no amounts if they hold ids, while serial numbers are asked about', () => {
    const file = (first: string, second: string) =>
      `2026-01-02,${first},Tea,-12.50\n2026-01-03,${second},Pay,20.50\n2026-01-04,${second}1,Cake,-3.00\n`
    for (const [first, second] of [
      ['123456789', '1234567890'],
      ['001', '002'],
    ] as const)
      expect(brief(file(first, second)).map(([, amount]) => amount)).toEqual([-1250, 2050, -300])
    expect(errors(file('1', '2'))?.mapping?.[0]).toMatch(/^The amount could be any of the columns 2, 4;/)
  })

  test('without headers may hold whole amounts, if balances show which column has them', () => {
    const rows = ['2026-01-01,Rent,-100,-34.56', '2026-01-02,Food,-50,-84.56', '2026-01-03,Pay,1000,915.44']
    const split = rows.map((row) => row.replace(/,-(\d+),/, ',$1,,').replace('Pay,', 'Pay,,'))
    for (const file of [rows, split])
      expect(brief(`${file.join('\n')}\n`).map(([, amount]) => amount)).toEqual([-10_000, -5_000, 100_000])
    // A single row proves nothing.
    expect(errors(`${rows[0]}\n`)?.mapping?.[0]).toMatch(/^The amount could be any of the columns 3, 4;/)
  })
})

describe('the signs of a bank export', () => {
  test.each([
    ['Datum;Betrag;Soll/Haben\n31.01.2026;3,00;S\n30.01.2026;10,00;H\n'],
    ['Date,Amount,\n2026-01-31,3.00,\n2026-01-30,10.00,CR\n'],
    ['Datum;Umsatz; \n31.01.2026;3,00;S\n30.01.2026;10,00;H\n'],
  ])('may stand in a column of their own: %j', (text) => {
    expect(brief(text)).toEqual([
      ['2026-01-31', -300],
      ['2026-01-30', 1000],
    ])
  })

  test('that contradict their marks are asked for', () => {
    const text = 'Date,Amount,D/C\n2026-01-31,-3.00,D\n2026-01-30,-10.00,C\n'
    expect(asked(text)?.signs?.[0]).toMatch(/^The signs of amounts contradict the marks in column D\/C\./)
  })

  test('that contradict the columns of debits and credits are asked for', () => {
    const text = 'Date,Amount,Debit,Credit\n2026-01-31,-3.00,4.00,\n'
    expect(Object.keys(asked(text) ?? {})).toEqual(['mapping'])
  })

  test('can be settled by the mapping', () => {
    const text = 'Date,Amount,Debit,Credit\n2026-01-31,-3.00,4.00,\n'
    expect(brief(text, { mapping: { amount: 'Amount' } })).toEqual([['2026-01-31', -300]])
    expect(brief(text, { mapping: { debit: 'Debit' } })).toEqual([['2026-01-31', -400]])
    const card = 'Date,Amount\n2026-01-31,25.00\n2026-01-30,-100.00\n'
    expect(brief('Date,Amount,D/C\n2026-01-31,-3.00,C\n', { mapping: { type: '' } })).toEqual([
      ['2026-01-31', -300],
    ])
    expect(Object.keys(asked(card) ?? {})).toEqual(['signs'])
  })

  test.each([
    ['Date,Amount\n2026-01-31,5.00\n2026-01-30,3.00\n', 'Nothing in the file says'],
    ['Date,Amount,Balance\n2026-01-30,5.00,95.00\n2026-01-31,3.00,98.00\n', 'The balances follow, but'],
    [
      'Date,Amount,Balance\n2026-01-30,-5.00,100.00\n2026-01-31,3.00,103.00\n2026-02-01,-2.00,105.00\n',
      'The balances in the file',
    ],
    [
      'Date,Text,Amount\n2026-01-31,Shop,5.00\n2026-01-30,Payment received,-8.00\n',
      'Nothing in the file proves',
    ],
    ['Date,Type,Amount\n2026-01-31,Purchase,5.00\n2026-01-30,Payment,-8.00\n', 'Nothing in the file proves'],
    [
      'Date,Text,D/C,Amount,Balance\n2026-01-30,Pay,D,5.00,105.00\n2026-01-31,Tea,C,-3.00,102.00\n2026-02-01,Bus,C,-2.00,100.00\n',
      'The balances follow and the marks',
    ],
  ])('that nothing proves, or something refutes, are asked about: %j', (text, why) => {
    expect(asked(text)?.signs?.[0]?.slice(0, why.length)).toBe(why)
    const written = brief(text, { signs: 'as_written' })
    const negated = written.map(([date, amount]) => [date, -Number(amount)])
    if (!text.includes('98.00')) expect(brief(text, { signs: 'inverted' })).toEqual(negated)
  })

  test('of a row with an unknown mark are asked about', () => {
    const text =
      'Datum;Omschrijving;Bedrag;Af Bij\n20261013;AH;12,50;Af\n20261014;Salaris;2.500,00;Bij\n20261015;Correctie;3,00;Corr\n'
    expect(asked(text)?.marks?.[0]).toMatch(
      /^Nothing says whether amounts marked Corr in the column Af Bij \(1 row,/,
    )
    expect(brief(text, { marks: { Corr: 'in' } }).at(-1)).toEqual(['2026-10-15', 300])
    expect(brief(text, { marks: { Corr: 'out' } }).at(-1)).toEqual(['2026-10-15', -300])
    expect(Object.keys(asked(text, { mapping: { type: '' } }) ?? {})).toEqual(['signs'])
    const withBalances =
      'Date,Type,Amount,Balance\n2026-10-13,Debit,1.00,9.00\n2026-10-14,Credit,3.00,12.00\n2026-10-15,Fee,2.00,10.00\n'
    expect(asked(withBalances)?.signs?.[0]).toMatch(/^The balances do not show/)
  })

  test('follow from the kinds that were told, though a month has one of them', () => {
    const text = 'Date,Action,Amount\n2026-03-28,Market buy,10.00\n2026-03-29,Market buy,5.00\n'
    expect(brief(text, { marks: { 'Market buy': 'out', Dividend: 'in' } })).toEqual([
      ['2026-03-28', -1000],
      ['2026-03-29', -500],
    ])
  })

  test('that balances show for all but the oldest amount are asked about that one', () => {
    const header = 'Date;Description;Amount;Balance'
    const salary = '2026-10-17;Salary;900,00;950,00'
    const shop = '2026-10-16;Shop;30,00;50,00'
    const rent = '2026-10-15;Rent;400,00;80,00'
    const amounts: Record<string, number> = { [salary]: 90_000, [shop]: -3_000 }
    for (const rows of [
      [salary, shop, rent],
      [rent, shop, salary],
      [shop, rent],
    ]) {
      const file = `${[header, ...rows].join('\n')}\n`
      const question = `^The balances do not show .* 400,00 in row ${2 + rows.indexOf(rent)} came in`
      expect(asked(file)?.signs?.[0]).toMatch(new RegExp(question))
      const answered = (oldest: number) => rows.map((row) => [row.slice(0, 10), amounts[row] ?? oldest])
      expect(brief(file, { signs: 'as_written' })).toEqual(answered(40_000))
      expect(brief(file, { signs: 'inverted' })).toEqual(answered(-40_000))
    }
    // Either way up the balances follow from the amounts: the days say which.
    const equal = 'Date;Amount;Balance\n2026-10-16;5.00;95.00\n2026-10-15;5.00;100.00\n'
    expect(asked(equal)?.signs?.[0]).toMatch(/5\.00 in row 3 came in/)
    expect(brief(equal, { signs: 'as_written' })).toEqual([
      ['2026-10-16', -500],
      ['2026-10-15', 500],
    ])
  })

  test('that balances show to go one way do not say which way the oldest amount went', () => {
    const rows = [
      '2026-01-01;Pay;2000.00;2500.00',
      '2026-01-02;Rent;800.00;1700.00',
      '2026-01-03;Tea;50.00;1650.00',
    ]
    const file = `Date;Text;Amount;Balance\n${rows.join('\n')}\n`
    expect(asked(file)?.signs?.[0]).toMatch(/^The balances do not show .* in row 2 came in/)
    const [, ...later] = brief(file, { signs: 'as_written' })
    expect(brief(file, { signs: 'inverted' }).slice(1)).toEqual(later)
    const daily = file.replace(/[\d.]+(?=\n2026-01-02)/, '')
    expect(Object.keys(asked(daily) ?? {})).toEqual(['signs'])
  })

  test('that balances prove for the later amounts are kept, whatever is said about the earlier ones', () => {
    const header = 'Date;Description;Amount;Balance'
    const rows = [
      '2026-01-01;Salary;2000.00;',
      '2026-01-01;Rent;700.00;2500.00',
      '2026-01-02;Shop;800.00;1700.00',
      '2026-01-03;Tea;50.00;1650.00',
    ]
    for (const ordered of [rows, rows.toReversed()]) {
      const file = `${[header, ...ordered].join('\n')}\n`
      expect(asked(file)?.signs?.[0]).toMatch(/^The balances do not show .* (?:2000|700)\.00 in row/)
      const amounts = (signs: 'as_written' | 'inverted') => {
        const entries = rowsOf(file, { signs }).map(({ amount }) => amount)
        return ordered === rows ? entries : entries.toReversed()
      }
      expect(amounts('as_written')).toEqual([200_000, 70_000, -80_000, -5_000])
      expect(amounts('inverted')).toEqual([-200_000, -70_000, -80_000, -5_000])
    }
    const mixed = [...rows, '2026-01-04;Pay;100.00;1750.00']
    expect(
      brief(`${[header, ...mixed].join('\n')}\n`, { signs: 'inverted' }).map(([, amount]) => amount),
    ).toEqual([-200_000, -70_000, -80_000, -5_000, 10_000])
  })

  test('of the oldest amounts of two accounts are asked about, though balances show the others to differ', () => {
    const file =
      'Account;Date;Amount;Balance\nA;2026-01-01;9.00;50.00\nA;2026-01-02;5.00;45.00\nA;2026-01-03;6.00;51.00\nB;2026-01-01;9.00;50.00\nB;2026-01-02;5.00;45.00\n'
    expect(asked(file)?.signs?.[0]).toMatch(/^The balances do not show/)
    const answered = brief(file, { signs: 'as_written' }).map(([, amount]) => amount)
    expect(answered).toEqual([900, -500, 600, 900, -500])
  })

  test('of a row with both a debit and a credit are an error', () => {
    expect(asked('Date,Debit,Credit\n2026-01-31,3.00,4.00\n')).toEqual({
      'rows.2.amount': ['The amount field must be either a debit or a credit, not both.'],
    })
  })
})

describe('the rows of a bank export', () => {
  test('are described by the payee and the purpose, unless one contains the words of the other', () => {
    const purpose = (text: string) =>
      rowsOf(`Date,Payee,Description,Amount\n2026-01-02,Vermieter Schröder,${text},-1.00\n`)[0]?.description
    expect(purpose('Miete')).toBe('Vermieter Schröder – Miete')
    expect(purpose('SCHRÖDER')).toBe('Vermieter Schröder')
    expect(purpose('Miete an Vermieter Schröder')).toBe('Miete an Vermieter Schröder')
  })

  test.each(['Voided', 'Scheduled', 'Blocked', 'In Bearbeitung'])('that are %s are not booked', (status) => {
    const text = `Date,Amount,Status\n2026-01-31,-3.00,${status}\n2026-01-30,-2.00,Completed\n`
    const [account] = accountsIn(text)
    expect([account?.entries.length, account?.skipped]).toEqual([1, 1])
  })

  test('that are pending are skipped, even if the column of states holds other texts too', () => {
    const rows = Array.from(
      { length: 20 },
      (_, i) => `2026-01-${10 + i},-1.00,${i === 7 ? 'Pending' : `Text ${i}`}`,
    )
    const [account] = accountsIn(`Date,Amount,Status\n${rows.join('\n')}\n`)
    expect([account?.entries.length, account?.skipped]).toEqual([19, 1])
  })

  test('without a date are asked about if they have a balance, also above a table without headers', () => {
    const rows = '2026-03-28,Shop,-12.00,1100.00\n2026-03-27,Bar,-8.00,1112.00\n'
    expect(errors(`,Hotel,-200.00,900.00\n${rows}`)).toHaveProperty('states')
    expect(brief(`Account,1234567\n${rows}`)).toHaveLength(2)
  })

  test('are asked about under the name of a state, but not whether they were reconciled', () => {
    const text = (header: string) => `Date,Amount,${header}\n2026-03-28,-1.00,yes\n2026-03-27,-2.00,no\n`
    expect(errors(text('Pending'))).toHaveProperty('states')
    expect(brief(text('Reconciled'))).toHaveLength(2)
  })

  test('that are cut to half a date are errors', () => {
    const text = 'Date,Text,Amount\n2026-01-31,a,-3.00\n2026-01-\n2026-01-30,b,-4.00\n'
    expect(Object.keys(errors(text) ?? {})).toContain('rows.3.date')
  })

  test.each(['January 2026', 'Card 1234', 'No pending transactions'])(
    'may have %s as a title between them',
    (title) => {
      const text = `Date,Text,Amount\n2026-01-31,a,-3.00\n${title},,\n2026-01-30,b,-4.00\n`
      expect(brief(text)).toHaveLength(2)
    },
  )

  test('that are broken are errors, also at the end', () => {
    expect(errors('Date,Text,Amount\n2026-01-31,a,-3.00\n32/01/2026,b,-4.00\n')).toEqual({
      'rows.3.date': ['The date field must be a valid date.'],
    })
    expect(errors('Date,Text,Amount\n2026-01-31,a,-3.00\nsoon,b,-4.00\n')).toEqual({
      'rows.3.date': ['The date field must be a valid date.'],
    })
  })

  test.each([
    'BALANCE B/F',
    'Balance brought fwd',
    'Balance c/f',
    'Saldovortrag',
    'Kontostand am 14.01.2026',
    'Solde au 02/01/2026',
    'Balance as at 2 Jan 2026',
    'TOTAL',
    'Saldo vom 01.01.2026',
    'Solde du 02/01/2026',
    'Balance on 12 Jan 2026',
  ])('are asked about without balances if all that they say is %s', (text) => {
    const file = `Date;Description;Amount\n2026-01-02;${text};500.00\n2026-01-03;Tea;-2.00\n`
    expect(Object.keys(errors(file) ?? {})).toEqual(['states'])
    expect(brief(file, { states: { [text]: 'skipped' } })).toHaveLength(1)
    expect(brief(file, { states: { [text]: 'booked' } })).toHaveLength(2)
  })

  test.each(['New Balance', 'Solde de la facture du 02/01/2026', 'Balance transfer'])(
    'may be called %s',
    (text) => {
      expect(brief(`Date;Description;Amount\n2026-01-02;${text};-5.00\n2026-01-03;Tea;-2.00\n`)).toHaveLength(
        2,
      )
    },
  )

  test('are not sums for a word of their texts, though their dates are missing or cannot be read', () => {
    const file = (row: string) => `Date,Description,Amount\n2026-01-28,Shop,-1.00\n${row}\n`
    for (const text of ['New Balance Store', 'Total Wine', 'Balance transfer']) {
      expect(Object.keys(errors(file(`Jan 29,${text},-89.99`)) ?? {})).toEqual(['rows.3.date'])
      expect(Object.keys(errors(file(`,${text},-89.99\n2026-01-30,Tea,-2.00`)) ?? {})).toEqual(['states'])
    }
    for (const sum of [
      ',Total,-1.00',
      ',Total debits,-1.00',
      'Total for Jan,,-1.00',
      ',Closing balance,9.00',
    ])
      expect(brief(file(sum))).toHaveLength(1)
  })

  test.each([
    'Total payments',
    'Total général',
    'Total movimientos',
    'Totale entrate',
    'Summe Umsätze',
    'Neuer Saldo',
    'Saldo contabile',
    'Available balance',
    'Solde final',
    'Saldo final al 31/01/2026',
    'Kontostand 31.01.2026',
    'Saldo vom 31.01.2026',
    'Total (2)',
    'Suma operacji',
    'Totaal af',
  ])('are not sums or balances without a date such as %s', (text) => {
    expect(brief(`Date;Text;Amount\n2026-01-28;Shop;-1.00\n;${text};87.50\n`)).toHaveLength(1)
  })

  test('have an amount, unless their balances show that no money moved', () => {
    const file = (rows: string[]) => `Date;Text;Amount;Balance\n${rows.join('\n')}\n`
    const [shop, pay, tea] = [
      '2026-10-01;Shop;-12.50;87.50',
      '2026-10-02;Pay;;187.50',
      '2026-10-03;Tea;-7.50',
    ]
    const required = ['The amount field is required.']
    for (const last of ['2026-10-04;;;180.00', '2026-10-04;Cake;-1.00;179.00'])
      expect(errors(file([shop, pay, `${tea};180.00`, last]))).toEqual({ 'rows.3.amount': required })
    expect(errors(file([`${tea};180.00`, pay, shop]))).toEqual({ 'rows.3.amount': required })
    // The balance of the day before; a line that says what it is; and balances that follow from nothing anyway.
    const daily = '2026-10-02;Nyitó egyenleg;;87.50'
    for (const rows of [
      [shop, daily, `${tea};80.00`],
      [daily, `${tea};80.00`, '2026-10-04;Cake;-1.00;79.00'],
      [shop, '2026-10-02;Balance;;187.50', `${tea};180.00`],
    ])
      expect(rowsOf(file(rows)).length).toBe(rows.filter((row) => !row.includes(';;')).length)
  })

  test('may be called a balance, if the other party or the purpose says more', () => {
    const rows = (text: string) => rowsOf(text).map(({ amount, description }) => [amount, description])
    const paid = 'Data;Beneficiario;Causale;Importo\n10/10/2026;Rossi;Acconto;-300,00\n'
    const settled = [-50_000, 'Rossi – Saldo']
    expect(rows(`${paid}13/10/2026;Rossi;Saldo;-500,00\n`)).toEqual([[-30_000, 'Rossi – Acconto'], settled])
    const moved = 'Date,Description,Category,Amount\n2026-10-12,Old bank,Opening balance,-500.00\n'
    expect(rows(moved)).toEqual([[-50_000, 'Old bank']])
  })

  test('may be called a balance and nothing else, which is asked about', () => {
    const text =
      'Data;Causale;Importo\n10/10/2026;Acconto;-300,00\n13/10/2026;Saldo;-500,00\n14/10/2026;Pane;-3,00\n'
    expect(Object.keys(errors(text) ?? {})).toEqual(['states'])
    expect(rowsOf(text, { states: { Saldo: 'booked' } })).toHaveLength(3)
    expect(rowsOf(text, { states: { Saldo: 'skipped' } })).toHaveLength(2)
    const balances =
      'Data;Causale;Importo;Saldo\n10/10/2026;a;-1,00;9,00\n11/10/2026;Saldo;9,00;9,00\n14/10/2026;b;-2,00;7,00\n'
    expect(rowsOf(balances)).toHaveLength(2)
  })

  test('with more or fewer cells than the header are refused if their values may be in the wrong columns', () => {
    for (const rows of [
      '2026-10-01,Shop,-1.50\n2026-10-05,Rent,-830,40',
      '2026-10-01,Shop,-1.50,\n2026-10-05,A, 54,-5.00',
    ])
      for (const end of ['\n2026-10-06,Tea,-2.00\n', '\n'])
        expect(errors(`Date,Description,Amount\n${rows}${end}`)?.file?.[0]).toMatch(/^Line 3 has more cells/)
    expect(brief('Date,Amount\n2026-10-01,-1.50,\n')).toEqual([['2026-10-01', -150]])
    // An amount cannot be in the wrong column if the texts are behind it.
    expect(brief('Date,Amount,Memo\n2026-10-01,-1.50,Shop, Berlin\n')).toEqual([['2026-10-01', -150]])
    for (const row of ['2026-10-01,-1,50,Shop', '2026-10-01,-1,050.50,Shop'])
      expect(errors(`Date,Amount,Memo\n${row}\n`)?.file?.[0]).toMatch(/^Line 2 has more cells/)
    const header = 'Date,Description,Amount,Balance'
    const [shop, pay, tea] = [
      '2026-10-01,Shop,-1.00,99.00',
      '2026-10-02,-5.00,94.00',
      '2026-10-03,Tea,-2.00,92.00',
    ]
    expect(errors(`${[header, shop, pay, tea].join('\n')}\n`)?.file?.[0]).toMatch(/^Line 3 has fewer cells/)
    const pending = '2026-10-04,Taxi,-4.00'
    expect(brief(`${[header, shop, tea, pending].join('\n')}\n`)).toHaveLength(3)
  })

  describe('below several headers', () => {
    const table = (title: string, text: string) =>
      `${title}\nDate,Description,Amount\n2026-10-13,${text},-1.00\n`
    const accountsOf = (...tables: string[]) =>
      accountsIn(tables.join('\n')).map(({ identifier, entries }) => [
        identifier,
        entries.map(({ description }) => description).join(),
      ])

    test.each([
      ['Checking', 'Savings'],
      ['Account: 1111 Checking', 'Account: 2222 Savings'],
      ['IBAN:,DE89370400440532013000', 'IBAN:,DE02120300000000202051'],
      ['Konto 1 Oktober 2026', 'Konto 2 Oktober 2026'],
      ['Checking October 2026', 'Checking November 2026'],
      ['Konto 123456 Seite 1 von 2', 'Konto 123456 Seite 2 von 2'],
    ])(
      'are asked whether they are those of one account if the lines above differ: %s, %s',
      (first, second) => {
        const file = table(first, 'a') + table(second, 'b') + table(first, 'c')
        expect(Object.keys(errors(file) ?? {})).toEqual(['statement_account'])
        const [one, other] = [first, second].map((title) => title.replace(',', ' '))
        expect(accountsIn(file, { statement_account: '*' })).toMatchObject([{ entries: [{}, {}, {}] }])
        expect(
          accountsIn(file, { statement_account: other ?? '' }).map(({ identifier }) => identifier),
        ).toEqual([one, other])
      },
    )

    test.each([
      ['', ''],
      ['Checking', 'Checking'],
      ['Checking', ''],
      ['Checking', 'Total 3'],
    ])('are those of one account if nothing above differs: %j and %j', (first, second) => {
      expect(accountsOf(table(first, 'a'), table(second, 'b'))).toEqual([[null, 'a,b']])
    })

    test('are those of one account if the balance runs on between them', () => {
      const page = (title: string, ...rows: string[]) =>
        `${[title, 'Date,Amount,Balance', ...rows].join('\n')}\n`
      const [first, second] = ['2026-10-01,-1.00,99.00', '2026-10-02,-2.00,97.00']
      const count = (...tables: string[]) =>
        errors(tables.join('')) === null ? accountsIn(tables.join('')).length : 'asked'
      expect(count(page('Acme Bank', first), page('Call us: 555 0199', second))).toBe(1)
      expect(count(page('Acme Bank', second), page('Call us: 555 0199', first))).toBe(1)
      expect(count(page('Checking', first), page('Savings', '2026-10-02,-2.00,96.00'))).toBe('asked')
      // Both accounts may be without money.
      expect(count(page('Old', '2026-10-01,-9.00,0.00'), page('New', '2026-10-02,5.00,5.00'))).toBe('asked')
    })

    test('are asked about in a file of one’s own too, unless it names its accounts', () => {
      const generic = (text: string) => errorsOf(() => readGeneric(encode(text), asWritten))
      expect(Object.keys(generic(table('Checking', 'a') + table('Savings', 'b')) ?? {})).toEqual([
        'statement_account',
      ])
      expect(
        generic(
          'Checking\ndate,account,amount\n2026-10-13,A,1\nSavings\ndate,account,amount\n2026-10-13,B,1\n',
        ),
      ).toBeNull()
    })
  })

  test('have descriptions of at most 255 characters, without control characters', () => {
    const [row] = rowsOf(`Date,Amount,Description\n2026-01-31,-1,"a\tb\u0001 ${'x😀'.repeat(300)}"\n`)
    expect([...(row?.description ?? '')]).toHaveLength(255)
    expect(row?.description).toMatch(/^a b x😀.*…$/u)
  })
})

describe('rows in a state that undid them', () => {
  const header = 'Date,Description,Amount,Status'
  const cafe = '2026-10-02,Cafe,-4.50,Completed'

  test.each(['Refunded', 'Reversed', 'Cancelled', 'Storniert', 'Reembolsado'])(
    '%s are asked about',
    (state) => {
      const text = `${header}\n${cafe}\n2026-10-03,Hotel,-80.00,${state}\n`
      expect(Object.keys(errors(text) ?? {})).toEqual(['states'])
      expect(brief(text, { states: { [state]: 'skipped' } })).toEqual([['2026-10-02', -450]])
      expect(brief(text, { states: { [state]: 'booked' } })).toHaveLength(2)
    },
  )

  test('moved money if another row brings each of them back', () => {
    const hotel = '2026-10-03,Hotel,-80.00,Refunded'
    expect(brief(`${header}\n${cafe}\n${hotel}\n2026-10-05,Hotel,80.00,Completed\n`)).toHaveLength(3)
    expect(errors(`${header}\n${cafe}\n${hotel}\n2026-10-05,Hotel,30.00,Completed\n`)).toHaveProperty(
      'states',
    )
  })

  test('moved money if the balances follow with them, and none if only without them', () => {
    const rows = (balance: string, last: string) =>
      `${header},Balance\n${cafe},95.50\n2026-10-03,Hotel,-80.00,Reverted,${balance}\n2026-10-04,Pay,5.00,Completed,${last}\n`
    expect(brief(rows('15.50', '20.50'))).toHaveLength(3)
    expect(brief(rows('', '100.50'))).toHaveLength(2)
  })
})

describe('rows without any date', () => {
  const left = (text: string, answers = {}) =>
    readStatement(encode(text), {
      kind: 'bank',
      today: '2026-11-27',
      answers: { signs: 'as_written', ...answers },
    })
  const header = 'Date,Description,Amount'

  test('are pending in a block below or above all others', () => {
    for (const rows of ['2026-01-31,a,-3.00\n,b,-4.00\n', ',b,-4.00\n2026-01-31,a,-3.00\n']) {
      const { rows: booked, leftOut } = left(`${header}\n${rows}`)
      expect(booked.map(({ amount }) => amount)).toEqual([-300])
      expect(leftOut).toEqual([{ line: rows.startsWith(',') ? 2 : 3, text: 'b -4.00', reason: 'pending' }])
    }
  })

  test('are asked about among others, and may have the date of the row above', () => {
    const text = `${header}\n2026-01-30,a,-3.00\n,b,-4.00\n2026-01-31,c,-5.00\n,d,-6.00\n`
    expect(left(text).questions.map(({ field }) => field)).toEqual(['states.blank date'])
    const dates = left(text, { 'states.blank date': 'as_above' }).rows.map(({ date }) => date)
    expect(dates).toEqual(['2026-01-30', '2026-01-30', '2026-01-31', '2026-01-31'])
    const { rows, leftOut } = left(text, { 'states.blank date': 'skipped' })
    expect(rows).toHaveLength(2)
    expect(leftOut.map(({ line, reason }) => [line, reason])).toEqual([
      [3, 'told'],
      [5, 'told'],
    ])
  })
})

test('a dated row whose amount is the sum of three others is asked about, if no other has its words', () => {
  const rows = '2026-10-02,Cafe,-4.50\n2026-10-03,Market,-20.00\n2026-10-04,Pay,900.00\n'
  expect(errors(`Date,Description,Amount\n${rows}2026-10-31,October,875.50\n`)).toHaveProperty('states')
  expect(brief(`Date,Description,Amount\n${rows}2026-10-31,Pay,875.50\n`)).toHaveLength(4)
})

test('rows under the title of pending ones are pending, and dated totals without a balance none', () => {
  const rows =
    'Pending transactions,,,\n10/30/2026,CAFE,-5.00,\nPosted transactions,,,\n10/28/2026,PAY,2100.00,2365.90\n10/15/2026,RENT,-700.00,265.90\n'
  const { rows: booked, leftOut } = readStatement(
    encode(`Date,Description,Amount,Balance\n${rows}10/31/2026,Total credits,2100.00,\n`),
    { kind: 'bank', today: '2026-11-27' },
  )
  expect(booked.map(({ amount }) => amount)).toEqual([210000, -70000])
  const reasons = leftOut.map(({ line, reason }) => [line, reason]).sort()
  expect(reasons).toEqual([
    [2, 'note'],
    [3, 'pending'],
    [4, 'note'],
    [7, 'total'],
  ])
})

test('a column under an unknown header holds fees if the balances follow only with it', () => {
  const rows = (fee: string) =>
    `Date,Description,Extra,Amount,Balance\n2026-10-01,Pay,,100.00,500.00\n2026-10-02,Market,${fee},-33.15,465.83\n2026-10-03,Cafe,,-5.83,460.00\n`
  expect(brief(rows('1.02'))).toEqual([
    ['2026-10-01', 10000],
    ['2026-10-02', -3417],
    ['2026-10-03', -583],
  ])
  expect(brief(rows('7.00'))[1]).toEqual(['2026-10-02', -3315])
})

test('a line that moves the balance by its fee alone is a row', () => {
  const rows = '2026-10-03,Groceries,,120.00,,5282.50\n2026-10-04,SMS fee,,,0.35,5282.15\n'
  expect(brief(`Date,Description,Money In,Money Out,Fee,Balance\n${rows}`)).toEqual([
    ['2026-10-03', -12000],
    ['2026-10-04', -35],
  ])
})

describe('amounts with their currencies beside them', () => {
  test('may have one that no list has, if all of them have it', () => {
    const rows = (first: string, second: string) =>
      `Date,Description,Amount\n2026-01-02,Tea,${first}\n2026-01-03,Pay,${second}\n`
    expect(brief(rows('-1.50 Lsd', '2.00 Lsd'))).toEqual([
      ['2026-01-02', -150],
      ['2026-01-03', 200],
    ])
    expect(errors(rows('1.50 Lsd', '2.00'))).toHaveProperty('rows.2.amount')
    expect(errors(rows('1.50 km', '2.00 km'))).toHaveProperty('rows.2.amount')
    expect(asked(rows('3.50 DR', '2.00 DR'))).toHaveProperty('signs')
  })

  const file = (first: string, second: string) =>
    `Date;Description;Amount\n13.10.2026;a;${first}\n14.10.2026;b;${second}\n`

  test.each([
    ['-5,00 EUR', '10,00 USD'],
    ['-$5.00', '€10.00'],
    ['-$5.00', '10.00 USD'],
    ['-£5.00', '10.00 USD'],
    ['-C$5.00', '10.00 USD'],
    ['-C$5.00', 'US$10.00'],
    ['-5.00', 'USD 10.00'],
    ['-€5.00', '10.00'],
  ])('are asked about if these differ: %s and %s', (first, second) => {
    expect(Object.keys(errors(file(first, second)) ?? {})).toEqual(['statement_account'])
    expect(accountsIn(file(first, second), { statement_account: '*' })).toHaveLength(1)
    const [one, other] = accountsIn(file(first, second), { statement_account: 'chosen later' })
    expect([one?.entries.length, other?.entries.length]).toEqual([1, 1])
  })

  test.each([
    ['-$5.00', '$10.00'],
    ['0.00', '-10.00 USD'],
  ])('are those of one account if these do not differ: %s and %s', (first, second) => {
    expect(accountsIn(file(first, second))).toHaveLength(1)
  })
})

test('columns of amounts that are named by their currency are asked about if two of them are filled', () => {
  expect(Object.keys(errors('Date,CAD$,USD$\n2026-01-31,-5.00,-4.00\n') ?? {})).toEqual(['mapping'])
})

test('columns of amounts that are named by their currency are never mixed in a generic file, which has no currencies', () => {
  const generic = (rows: string) =>
    readGeneric(encode(`Date,CAD$,USD$\n${rows}`), { signs: 'as_written' }).rows
  expect(generic('2026-01-31,-5.00,\n')).toMatchObject([{ amount: 500 }])
  expect(errorsOf(() => generic('2026-01-31,-5.00,\n2026-01-31,,7.00\n'))).toHaveProperty('statement_account')
})
