import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { defaultCategories } from '../../../src/categories/defaults.ts'
import { findDifferences } from '../../../src/database/check.ts'
import { csvHeaders } from '../../../src/domain/transaction-fields.ts'
import { sha256Hex } from '../../../src/identity/tokens.ts'
import { rowsOf } from '../../databases/work.ts'
import {
  balanceOf,
  createWorld,
  expectInvalid,
  type Json,
  openAccount,
  recordTransaction,
} from '../fixtures/world.ts'
import { askDatabase, createHousehold, openWorldDatabase, writeHistory } from '../laws/every-route.ts'
import { countsOf, sendFile } from './send-file.ts'

const csv = `Date;Amount;Description;Category;Account
20.11.2026;-12,50;Groceries at the market;Groceries;Checking
21.11.2026;-3,20;Coffee;Coffee & Cake;cash
21.11.2026;-3,20;Coffee;Coffee & Cake;cash
25.11.2026;2.500,00;Salary;Salary;Checking
`

const ofx = `OFXHEADER:100
DATA:OFXSGML
VERSION:102
ENCODING:USASCII
CHARSET:1252

<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>EUR
<BANKACCTFROM><BANKID>1<ACCTID>4711<ACCTTYPE>CHECKING</BANKACCTFROM>
<BANKTRANLIST><DTSTART>20261101<DTEND>20261130
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261103<TRNAMT>-20.00<FITID>A1<NAME>Bakery</STMTTRN>
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261104<TRNAMT>-20.00<FITID>A2<NAME>Bakery</STMTTRN>
<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20261105<TRNAMT>40.00<FITID>A3<NAME>Refund</STMTTRN>
</BANKTRANLIST><LEDGERBAL><BALAMT>100.00<DTASOF>20261130</LEDGERBAL>
</STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
`

/** A household that imports: by form, as raw files, and as JSON. */
async function createImporter() {
  const world = createWorld()
  const household = await createHousehold(world)
  const { person } = household
  const upload = async (path: string, file: string, fields: Record<string, string> = {}) => {
    const form = new FormData()
    form.set('file', new File([file], 'statement.bin'))
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    const request = new Request('http://purse.test', { method: 'POST', body: form })
    const headers = { 'Content-Type': request.headers.get('Content-Type') ?? '' }
    return world.call('POST', path, { token: person.token, rawBody: await request.bytes(), headers })
  }
  const statement = (file: string, fields: Record<string, string> = {}) =>
    upload('/api/import/bank/store', file, { account_id: String(household.checking.id), ...fields })
  const list = async (): Promise<Json[]> => (await person.get('/api/transactions')).body.data
  const total = async () => (await person.get('/api/transactions')).body.total
  const isExact = async () => (await findDifferences(openWorldDatabase(world))).length === 0
  const leftovers = async () => {
    const [row] = await askDatabase(world, sql`select count(*) as n from sync_parts`)
    return row?.n
  }
  return { ...household, upload, statement, list, total, isExact, leftovers }
}

test.each(['/api/import/store', '/api/import/bank/store'])(
  'the message of %s says what was stored, in words that agree with the number',
  async (path) => {
    const { person, expense } = await createImporter()
    const of = (amount: number) => ({ ...expense(), amount })
    await person.post('/api/transactions', of(1))
    const imports = [
      { transactions: [of(2)], created: '1 transaction' },
      { transactions: [of(3), of(4)], created: '2 transactions' },
    ]
    for (const { transactions, created } of imports) {
      const dry = await person.post(path, { transactions, dry_run: true })
      expect(dry.body.message).toBe(
        `Nothing was stored: this was a dry run, and the import would add ${created}.`,
      )
      const real = await person.post(path, { transactions })
      expect(real.body.message).toBe(`Successfully imported ${created}.`)
    }
  },
)

