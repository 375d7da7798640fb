import { describe, expect, test } from 'vitest'
import { readGenericCsv } from '../../../src/statements/csv/generic.ts'
import { readStatement } from '../../../src/statements/read.ts'
import type { ImportOptions, Statement } from '../../../src/statements/statement.ts'
import { corpus, encode, fileOf, fits, read, statements, sumOf } from './corpus.ts'

/** identifier, currency, rows, sum, skipped, closing balance, first row, last row: as the file was made. */
type Known = [
  string | null,
  string | null,
  number,
  number,
  number,
  [string, number] | null,
  ([string, number, string | null, string | null] | null)?,
  ([string, number, string | null, string | null] | null)?,
]

const answers: Record<string, Known[]> = {
  'csv/ch-kantonalbank.csv': [
    [
      'CH9300762011623852957',
      null,
      4,
      1135000,
      0,
      ['2026-01-30', 1135000],
      ['2026-01-30', -145000, 'Miete Februar', null],
      ['2026-01-05', 701235, 'Eröffnung Übertrag', null],
    ],
  ],
  'csv/de-comdirect.csv': [
    [
      null,
      null,
      3,
      -117849,
      1,
      null,
      [
        '2026-03-27',
        1450,
        'Auftraggeber: Mia Muster Buchungstext: Danke fürs Kino Ref. H9219358D9213211/2',
        null,
      ],
      ['2026-03-24', -110000, 'Buchungstext: KINO AM RING 23.03.2026', null],
    ],
  ],
  'csv/de-dkb.csv': [
    [
      'DE02120300000000202051',
      null,
      3,
      -84990,
      1,
      null,
      ['2026-03-06', 20000, 'Jo Beispiel – Rückzahlung Urlaub', null],
      ['2026-03-01', -102000, 'Vermieter KG – Miete 03/26', null],
    ],
  ],
  'csv/de-sparkasse-camt.csv': [
    [
      'DE02120300000000202051',
      'EUR',
      3,
      155820,
      1,
      null,
      ['2026-02-03', 231055, 'Tischlerei Öhler OHG – Lohn Januar 2026', null],
      ['2026-02-02', -735, 'Bäckerei am Markt//Hügelstadt/DE – 2026-01-30T18:02 Debitk.1 2028-12', null],
    ],
  ],
  'csv/de-volksbank-soll-haben.csv': [
    [
      null,
      'EUR',
      3,
      169765,
      0,
      null,
      ['2026-01-29', 185000, 'Arbeitgeber AG – GUTSCHRIFT Gehalt Januar Personalnummer 77', null],
      ['2026-01-05', -11240, 'Supermarkt – KARTENZAHLUNG', null],
    ],
  ],
  'csv/es-santander.csv': [['ES9121000418450200051332', null, 3, 137490, 0, ['2026-02-14', 245490]]],
  'csv/fr-boursorama.csv': [['00040123456', null, 3, 77655, 0, null]],
  'csv/fr-credit-agricole.csv': [
    [
      null,
      null,
      3,
      113227,
      0,
      null,
      ['2026-02-11', -1480, 'PAIEMENT PAR CARTE X1234 BOULANGERIE DU PORT 09/02', null],
      ['2026-01-31', -100333, "PRELEVEMENT ELECTRICITE DE L'OUEST", null],
    ],
  ],
  // The fee of the cash machine went off the account, as the balances show.
  'csv/gb-revolut.csv': [
    [
      null,
      'GBP',
      3,
      4450,
      2,
      ['2026-01-07', 4450],
      ['2026-01-03', 10000, 'Top-Up by *1234', null],
      ['2026-01-07', -5100, 'Cash at Main Street', null],
    ],
  ],
  'csv/in-hdfc.csv': [
    [
      null,
      null,
      3,
      8724950,
      0,
      ['2026-01-28', 18724950],
      ['2026-01-01', -25000, 'UPI-GENERAL STORES-STORE@BANK-PAYMENT', '0000600112233'],
      ['2026-01-28', -1250050, 'EMI 4455 CHQ S44 012604455', null],
    ],
  ],
  'csv/it-fineco.csv': [[null, null, 3, 127750, 0, null]],
  'csv/lt-swedbank.csv': [['LT121000011101001000', 'EUR', 2, 88469, 0, null]],
  'csv/nl-ing.csv': [['NL69INGB0123456789', null, 2, 99001, 0, ['2026-01-31', 99001]]],
  'csv/nl-rabobank.csv': [
    ['NL39RABO0300065264', 'EUR', 2, 5550, 0, ['2026-01-05', 55550]],
    ['NL20RABO0300065265', 'EUR', 1, 1000, 0, ['2026-01-05', 11000]],
  ],
  'csv/pl-mbank.csv': [
    [
      'mKonto 1234 ... 5678',
      null,
      3,
      293401,
      0,
      null,
      ['2026-01-30', -1599, 'ŻABKA Z1234 K.1 ZAKUP PRZY UŻYCIU KARTY', null],
      ['2026-01-10', -125000, 'CZYNSZ STYCZEŃ PRZELEW', null],
    ],
  ],
  'csv/pt-cgd.csv': [[null, null, 3, 94680, 0, ['2026-02-26', 124680]]],
  'csv/se-preamble-pipe.csv': [[null, null, 2, 1760000, 0, ['2026-03-02', 2550050]]],
  'csv/us-bank-of-america.csv': [
    [
      null,
      null,
      3,
      84975,
      0,
      ['2026-01-20', 204975],
      ['2026-01-02', -110000, 'RENT ONLINE PAYMENT "UNIT 4"', null],
      ['2026-01-20', -5025, 'GROCER #12', null],
    ],
  ],
  'csv/us-chase.csv': [
    [
      null,
      null,
      3,
      148825,
      0,
      ['2026-01-30', 198825],
      ['2026-01-30', -1175, 'CORNER DELI NEW YORK NY 01/29', null],
      ['2026-01-05', -50000, 'CHECK 1041', '1041'],
    ],
  ],
  'csv/us-headerless.csv': [
    [
      null,
      null,
      3,
      82690,
      0,
      null,
      ['2026-01-31', -2310, 'PURCHASE AUTHORIZED ON 01/30 HARDWARE STORE', null],
      ['2026-01-12', -40000, 'CHECK # 204', null],
    ],
  ],
  'ofx/au-pending-and-empty.ofx': [
    ['11112222', 'AUD', 0, 0, 1, ['2026-01-31', 7700]],
    ['33334444', 'AUD', 1, 75, 0, ['2026-01-31', 75], ['2026-01-31', 75, 'Interest <gross> & net', 'i1']],
  ],
  'ofx/br-commas-oneline.ofx': [
    [
      '1234-5',
      'BRL',
      2,
      176544,
      1,
      ['2026-02-28', 176544],
      ['2026-02-28', -123456, 'PIX ENVIADO PADARIA SÃO JOÃO', '2026022801'],
      ['2026-02-10', 300000, 'SALÁRIO', '2026021001'],
    ],
  ],
  'ofx/ca-card-wrong-end.qfx': [
    [
      '5191000000000000',
      'CAD',
      2,
      21190,
      0,
      ['2026-05-07', -41190],
      ['2026-04-15', -8810, 'Épicerie du Coin', '9001'],
      ['2026-04-20', 30000, 'PAYMENT', '9002'],
    ],
  ],
  'ofx/fr-mixed-closing.ofx': [
    [
      '00020000001',
      'EUR',
      2,
      78780,
      0,
      ['2026-06-15', 95027],
      ['2026-06-02', -1230, 'PAIEMENT CB 3105 FROMAGERIE – CARTE 1234', '1RT5GB'],
      ['2026-06-10', 80010, 'VIR COLOCATAIRE', '1RT5GC'],
    ],
  ],
  'ofx/gb-two-accounts-v2.ofx': [
    [
      '20201512345678',
      'GBP',
      2,
      -10420,
      0,
      ['2026-03-31', -1580],
      ['2026-03-03', -420, 'Café Nero', 'A1'],
      ['2026-03-04', -10000, 'To savings', 'A2'],
    ],
    ['4929000000000006', 'GBP', 1, -5999, 0, ['2026-03-31', -5999]],
  ],
  'ofx/us-checking-sgml.ofx': [
    [
      '000000123456789',
      'USD',
      3,
      145450,
      0,
      ['2026-11-30', 321050],
      ['2026-11-20', -4554, 'AT&T MOBILE <AUTOPAY> – RECURRING', '202611201'],
      ['2026-11-30', 250004, 'PAYROLL & BONUS', '202611301'],
    ],
  ],
  'ofx/us-investment.qfx': [['Z-1', 'USD', 2, 50107, 0, null]],
  'qif/de-dots.qif': [[null, null, 2, 98476, 0, null]],
  'qif/fr-cash.qif': [[null, null, 2, -111250, 0, null, ['2026-04-15', -1250, 'Marché – Légumes', null]]],
  'qif/gb-dmy.qif': [[null, null, 2, -2499, 0, null, ['2026-02-28', -999, 'STREAMING CO', null]]],
  'qif/multi-account.qif': [
    ['Checking', null, 1, -6000, 1, null, ['2026-01-15', -6000, 'Visa payment', null]],
    ['Visa', null, 1, -6000, 0, null, ['2026-01-03', -6000, 'Bike shop', null]],
  ],
  'qif/nl-asset-iso.qif': [[null, null, 2, 34875000, 0, null]],
  'qif/us-quicken.qif': [
    [
      null,
      null,
      3,
      74544,
      0,
      null,
      ['2026-12-31', -123456, 'Landlord LLC – Rent, December', '1042'],
      ['2027-01-13', -2000, 'Cash withdrawal', null],
    ],
  ],
  'mt940/ch-plain-pages.sta': [
    [
      'CH9300762011623852957',
      'CHF',
      2,
      75450,
      1,
      ['2026-05-06', 275450],
      ['2026-05-05', -4550, 'eBill Rechnung Elektrizitaetswerk Kundennummer 12345', '055-1'],
      ['2026-05-06', 80000, 'Gutschrift von Peter Beispiel', '055-2'],
    ],
    ['CH5604835012345678009', 'CHF', 0, 0, 0, ['2026-05-06', -1000]],
  ],
  'mt940/de-old-line-ends.sta': [
    [
      '1222333444',
      'EUR',
      2,
      498000,
      0,
      ['2026-03-01', 498000],
      ['2026-03-01', 500000, 'Verwendungszweck 1 Verwendungszweck 2', '68790452'],
      ['2026-03-01', -2000, null, null],
    ],
  ],
  'mt940/de-structured.sta': [
    [
      '12030000/0000202051',
      'EUR',
      3,
      22401,
      0,
      ['2026-01-02', 122401],
      ['2026-01-02', -1599, 'Buchhandlung Lesezeichen GmbH – Rechnung 4711 Kundennummer 88', null],
      ['2026-01-02', -1000, 'Irrtum', null],
    ],
  ],
  'mt940/gb-reversals.sta': [
    [
      'GB29NWBK60161331926819',
      'GBP',
      4,
      0,
      0,
      ['2026-01-14', 30000],
      ['2026-01-12', -10000, 'CHEQUE PAID', 'BANKREF1'],
      ['2026-01-14', -2550, 'PAYMENT RECALLED', 'BANKREF4'],
    ],
  ],
  'mt940/nl-blocks.mt940': [
    [
      'NL69INGB0123456789',
      'EUR',
      2,
      -1,
      0,
      ['2026-02-20', 66222],
      ['2026-02-20', 156, 'ING BANK NV INZAKE WEB – EV10001REP1000000T1000', '00000000001005'],
      ['2026-02-20', -157, 'TOTAAL 1 VZ', '00000000001006'],
    ],
  ],
  'mt940/nl-coded.sta': [
    [
      '517852257',
      'EUR',
      3,
      -2000,
      0,
      ['2026-03-12', 511861],
      ['2026-03-12', 900, 'ENERGY BILLING – Restitutie 1234', null],
    ],
  ],
  'mt940/pl-tilde.sta': [
    [
      'PL12105000997603123456789123',
      'PLN',
      2,
      145000,
      0,
      ['2026-01-31', 155000],
      [
        '2026-01-31',
        -5000,
        'SPOLDZIELNIA MIESZKANIOWA UL. PRZYKLADOWA 1 – PRZELEW ZA CZYNSZ STYCZEN 2026',
        '0000000001',
      ],
    ],
  ],
  'camt/ch-053-v4-batch.xml': [
    [
      'CH9300762011623852957',
      'CHF',
      3,
      343300,
      0,
      ['2026-03-22', 443300],
      ['2026-03-22', 218700, 'Anna Zahler – Rechnung 88', 'DET-1'],
      ['2026-03-22', -5000, 'Storno Sammelauftrag', 'BATCH-2'],
    ],
  ],
  'camt/de-052-report.xml': [
    ['1234567890', 'EUR', 1, 1050, 2, null, ['2026-07-20', 1050, 'Flohmarkt <Stand 3>', null]],
  ],
  'camt/de-053-v8.xml': [
    [
      'DE02120300000000202051',
      'EUR',
      2,
      -19911,
      1,
      ['2026-02-27', -8639],
      ['2026-02-27', 10000, 'Käthe & Söhne – Erstattung Beleg 12', '2026022710000001'],
      ['2026-02-27', -29911, 'Möbelhaus GmbH – RF18539007547034', '2026022710000002'],
    ],
  ],
  'camt/fr-053-two-accounts.xml': [
    ['FR1420041010050500013M02606', 'EUR', 1, -4990, 0, ['2026-05-31', 25000]],
    ['FR7630006000011234567890189', 'USD', 0, 0, 0, ['2026-05-31', 0]],
  ],
  'camt/nl-053-v2-days.xml': [['NL77ABNA0574908765', 'EUR', 2, 9250, 0, ['2026-01-06', 11250]]],
  'camt/se-054-notification.xml': [
    [
      '5566778',
      'SEK',
      2,
      150000,
      0,
      null,
      ['2026-04-01', 100000, 'Åsa Ek', 'SVC-1'],
      ['2026-04-01', 50000, 'Örjan Sjö', 'SVC-2'],
    ],
  ],
}

