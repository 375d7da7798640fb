import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contentsOf, encode, errorsOf, readGeneric, unreadableOf } from './corpus.ts'
import { type Answers, readFile } from './judge/reader.ts'
import { type Cell, type Sheets, workbook, workbookParts, zip } from './workbooks.ts'

/** 29 and 30 January 2026 as Excel counts days. */
const [first, second] = [{ date: 46_051 }, { date: 46_052.5 }]
const table: Sheets = {
  'Account Statement': [
    ['Account Statement'],
    [],
    ['Date/Time', 'Money In', 'Money out', 'Category', 'To / From', 'Description', 'Balance'],
    [first, 1300, '', 'inward transfer', 'ACME/0123456789', 'salary & bonus', 1300],
    [second, '', 11.75, 'outward transfer', 'BAKERY/0987654321', 'bread, "fresh"', 1288.25],
  ],
}
const read = (bytes: Uint8Array) => contentsOf(bytes, { signs: 'as_written' })
const rowsOf = (bytes: Uint8Array) =>
  read(bytes).accounts.map(({ identifier, entries }) => [identifier, ...entries.map(({ amount }) => amount)])
const refusal = (bytes: Uint8Array) => errorsOf(() => read(bytes))

describe('a workbook', () => {
  test('with hidden rows is asked about them, and leaves them out or not', () => {
    const parts = workbookParts(table)
    const sheet = 'xl/worksheets/sheet1.xml'
    const bytes = zip({
      ...parts,
      [sheet]: (parts[sheet] ?? '').replace('<row r="5">', '<row r="5" hidden="1">'),
    })
    const field = 'states.hidden rows'
    const readWith = (answers: Answers) => readFile(bytes, { kind: 'bank', answers })
    const { questions } = readWith({})
    expect(questions).toMatchObject([
      {
        field,
        options: [
          { value: 'booked', example: [{ line: 5 }] },
          { value: 'skipped', example: [] },
        ],
      },
    ])
    expect(readWith({ [field]: 'booked' }).rows.map(({ lines }) => lines)).toEqual([[4], [5]])
    const { rows, leftOut, settled } = readWith({ [field]: 'skipped' })
    expect(rows.map(({ lines }) => lines)).toEqual([[4]])
    expect(leftOut).toContainEqual(expect.objectContaining({ line: 5, reason: 'hidden' }))
    expect(settled[field]?.value).toBe('skipped')
  })

  test.each([true, false])('is read like a CSV file, deflated or not (%s)', (isDeflated) => {
    expect(read(workbook(table, isDeflated))).toEqual({
      format: 'csv',
      accounts: [
        {
          identifier: null,
          currency: null,
          entries: [
            {
              line: 4,
              date: '2026-01-29',
              amount: 130_000,
              description: 'ACME/0123456789 – salary & bonus',
              reference: null,
            },
            {
              line: 5,
              date: '2026-01-30',
              amount: -1_175,
              description: 'BAKERY/0987654321 – bread, "fresh"',
              reference: null,
            },
          ],
          closingBalance: { date: '2026-01-30', amount: 128_825 },
          skipped: 0,
        },
      ],
    })
  })

  test('has numbers whose decimals cannot be taken for thousands', () => {
    const rows: Cell[][] = [
      ['Date', 'Amount'],
      [first, -1.234],
      [second, '-7,50'],
    ]
    expect(Object.keys(refusal(workbook({ Sheet: rows })) ?? {})).toEqual(['decimal_separator'])
    expect(refusal(workbook({ Sheet: rows.slice(0, 2) }))).toEqual({
      'rows.2.amount': ['The amount field must have 0-2 decimal places.'],
    })
  })

  test('may write its amounts and dates as text, and its texts inside the cells', () => {
    const sheets = {
      Wallet: [
        ['Trans. Date', 'Value Date', 'Description', 'Debit(₦)', 'Credit(₦)', 'Balance After(₦)'],
        ['2026 Jan 29 10:11:12', '29 Jan 2026', 'Transfer from ACME', '--', '1,300.00', '1,300.00'],
        ['2026 Jan 30 10:11:12', '30 Jan 2026', 'Transfer to BAKERY', '11.75', '--', '1,288.25'],
      ],
    }
    expect(rowsOf(workbook(sheets))).toEqual([[null, 130_000, -1_175]])
    const parts = workbookParts({ A: [] })
    const inline = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`
    const row = (...cells: string[]) => `<row>${cells.map(inline).join('')}</row>`
    parts['xl/worksheets/sheet1.xml'] =
      `<worksheet><sheetData>${row('Date', 'Amount')}${row('2026-01-31', '-3.20')}</sheetData></worksheet>`
    expect(rowsOf(zip(parts))).toEqual([[null, -320]])
  })

  test('has no dates under a format that leaves the width of letters', () => {
    const parts = workbookParts(table)
    const format = '<numFmt numFmtId="170" formatCode="#,##0.00\\ _D_K_K"/>'
    parts['xl/styles.xml'] =
      `<styleSheet>${format}<cellXfs><xf numFmtId="170"/><xf numFmtId="14"/></cellXfs></styleSheet>`
    expect(rowsOf(zip(parts))).toEqual([[null, 130_000, -1_175]])
  })

  test('with a summary and one table holds one account; with several tables, one in each', () => {
    const rows = table['Account Statement'] ?? []
    const summary = [['Total'], ['In', 1300], ['Out', 11.75]]
    expect(rowsOf(workbook({ Summary: summary, Account: rows }))).toEqual([[null, 130_000, -1_175]])
    expect(rowsOf(workbook({ Wallet: rows, Savings: rows }))).toEqual([
      ['Wallet', 130_000, -1_175],
      ['Savings', 130_000, -1_175],
    ])
  })

  test('with two tables on one sheet is asked whether it holds an account in each', () => {
    const of = (title: string) => [[title], ['Date', 'Description', 'Amount'], [first, 'Shop', -12.5], []]
    const tables = workbook({ A: [...of('Checking'), ...of('Savings')] })
    expect(Object.keys(refusal(tables) ?? {})).toEqual(['statement_account'])
    const told = contentsOf(tables, { signs: 'as_written', statement_account: 'Savings' })
    expect(told.accounts.map(({ identifier }) => identifier)).toEqual(['Checking', 'Savings'])
  })

  test('of which one table cannot be read is asked about as a whole', () => {
    const other = [
      ['Quand', 'Combien', 'Autre'],
      [first, -3, 1],
      [second, 4.5, 2],
    ]
    expect(Object.keys(refusal(workbook({ ...table, Other: other })) ?? {})).toEqual([
      'mapping',
      'statement_account',
    ])
  })

  test('has no table with a single row that is passed over', () => {
    const header = ['Date', 'Description', 'Amount', 'Balance']
    const sheets = (pay: Cell[]) => ({
      Oct: [header, [first, 'Shop', -12.5, 87.5], [second, 'Shop', -2.5, 85]],
      Nov: [header, [second, 'Pay', ...pay]],
      Cover: [[], ['Date', first, 'Balance', 135]],
    })
    const asked = errorsOf(() => contentsOf(workbook(sheets([50, 135])), {}))
    expect(Object.keys(asked ?? {})).toEqual(['signs', 'statement_account'])
    expect(rowsOf(workbook(sheets([-50, 35])))).toEqual([
      ['Oct', -1_250, -250],
      ['Nov', -5_000],
    ])
  })

  test('of which several tables have questions asks them at once, and then those of the account that is meant', () => {
    const header = ['Date', 'Description', 'Amount']
    const sheets = workbook({
      Checking: [header, [first, 'Shop', -12.5], [second, 'Pay', 85]],
      Card: [
        [...header, 'Status'],
        [first, 'Shop', 12.5, 'Done'],
        [second, 'Pay', -85, 'Parked'],
      ],
    })
    const { questions } = unreadableOf(() => contentsOf(sheets)) ?? {}
    expect(questions?.map(({ field, options }) => [field, options.map(({ value }) => value)])).toEqual([
      ['signs', ['as_written', 'inverted']],
      ['states.Parked', ['booked', 'skipped']],
      ['statement_account', ['Checking', 'Card']],
    ])
    const of = (statement_account: string) => ({ statement_account, signs: 'inverted' })
    expect(contentsOf(sheets, of('Checking')).accounts[0]?.entries.map(({ amount }) => amount)).toEqual([
      1_250, -8_500,
    ])
    expect(Object.keys(errorsOf(() => contentsOf(sheets, of('Card'))) ?? {})).toEqual(['states'])
  })

  test('may have notes beside its table, and rows without the last cells', () => {
    const rows = [
      ['Date', 'Description', 'Amount', 'Balance'],
      [first, 'Shop', -12.5, 87.5, '', 'mine'],
      [second, 'Shop', -2.5, 85],
      [second, 'Bar', -1.5],
    ]
    expect(rowsOf(workbook({ Oct: rows }))).toEqual([[null, -1_250, -250, -150]])
    expect(
      readGeneric(workbook({ Oct: rows }), { signs: 'as_written' }).rows.map(({ amount }) => amount),
    ).toEqual([1_250, 250, 150])
  })

  describe('in whose real dates Excel may have exchanged day and month', () => {
    const header = ['Date', 'Description', 'Amount']
    const serial = (day: string) => ({ date: (Date.parse(day) - Date.UTC(1899, 11, 30)) / 86_400_000 })
    const dated = (...days: string[]) =>
      workbook({ Oct: [header, ...days.map((day) => [day.includes('-') ? serial(day) : day, 'Shop', -1])] })
    const daysOf = (bytes: Uint8Array, date_format?: string) =>
      contentsOf(bytes, { signs: 'as_written', ...(date_format && { date_format }) }).accounts.flatMap(
        ({ entries }) => entries.map(({ date }) => date),
      )
    const damaged = ['2026-01-10', '2026-02-10', '2026-12-10', '10/13/2026', '10/31/2026']

    test.each([
      [damaged],
      [damaged.toReversed()],
      [['2026-01-10', '13/10/2026']],
      [['2026-10-01', '2026-10-12', '13/10/2026', '14/10/2026']],
      [['2026-01-05', '2026-02-05', '2026-03-05', '2026-04-05', '12/31/2026']],
    ])('is asked: %j', (days) => {
      expect(refusal(dated(...days))?.date_format?.[0]).toMatch(
        /^The dates 2026-\d\d-\d\d in row \d and 1\d.\d\d.2026 in row \d look as if Excel had exchanged day and month;/,
      )
    })

    test('is read as the answer says', () => {
      const texts = ['2026-10-13', '2026-10-31']
      const [kept, exchanged] = [damaged.slice(0, 3), ['2026-10-01', '2026-10-02', '2026-10-12']]
      expect(daysOf(dated(...damaged), 'YYYY-MM-DD')).toEqual([...kept, ...texts])
      expect(daysOf(dated(...damaged), 'YYYY-DD-MM')).toEqual([...exchanged, ...texts])
    })

    test.each([
      [['2026-10-01', '2026-10-02', '2026-10-12']],
      [['2026-01-10', '2026-02-10', '10/13/2026', '2026-10-20']],
      [['2026-10-10', '10/13/2026']],
    ])('is read as before if the dates fit: %j', (days) => {
      expect(daysOf(dated(...days))).toHaveLength(days.length)
    })

    test('is read as before if its texts leave no doubt', () => {
      const rows = [
        header,
        [serial('2026-01-10'), 'Shop', -1],
        ['2026-10-13', 'Shop', -1],
        ['14 Oct 2026', 'Bar', -1],
      ]
      expect(daysOf(workbook({ Oct: rows }))).toEqual(['2026-01-10', '2026-10-13', '2026-10-14'])
    })
  })

  test('with an error in the place of an amount is refused', () => {
    const rows = [
      ['Date', 'Description', 'Amount', 'Balance'],
      [first, 'Shop', -12.5, 87.5],
      [second, 'Shop', { error: '#N/A' }, 85],
    ]
    expect(refusal(workbook({ Oct: rows }))).toEqual({
      'rows.3.amount': ['The amount field must be a number.'],
    })
  })

  test('must not have errors in place of amounts', () => {
    const error = { error: '#N/A' }
    const below = (...rows: Cell[][]) =>
      workbook({ Oct: [['Date', 'Description', 'Amount'], [first, 'Shop', -12.5], ...rows] })
    for (const rows of [
      [['', 'Bar', error]],
      [[], [second, 'Bar', error]],
      [[], [error, 'Bar', -2.5]],
      [[], ['', '', error]],
    ])
      expect(refusal(below(...rows))).not.toBeNull()
  })

  test('that inflates to more than it may is refused, a small one sooner', () => {
    const parts = (size: number) => ({
      ...workbookParts(table),
      'xl/sharedStrings.xml': `<sst>${' '.repeat(size)}</sst>`,
    })
    const tooLarge = ['The workbook is too large; export a shorter period.']
    expect(refusal(zip(parts(9_000_000), false))?.file).toEqual(tooLarge)
    expect(refusal(zip(parts(2_000_000)))?.file).toEqual(tooLarge)
    expect(refusal(zip(parts(2_000_000), false))).toEqual(refusal(zip(parts(500_000))))
  })

  test.each([
    ['a cell far to the right', '<row r="1"><c r="ZZZ1"><v>1</v></c></row>', /too many cells/],
    ['a row far below', '<row r="99999999"><c r="A1"><v>1</v></c></row>', /10,000 rows/],
    ['a row of no number', '<row r="x"><c r="A1"><v>1</v></c></row>', /10,000 rows/],
    ['cells without end', `<row>${'<c/>'.repeat(401_000)}</row>`, /too many cells/],
    [
      'rows whose only cell is the last',
      '<row><c r="IV1"><v>1</v></c></row>'.repeat(2_000),
      /too many cells/,
    ],
    ['a long text in many cells', `<row>${'<c t="s"><v>0</v></c>'.repeat(200)}</row>`.repeat(5), /too large/],
  ])('with %s is refused', (_, rows, message) => {
    const parts = {
      ...workbookParts(table),
      'xl/sharedStrings.xml': `<sst><si><t>${'a'.repeat(20_000)}</t></si></sst>`,
      'xl/worksheets/sheet1.xml': `<worksheet>${rows}</worksheet>`,
    }
    expect(refusal(zip(parts, false))?.file?.[0]).toMatch(message)
  })

  test('whose sheets leave out more rows than it may have cells is refused', () => {
    const parts: Record<string, string> = workbookParts(
      Object.fromEntries([...'ABCDEFGHIJK'].map((name) => [name, []])),
    )
    for (const name of Object.keys(parts).filter((name) => name.includes('worksheets')))
      parts[name] = '<worksheet><row r="40000"/></worksheet>'
    expect(refusal(zip(parts))?.file?.[0]).toMatch(/too many cells/)
  })

  test('that is damaged anywhere is read or refused, and nothing else', () => {
    const bytes = workbook(table)
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), fc.boolean(), (at, value, isCut) => {
        const damaged = isCut ? bytes.slice(0, at) : bytes.with(at, value)
        const errors = refusal(damaged)
        if (errors) expect(Object.keys(errors)).not.toHaveLength(0)
      }),
      { numRuns: 500 },
    )
  })
})

describe('a table of one’s own in a workbook', () => {
  const header = ['date', 'amount', 'type', 'account', 'to_account', 'category', 'description']
  const own: Sheets = {
    Notes: [['What I spend']],
    'My money': [
      header,
      [first, 12.5, 'expense', 'Checking', '', 'Food', 'Beans, "fresh"'],
      [second, 300, 'transfer', 'Checking', 'Savings', '', ''],
      ['2026-01-31', 1300, 'income', 'Checking', '', '', 'Salary'],
    ],
  }
  const csv = `${header}
2026-01-29,12.5,expense,Checking,,Food,"Beans, ""fresh"""
2026-01-30,300,transfer,Checking,Savings,,
2026-01-31,1300,income,Checking,,,Salary
`

  test('is read like the CSV file that it could have been, questions included', () => {
    expect(readGeneric(workbook(own), {}).rows).toEqual(readGeneric(encode(csv), {}).rows)
    const doubtful = [
      ['date', 'amount'],
      ['01/02/2026', '5.00'],
      ['02/03/2026', '6.00'],
    ]
    const asked = errorsOf(() => readGeneric(workbook({ Own: doubtful }), {}))
    expect(asked).toHaveProperty('date_format')
    expect(asked).toEqual(errorsOf(() => readGeneric(encode(doubtful.join('\n')), {})))
  })

  test('must be the only one', () => {
    const refused = { file: ['The workbook must have exactly one table.'] }
    const two = { ...own, Old: own['My money'] ?? [] }
    for (const sheets of [two, { Empty: [] }])
      expect(errorsOf(() => readGeneric(workbook(sheets), {}))).toEqual(refused)
  })
})