describe('a generic CSV', () => {
  test('creates its rows once, with missing categories, and accounts found by name; two equal rows stay two', async () => {
    const home = await createImporter()
    const { status, body } = await home.upload('/api/import/store', csv)
    expect([status, body]).toEqual([
      200,
      {
        message: 'Successfully imported 4 transactions.',
        import: {
          id: expect.any(Number),
          format: 'csv',
          counts: countsOf({ rows: 4, created: 4 }),
          duplicates: [],
          occurrences: [],
          matches_url: null,
          skipped: 0,
          left_out: { count: 0, lines: [] },
          dry_run: false,
          accounts_created: [],
          unused: [],
          settled: expect.objectContaining({
            signs: { value: 'as_written', proof: 'the documented columns, where a minus sign is an expense' },
          }),
          preview: null,
          balance_checks: [],
          starting_balance: null,
          closing_balance: null,
        },
      },
    ])
    expect(await balanceOf(home.person, home.checking)).toBe(2587.5)
    expect(await balanceOf(home.person, home.cash)).toBe(13.6)
    const { body: categories } = await home.person.get('/api/categories')
    expect(categories.filter((one: Json) => one.name === 'Coffee & Cake')).toMatchObject([
      { type: 'expense' },
    ])
    expect(categories).toHaveLength(defaultCategories.length + 1)
    const again = (await home.upload('/api/import/store', csv)).body.import
    expect(again.counts).toEqual(countsOf({ rows: 4, duplicate: 4 }))
    expect([await home.total(), await home.isExact(), await home.leftovers()]).toEqual([4, true, 0])
  })

  test('names its categories: a name that is a number is not an id', async () => {
    const home = await createImporter()
    const named = 'date,amount,category,account\n2026-11-20,-5.00,4711,Checking\n'
    expect((await home.upload('/api/import/store', named)).status).toBe(200)
    const { body } = await home.person.get('/api/categories')
    const [row] = await home.list()
    expect(body.find((one: Json) => one.id === row?.category_id).name).toBe('4711')
  })

  test('with unknown accounts is refused whole, each named by its row', async () => {
    const home = await createImporter()
    const bad = `${csv}26.11.2026;-1,00;x;;Piggy Bank\n`
    const { status, body } = await home.upload('/api/import/store', bad)
    expect([status, body.errors]).toEqual([422, { 'rows.6.account': ['The selected account is invalid.'] }])
    expect([await home.total(), await home.leftovers()]).toEqual([0, 0])
    expect((await home.person.get('/api/categories')).body).toHaveLength(defaultCategories.length)
  })

  test('may have options in the query too, which an empty field of the form leaves alone', async () => {
    const home = await createImporter()
    const fields = { account_id: String(home.cash.id), dry_run: '' }
    const file = 'date,amount\n2026-11-20,-5\n'
    expect((await home.upload('/api/import/store?dry_run=true', file, fields)).body.import.dry_run).toBe(true)
    const both = { ...fields, dry_run: 'false' }
    expect((await home.upload('/api/import/store?dry_run=true', file, both)).body.import.dry_run).toBe(false)
  })
})