/** Files that leave a question open, and what a form field answers. */
const options: Record<string, ImportOptions> = {}

/** As much of what was read as the answer names. */
function known(statement: Statement, path: string): Known[] {
  return statement.accounts.map((account, i) => {
    const closing = account.closingBalance
    const brief = (row: (typeof account.entries)[number] | undefined) =>
      row
        ? ([row.date, row.amount, row.description, row.reference] as [string, number, string, string])
        : null
    const all: Known = [
      account.identifier,
      account.currency,
      account.entries.length,
      sumOf(account.entries),
      account.skipped,
      closing ? [closing.date, closing.amount] : null,
      brief(account.entries[0]),
      brief(account.entries.at(-1)),
    ]
    return all.slice(0, answers[path]?.[i]?.length) as Known
  })
}

test('every statement of the corpus has a known answer', () => {
  expect(statements.map(([path]) => path).sort()).toEqual(Object.keys(answers).sort())
  expect(corpus.size).toBeGreaterThan(45)
})

describe('a statement of the corpus', () => {
  test.each(statements)('%s has the rows, sums and balances that it was made with', (path, text) => {
    const statement = read(text, options[path])
    expect(statement.format).toBe(path.split('/')[0])
    expect(known(statement, path)).toEqual(answers[path])
  })

  test.each(statements)('%s reads the same with other line ends and in other encodings', (path, text) => {
    const expected = read(text, options[path])
    const same = (bytes: Uint8Array) => expect(readStatement(bytes, options[path] ?? {})).toEqual(expected)
    same(encode(text.replaceAll('\n', '\r\n')))
    same(encode(text.replaceAll('\n', '\r')))
    same(encode(`\ufeff${text}`))
    for (const encoding of ['utf-16le', 'utf-16be']) {
      same(encode(`\ufeff${text}`, encoding))
      // Without a mark, NULs between the letters give it away.
      same(encode(text, encoding))
    }
  })

  test.each(statements.filter(([, text]) => fits(text, 'windows-1252')))(
    '%s reads the same in Windows-1252',
    (path, text) => {
      // An XML file has to say that it is in another encoding than UTF-8.
      const bytes = encode(text.replace(/encoding="utf-8"/i, 'encoding="windows-1252"'), 'windows-1252')
      expect(readStatement(bytes, options[path] ?? {})).toEqual(read(text, options[path]))
    },
  )

  test('in Windows-1250 or ISO 8859-2 is recognised by its Polish letters', () => {
    const text = fileOf('csv/pl-mbank.csv')
    for (const encoding of ['windows-1250', 'iso-8859-2']) {
      expect(readStatement(encode(text, encoding), {})).toEqual(read(text))
    }
  })
})