describe('a bank statement', () => {
  test('becomes income and expenses on the account, and says whether its balance agrees', async () => {
    const home = await createImporter()
    const { status, body } = await home.statement(ofx)
    expect([status, body.import]).toEqual([
      200,
      {
        id: expect.any(Number),
        format: 'ofx',
        counts: countsOf({ rows: 3, created: 3 }),
        occurrences: [],
        duplicates: [],
        matches_url: null,
        skipped: 0,
        left_out: { count: 0, lines: [] },
        dry_run: false,
        accounts_created: [],
        unused: [],
        settled: {
          signs: { value: 'as_written', proof: 'the format defines its signs' },
          statement_account: { value: '4711', proof: 'the only account in the file' },
        },
        preview: null,
        // The day is not over.
        balance_checks: [],
        starting_balance: null,
        closing_balance: { date: '2026-11-30', statement: 100, account: 100, agrees: true },
      },
    ])
    expect((await home.list()).map((row) => [row.type, row.amount, row.reference, row.description])).toEqual([
      ['income', '40.00', 'A3', 'Refund'],
      ['expense', '20.00', 'A2', 'Bakery'],
      ['expense', '20.00', 'A1', 'Bakery'],
    ])
  })

  test('that overlaps an earlier one adds only what is new', async () => {
    const home = await createImporter()
    await home.statement(ofx)
    const next = ofx.replace('<FITID>A1', '<FITID>B1').replace('<DTPOSTED>20261103', '<DTPOSTED>20261203')
    const { body } = await home.statement(next)
    expect(body.import.counts).toEqual(countsOf({ rows: 3, created: 1, duplicate: 2 }))
    expect(await home.total()).toBe(4)
  })

  test('needs an account, which must be the user’s own: one error, not one for each row', async () => {
    const home = await createImporter()
    const stranger = await createHousehold(home.world)
    const foreign = await home.statement(ofx, { account_id: String(stranger.checking.id) })
    expectInvalid(foreign, { account_id: ['The selected account id is invalid.'] })
    for (const account_id of ['', '999999', 'abc']) {
      const { status, body } = await home.statement(ofx, { account_id })
      expect([account_id, status]).toEqual([account_id, 422])
      expect(JSON.stringify(body.errors)).toContain('account')
    }
    expect([await home.total(), await home.leftovers()]).toEqual([0, 0])
  })

  test('of several accounts asks which of them is meant', async () => {
    const home = await createImporter()
    const second = ofx
      .slice(ofx.indexOf('<STMTTRNRS>'), ofx.indexOf('</BANKMSGSRSV1>'))
      .replace('4711', '4712')
    const both = ofx.replace('</BANKMSGSRSV1>', `${second}</BANKMSGSRSV1>`)
    const refused = await home.statement(both)
    expect(refused.body.errors).toEqual({
      statement_account: ['The file contains several accounts; choose one of: 4711, 4712.'],
    })
    expect((await home.statement(both, { statement_account: '4712' })).body.import.counts.created).toBe(3)
  })

  test('whose accounts differ by currency alone is asked about by names that differ', async () => {
    const home = await createImporter()
    const csv = 'Date,Amount,Currency\n2026-01-30,-5.00,EUR\n2026-01-30,-6.00,USD\n2026-01-31,-7.00,USD\n'
    expect((await home.statement(csv, { signs: 'as_written' })).body.errors).toEqual({
      statement_account: [
        'The file has several currencies: EUR, USD. Choose one of them, or * if all rows are of one account.',
      ],
    })
    const told = { signs: 'as_written', statement_account: 'USD' }
    expect((await home.statement(csv, told)).body.import.counts.created).toBe(2)
  })

  test('whose amounts have no sign is asked about, and read as the response says', async () => {
    const home = await createImporter()
    const csv = 'Date,Amount\n2026-01-30,5.00\n2026-01-31,7.00\n'
    const refused = await home.statement(csv)
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['signs']])
    expect((await home.statement(csv, { signs: 'inverted' })).body.import.counts.created).toBe(2)
    expect((await home.list()).map(({ type }) => type)).toEqual(['expense', 'expense'])
    expect((await home.statement(csv, { signs: 'odd' })).body.errors).toHaveProperty('signs')
  })

  test('is tried without writing by dry_run, with the same response', async () => {
    const home = await createImporter()
    const dry = await home.statement(ofx, { dry_run: 'true' })
    expect([await home.total(), await home.leftovers()]).toEqual([0, 0])
    expect((await home.person.get('/api/imports')).body).toEqual([])
    const real = await home.statement(ofx)
    const { preview, ...rest } = dry.body.import
    expect({ ...rest, preview: null }).toEqual({ ...real.body.import, id: null, dry_run: true })
    expect(preview).toMatchObject({
      more: 0,
      total_in: '40.00',
      total_out: '40.00',
      balance_after: 100,
      rows: [
        { row: 1, transaction_date: '2026-11-03', type: 'expense', amount: '20.00', account: 'Checking' },
        { row: 2, type: 'expense', duplicate_of: null, possible: null, category: null },
        { row: 3, type: 'income', amount: '40.00', description: 'Refund', reference: 'A3' },
      ],
    })
  })
})

describe('JSON', () => {
  test('accepts the fields of a sync item, all or nothing', async () => {
    const home = await createImporter()
    const item = { ...home.expense(), client_id: 'j1' }
    const bad = await home.person.post('/api/import/store', { transactions: [item, { ...item, amount: 0 }] })
    expect([bad.status, bad.body.errors]).toEqual([
      422,
      { 'transactions.1.amount': ['The amount field must be greater than 0.'] },
    ])
    const good = await home.person.post('/api/import/store', { transactions: [item, item] })
    expect(good.body.import.counts).toEqual(countsOf({ rows: 2, created: 1, duplicate: 1 }))
    expect(await home.total()).toBe(1)
  })

  test('accepts categories by id, which must be the user’s own', async () => {
    const home = await createImporter()
    const stranger = await createHousehold(home.world)
    const item = ({ id }: Json) => ({ ...home.expense(), category_id: id })
    const transactions = [item(home.category), item(stranger.category)]
    const refused = await home.person.post('/api/import/store', { transactions })
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      { 'transactions.1.category_id': ['The selected category id is invalid.'] },
    ])
    expect([await home.total(), await home.leftovers()]).toEqual([0, 0])
    await home.person.post('/api/import/store', { transactions: transactions.slice(0, 1) })
    expect(await home.list()).toMatchObject([{ category_id: home.category.id }])
  })
})

describe('a mapping', () => {
  const table = 'When,How much\n2026-11-20,-5.00\n'

  test('names columns by their header or their number', async () => {
    const home = await createImporter()
    const mapping = JSON.stringify({ date: 'When', amount: '2' })
    const fields = { mapping, signs: 'as_written', account_id: String(home.cash.id) }
    expect((await home.upload('/api/import/store', table, fields)).body.import.counts.created).toBe(1)
  })

  test('with fields that mean nothing names at most three of them', async () => {
    const home = await createImporter()
    const unknown = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`field${i}`, 'When']))
    const mapping = JSON.stringify({ date: 'When', amount: 'How much', ...unknown })
    const told = { mapping, signs: 'as_written' }
    const { status, body } = await home.upload('/api/import/store', table, told)
    expect([status, Object.keys(body.errors)]).toEqual([422, ['mapping']])
    expect(body.errors.mapping).toHaveLength(3)
    expect(body.errors.mapping[0]).toMatch(/^The mapping field field0 is unknown; use one of date, amount,/)
  })

  test.each([
    ['entries without end', Object.fromEntries(Array.from({ length: 4_000 }, (_, i) => [`f${i}`, i]))],
    ['a header without end', { date: 'x'.repeat(60_000) }],
    ['a field without end', { ['x'.repeat(60_000)]: 1 }],
    ['no texts', { date: { date: 'x'.repeat(60_000) } }],
  ])('with %s is refused in a few words', async (_, mapping) => {
    const home = await createImporter()
    for (const path of ['/api/import/store', '/api/import/bank/store']) {
      const fields = { mapping: JSON.stringify(mapping), account_id: String(home.cash.id) }
      const { status, text } = await home.upload(path, table, fields)
      expect([path, status]).toEqual([path, 422])
      expect(text.length).toBeLessThan(1_000)
    }
  })
})