describe('a generic CSV file of the corpus', () => {
  const rowsOf = (path: string, said: ImportOptions = {}) => readGenericCsv(encode(fileOf(path)), said)

  test('gives types, accounts, categories and references as written', () => {
    expect(rowsOf('generic-csv/ledger.csv')).toEqual([
      {
        line: 2,
        date: '2026-01-02',
        type: 'expense',
        amount: 1250,
        account: 'Checking',
        to_account: null,
        category: 'Groceries',
        description: 'Bread and cheese',
        reference: 'R-1',
      },
      {
        line: 3,
        date: '2026-01-03',
        type: 'income',
        amount: 180000,
        account: 'Checking',
        to_account: null,
        category: 'Salary',
        description: 'January pay',
        reference: null,
      },
      {
        line: 4,
        date: '2026-01-04',
        type: 'transfer',
        amount: 25000,
        account: 'Checking',
        to_account: 'Savings',
        category: null,
        description: 'Rainy days',
        reference: 'T-9',
      },
      {
        line: 5,
        date: '2026-01-05',
        type: 'expense',
        amount: 125000,
        account: 'Checking',
        to_account: null,
        category: 'Rent',
        description: 'Flat, January',
        reference: null,
      },
    ])
  })

  test('takes the type from the sign, and formulas for plain text', () => {
    const rows = rowsOf('generic-csv/signed-semicolon.csv')
    expect(rows.map(({ date, type, amount, description }) => [date, type, amount, description])).toEqual([
      ['2026-01-31', 'expense', 1250, '=SUMME(A1:A3)'],
      ['2026-02-01', 'income', 180000, '@Arbeitgeber'],
      ['2026-02-02', 'expense', 99, '+Porto'],
    ])
  })

  test('takes the type from debit and credit columns, and the order of the date from the whole file', () => {
    const rows = rowsOf('generic-csv/debit-credit.tsv.csv')
    expect(rows.map(({ date, type, amount }) => [date, type, amount])).toEqual([
      ['2026-01-13', 'expense', 1000],
      ['2026-01-02', 'income', 9995],
    ])
  })

  test('is read through a mapping when its headers are its own', () => {
    const mapping = { date: 'When', amount: 'how much', description: 'What', category: '4' }
    expect(rowsOf('generic-csv/mapped-headers.csv', { mapping })).toMatchObject([
      { line: 2, date: '2026-05-01', type: 'expense', amount: 320, description: 'Tea', category: 'Drinks' },
      { line: 3, date: '2026-05-02', type: 'expense', amount: 480, description: 'Cake', category: 'Sweets' },
    ])
  })
})