describe('undoing an import', () => {
  test('removes exactly its rows, and the file can be imported again', async () => {
    const home = await createImporter()
    await home.spend()
    const { body } = await home.statement(ofx)
    expect((await home.person.get(`/api/imports/${body.import.id}`)).body).toEqual({
      id: body.import.id,
      kind: 'bank',
      file_name: 'statement.bin',
      format: 'ofx',
      counts: { rows: 3, created: 3, duplicate: 0, deleted_before: 0 },
      created_at: expect.any(String),
    })
    expect((await home.person.delete(`/api/imports/${body.import.id}`)).status).toBe(204)
    expect(await home.total()).toBe(1)
    expect((await home.person.get('/api/imports')).body).toEqual([])
    expect((await home.statement(ofx)).body.import.counts.created).toBe(3)
    expect(await home.isExact()).toBe(true)
  })

  test('leaves what was edited since, unless it is forced', async () => {
    const home = await createImporter()
    const first = (await home.statement(ofx)).body.import.id
    const [row] = await home.list()
    await home.person.put(`/api/transactions/${row?.id}`, { description: 'Mine' })
    await home.person.delete(`/api/imports/${first}`)
    expect(await home.list()).toMatchObject([{ id: row?.id }])

    const second = (await home.statement(ofx)).body.import
    expect(second.counts).toEqual(countsOf({ rows: 3, created: 2, duplicate: 1 }))
    const [other] = (await home.person.get('/api/transactions?q=Bakery')).body.data
    await home.person.put(`/api/transactions/${other.id}`, { description: 'Mine too' })
    await home.person.delete(`/api/imports/${second.id}?force=true`)
    expect(await home.total()).toBe(1)
  })

  test('frees the client ids of its rows, unlike deleting a row, whose client id stays spent', async () => {
    const home = await createImporter()
    const importIt = () =>
      home.person.post('/api/import/store', { transactions: [{ ...home.expense(), client_id: 'once' }] })
    const { body } = await importIt()
    await home.person.delete(`/api/imports/${body.import.id}`)
    expect((await importIt()).body.import.counts.created).toBe(1)
    const [row] = await home.list()
    await home.person.delete(`/api/transactions/${row?.id}`)
    const again = await importIt()
    expect([again.status, Object.keys(again.body.errors)]).toEqual([422, ['transactions.0.client_id']])
  })
})

describe('what is not a file to import', () => {
  test('JSON without any text is a 422 under the missing rows, as in a batch', async () => {
    const home = await createImporter()
    const headers = { 'Content-Type': 'application/json' }
    for (const path of ['/api/import/store', '/api/import/bank/store', '/api/transactions/sync']) {
      const { token } = home.person
      for (const rawBody of ['', ' \n'])
        expectInvalid(await home.world.call('POST', path, { token, rawBody, headers }), {
          transactions: ['The transactions field is required.'],
        })
    }
  })

  test('a file over 5 MB is a 413', async () => {
    const home = await createImporter()
    const { status, body } = await home.statement('x'.repeat(5 * 1024 * 1024 + 1))
    expect([status, body.message]).toEqual([413, 'The file must not be larger than 5 MB.'])
  })

  test('a form without a file, or no form at all, is a 422; one that is cut off a 400', async () => {
    const home = await createImporter()
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' }
    const call = (rawBody: string) =>
      home.world.call('POST', '/api/import/store', { token: home.person.token, rawBody, headers })
    const empty = await call('--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n')
    expect([empty.status, Object.keys(empty.body.errors)]).toEqual([422, ['file']])
    expect((await call('--x\r\nContent-Dispo')).status).toBe(400)
  })

  test('a form with more fields than an import can have is a 422, one with an invalid boundary a 400', async () => {
    const home = await createImporter()
    const field = (name: string, value: string) =>
      `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    const call = (fields: number, boundary = 'x', header = '') => {
      const others = Array.from({ length: fields - 2 }, (_, nth) => field(`n${nth}`, ''))
      const file = field('file', 'date,amount\n2026-11-20,-5')
      const rawBody = `${file}${others.join('')}${field('account_id', String(home.checking.id)).replace('\r\n', `\r\n${header}`)}--x--\r\n`
      const headers = { 'Content-Type': `multipart/form-data; boundary=${boundary}` }
      return home.world.call('POST', '/api/import/store', { token: home.person.token, rawBody, headers })
    }
    expect((await call(100)).status).toBe(200)
    expect((await call(100, '"x"; charset=utf-8')).status).toBe(200)
    const refusal = { body: ['The form must not have more than 100 fields, or 64 KB around them.'] }
    expectInvalid(await call(101), refusal)
    expectInvalid(await call(2, 'x', `X: ${'x'.repeat(65_536)}\r\n`), refusal)
    expect((await call(2, 'x', `X: ${'x'.repeat(60_000)}\r\n`)).status).toBe(200)
    for (const boundary of ['', '""', 'x'.repeat(71), '"x'])
      expect((await call(2, boundary)).status).toBe(400)
  })

  test('whoever is not verified is told so first', async () => {
    const world = createWorld()
    const person = await world.register()
    for (const path of ['/api/import/store', '/api/import/bank/store']) {
      const { id } = await openAccount(person)
      const good = {
        account_id: id,
        type: 'expense',
        amount: 1,
        transaction_date: '2026-11-20',
        category_id: null,
      }
      for (const body of [
        {},
        { transactions: [{}] },
        { transactions: 'x', dry_run: 'maybe' },
        { transactions: [good] },
      ]) {
        const response = await person.post(path, body)
        expect([response.status, response.body]).toEqual([
          403,
          { message: 'Your email address is not verified.', requires_verified_email: true },
        ])
      }
    }
    expect((await person.get('/api/imports')).body).toEqual([])
    expect((await person.get('/api/transactions')).body.total).toBe(0)
  })
})

test('ten thousand rows with categories and client ids cost the database as much for each as a thousand do', async () => {
  const rowsFor = async (count: number) => {
    const home = await createImporter()
    const name = (i: number) => `Category ${i % 20}`
    const csvRows = Array.from({ length: count }, (_, i) => `2026-01-01,-${i + 1},${name(i)}`)
    const transactions = Array.from({ length: count }, (_, i) => ({
      ...home.expense(),
      amount: i + 1,
      client_id: `c${i}`,
      category_id: null,
    }))
    await home.world.resetDatabaseWork()
    const fields = { account_id: String(home.cash.id) }
    const file = `date,amount,category\n${csvRows.join('\n')}\n`
    const byFile = await home.upload('/api/import/store', file, fields)
    const byJson = await home.person.post('/api/import/store', { transactions })
    expect([byFile.body.import?.counts.created, byJson.body.import?.counts.created]).toEqual([count, count])
    return rowsOf(await home.world.databaseWork()) / count
  }
  const [few, many] = [await rowsFor(1_000), await rowsFor(10_000)]
  expect(many).toBeLessThan(few * 1.5)
})

test('a dry run responds as the real one would, bounds included, and leaves no trace', async () => {
  const home = await createImporter()
  const transactions = Array.from({ length: 10 }, () => ({ ...home.expense(), amount: '9999999999999.99' }))
  const before = (await home.person.get('/api/summary')).body
  const dry = await home.person.post('/api/import/store', { transactions, dry_run: true })
  const real = await home.person.post('/api/import/store', { transactions })
  expect([dry.status, dry.body]).toEqual([real.status, real.body])
  expect(dry.status).toBe(422)
  const one = { transactions: [{ ...home.expense(), client_id: 'd' }] }
  await home.person.post('/api/import/store', { ...one, dry_run: true })
  expect((await home.person.get('/api/summary')).body).toEqual(before)
  expect([await home.total(), await home.leftovers(), await home.isExact()]).toEqual([0, 0, true])
  expect((await home.person.post('/api/import/store', one)).body.import.counts.created).toBe(1)
})

test('possible matches of thousands of rows are looked for once others can write again', async () => {
  const home = await createImporter()
  const day = (i: number) => new Date(Date.UTC(2000, 0, 1 + (i % 9_000))).toISOString().slice(0, 10)
  const rows = Array.from({ length: 3_000 }, (_, i) => `${day(i)},-${(i % 500) + 1}.25,Row ${i}`)
  await recordTransaction(home.person, {
    ...home.expense(),
    account_id: home.cash.id,
    amount: '7.25',
    transaction_date: '2000-01-06',
  })
  const upload = async (options: Record<string, string>) => {
    await home.world.resetDatabaseWork()
    const file = `date,amount,description\n${rows.join('\n')}\n`
    const fields = { account_id: String(home.cash.id), ...options }
    const { status, body } = await home.upload('/api/import/store', file, fields)
    expect(status).toBe(200)
    return { ...body.import, requests: (await home.world.databaseWork()).requests }
  }
  const dry = await upload({ dry_run: '1' })
  const counts = countsOf({ rows: 3_000, created: 3_000, possible: 1 })
  // The first finds out who is sending them.
  expect(dry).toMatchObject({ counts, requests: 2 })
  const real = await upload({})
  expect(real).toMatchObject({ counts, requests: 3, matches_url: dry.matches_url })
  expect((await upload({ match: 'off' })).requests).toBe(2)
  expect(await home.isExact()).toBe(true)
})

test.each([
  ['is stored under its key', 1],
  ['names what the rows of a large file may match', 1_001],
])(
  'an import that is there is a success, even if its token is revoked before its response %s',
  async (_, rows) => {
    const { world, person, checking } = await createHousehold(createWorld())
    await askDatabase(world, sql`create trigger revoke after insert on imports begin delete from tokens; end`)
    const row = { account_id: checking.id, type: 'income', amount: 1, transaction_date: '2026-11-20' }
    const transactions = Array.from({ length: rows }, (_, i) => ({ ...row, client_id: `row ${i}` }))
    const response = await world.call('POST', '/api/import/store', {
      token: person.token,
      headers: { ...(rows === 1 && { 'Idempotency-Key': 'once' }) },
      body: { transactions },
    })
    expect([response.status, response.body.import?.counts.created]).toEqual([200, rows])
    expect((await person.get('/api/me')).status).toBe(401)
  },
)

test('a statement that ends before a long history is compared on its closing date', async () => {
  const home = await createImporter()
  await writeHistory(home, 20_000)
  const closed = (file: string) => home.statement(file).then(({ body }) => body.import.closing_balance)
  const ancient = ofx.replace('<DTASOF>20261130', '<DTASOF>20160101')
  expect(await closed(ancient)).toMatchObject({ date: '2016-01-01' })
  expect(await closed(ofx)).toMatchObject({ date: '2026-11-30' })
  expect(await closed(ofx.replace('<DTASOF>20261130', '<DTASOF>20170101'))).toMatchObject({
    date: '2017-01-01',
  })
})

describe('a file at its bounds', () => {
  const lines = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, i) => line(i))
  const day = (index: number) => `2026-11-${String(1 + (index % 20)).padStart(2, '0')}`

  // The database takes five million bytes in one parameter; as JSON these rows are more.
  test.each<[what: string, rows: number, text: string]>([
    ['of texts that JSON doubles', 10_000, '\\'.repeat(250)],
    ['of letters that are two bytes each', 9_500, 'é'.repeat(249)],
  ])('%s is imported completely and in order', async (_, count, text) => {
    const home = await createImporter()
    const file = [
      'date,amount,description,account',
      ...lines(count, (i) => `${day(i)},-${i + 1},${text}${i % 10},Checking`),
    ].join('\n')
    const { status, body } = await home.upload('/api/import/store', file)
    expect([status, body.import?.counts]).toEqual([200, countsOf({ rows: count, created: count })])
    const rows = await askDatabase(
      home.world,
      sql`
      select count(*) as stored, sum(description = ${text} || ((id - first) % 10) and amount = (id - first + 1) * 100) as exact
        from transactions, (select min(id) as first from transactions)`,
    )
    expect(rows[0]).toMatchObject({ stored: count, exact: count })
  })

  test('gives each of its rows the category that it names, however long the names are', async () => {
    const home = await createImporter()
    const names = lines(20, (i) => `${'é'.repeat(250)}${i}`)
    const count = 9_000
    const file = [
      'date,amount,category,account',
      ...lines(count, (i) => `${day(i)},-${i + 1},${names[i % 20]},Checking`),
    ].join('\n')
    const { status, body } = await home.upload('/api/import/store', file)
    expect([status, body.import?.counts.created]).toEqual([200, count])
    const rows = await askDatabase(
      home.world,
      sql`
      select categories.name, count(*) as n, sum((amount / 100 - 1) % 20 = rank) as exact
        from transactions join (select *, row_number() over (order by id) - 1 as rank from categories
                                 where name like 'é%') categories on categories.id = category_id
       group by 1 order by min(rank)`,
    )
    expect(rows.map(({ name, n, exact }) => [name, n, exact])).toEqual(names.map((name) => [name, 450, 450]))
  })
})

test('an import with a key from before a deployment is recognised after it', async () => {
  const { world, person, checking } = await createImporter()
  const row = { account_id: checking.id, type: 'expense', amount: '4.50', transaction_date: '2026-11-20' }
  const send = () =>
    world.call('POST', '/api/import/store', {
      token: person.token,
      body: { transactions: [{ ...row, description: 'Coffee' }] },
      headers: { 'Idempotency-Key': 'once' },
    })
  const { body } = await send()
  const hashed = `["generic",[{"client_id":null,"type":"expense","amount":450,"description":"Coffee","reference":null,"transaction_date":"2026-11-20","force":false,"line":1,"account":${checking.id},"to_account":null,"category":null}]]`
  await askDatabase(world, sql`update imports set rows_hash = ${sha256Hex(hashed)}`)
  const again = await send()
  expect([again.status, again.body.import?.id]).toEqual([200, body.import.id])
})

test('the CSV export is read as it was written, without a question', async () => {
  const { world, person, category, spend } = await createImporter()
  await spend()
  const { text } = await person.get('/api/export?format=csv')
  const { body } = await sendFile({ world, person }, 'store?dry_run=true', text)
  const proofs = Object.values<Json>(body.import.settled).map(({ proof }) => proof)
  expect(proofs).toEqual(csvHeaders.map(() => 'the layout of Purse'))
  expect(body.import.preview.rows[0].category.name).toBe(category.name)
})

test('an empty file says that it is empty', async () => {
  const household = await createHousehold(createWorld())
  const errors = { file: ['The file is empty.'] }
  expectInvalid(await sendFile(household, 'store', ''), errors)
  const form = [
    '--b',
    'Content-Disposition: form-data; name="file"; filename="a.csv"',
    '',
    '',
    '--b--',
    '',
  ].join('\r\n')
  const headers = { 'Content-Type': 'multipart/form-data; boundary=b' }
  expectInvalid(await sendFile(household, 'store', form, headers), errors)
})

test('the message of an import says if all of its rows are known', async () => {
  const household = await createHousehold(createWorld())
  const { person } = household
  const send = async (query = '') => (await sendFile(household, `store${query}`, csv)).body.message
  expect(await send()).toBe('Successfully imported 4 transactions.')
  expect(await send()).toBe('Nothing was imported: all rows are duplicates.')
  expect(await send('?dry_run=true')).toBe(
    'Nothing was stored: this was a dry run, and all rows are duplicates.',
  )
  const { body } = await person.get('/api/transactions?q=Groceries')
  await person.delete(`/api/transactions/${body.data[0].id}`)
  expect(await send()).toBe('Nothing was imported: all rows are duplicates or were deleted before.')
})

test('a column may be named by its number, as a number', async () => {
  const household = await createHousehold(createWorld())
  const file = 'a,b,c\n2026-11-20,-5.00,Tea\n2026-11-21,-6.00,Coffee\n'
  const mapping = encodeURIComponent('{"date":1,"amount":2,"description":3}')
  const query = `?account_id=${household.checking.id}&signs=as_written&mapping=${mapping}`
  const { status, text } = await sendFile(household, `store${query}`, file)
  expect([status, text]).toEqual([200, expect.stringContaining('Successfully imported 2')])
})
