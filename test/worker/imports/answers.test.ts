import { expect, test } from 'vitest'
import { createWorld, expectInvalid, type Json, recordTransaction } from '../fixtures/world.ts'
import { createHousehold } from '../laws/every-route.ts'
import { sendFile } from './send-file.ts'

/** A card statement whose charges are positive, as nothing in it says. */
const card = (month: string) =>
  `Date,Description,Amount\n2026-${month}-13,Coffee beans,12.50\n2026-${month}-14,Refund,-3.00\n`

async function createCustomer() {
  const home = await createHousehold(createWorld())
  const send = (file: string, options = '') =>
    sendFile(home, `bank/store?account_id=${home.checking.id}${options}`, file)
  const layouts = async (): Promise<Json[]> => (await home.person.get('/api/imports/layouts')).body
  return { ...home, send, layouts }
}

const example = (row: number, type: string, amount: string, description: string) => ({
  row,
  transaction_date: `2026-09-${row + 11}`,
  type,
  amount,
  description,
})

test('what a file leaves open is asked with the rows that each answer would make', async () => {
  const { send, layouts } = await createCustomer()
  const { status, body } = await send(card('09'))
  expect([status, Object.keys(body.errors)]).toEqual([422, ['signs']])
  expect(body.questions).toMatchObject([
    {
      field: 'signs',
      text: body.errors.signs[0],
      options: [
        {
          value: 'as_written',
          example: [example(2, 'income', '12.50', 'Coffee beans'), example(3, 'expense', '3.00', 'Refund')],
        },
        {
          value: 'inverted',
          example: [example(2, 'expense', '12.50', 'Coffee beans'), example(3, 'income', '3.00', 'Refund')],
        },
      ],
    },
  ])
  expect(await layouts()).toEqual([])
})

test('a statement that proves nothing is read as that of a current account, if the account is one, unless its rows show the opposite', async () => {
  const { send, person, checking } = await createCustomer()
  const month = '2026-09-13,Coffee,-12.50\n2026-09-14,Salary,30\n2026-09-15,Books,-4\n'
  const file = `Date,Description,Amount\n${month}`
  const label = (kind: string) => person.put(`/api/accounts/${checking.id}`, { kind })
  await label('card')
  expect(Object.keys((await send(file, '&dry_run=true')).body.errors)).toEqual(['signs'])
  await label('current')
  const { settled, preview } = (await send(file, '&dry_run=true')).body.import
  expect(settled.signs).toEqual({ value: 'as_written', proof: 'as in a current account' })
  expect([preview.total_in, preview.total_out]).toEqual(['30.00', '16.50'])
  expect((await send(file, '&signs=inverted')).status).toBe(200)
  const again = (await send(file.replace('Amount', 'Betrag'), '&dry_run=true')).body.import
  expect(again.settled.signs).toEqual({
    value: 'inverted',
    proof: '3 recorded rows of the same day and amount',
  })
})

/** The statements of a card with what is owed, none of whose amounts has a sign. */
const debt = (month: string, owed: number) => {
  const rows = [
    ['03', 'Coffee beans', 12.5],
    ['09', 'Books', 20],
    ['15', 'Payment received', -30],
    ['21', 'Cinema', 9],
  ] as const
  let balance = owed
  const lines = rows.map(([day, text, amount]) => {
    balance += amount
    return `2026-${month}-${day},${text},${Math.abs(amount).toFixed(2)},${balance.toFixed(2)}\n`
  })
  return `Date,Description,Amount,Balance\n${lines.join('')}`
}

test('which way the oldest amount without a sign went is asked once: afterwards, the balance of that import shows it', async () => {
  const { send } = await createCustomer()
  const first = await send(debt('07', 340))
  expect([first.status, first.body.questions.map(({ field }: Json) => field)]).toEqual([422, ['signs']])
  const values = first.body.questions[0].options.map(({ value }: Json) => value)
  expect(values).toEqual(['as_written', 'as_written_but_oldest', 'inverted', 'inverted_but_oldest'])
  expect((await send(debt('07', 340), '&signs=inverted')).status).toBe(200)
  const next = await send(debt('08', 351.5), '&dry_run=true')
  expect(next.status).toBe(200)
  expect(next.body.import.preview.rows.map(({ type }: Json) => type)).toEqual([
    'expense',
    'expense',
    'income',
    'expense',
  ])
  // Where a row is missing between the two files, it is asked again.
  expect((await send(debt('08', 347))).body.questions.map(({ field }: Json) => field)).toEqual(['signs'])
})

const fieldsOf = ({ body }: { body: Json }) =>
  body.questions?.map(({ field, depends_on }: Json) => [field, depends_on])

test('a question that depends on another one says so, and is asked again if that was answered otherwise', async () => {
  const { send } = await createCustomer()
  const file =
    'Date,Some,Other,Text\n2026-09-13,12.50,-3.10,Coffee\n2026-09-14,3.00,-4.20,Tea\n2026-09-15,-8.00,5.00,Pay\n'
  expect(fieldsOf(await send(file))).toEqual([
    ['mapping.amount', null],
    ['signs', 'mapping.amount'],
  ])
  const other = '&mapping={"amount":"Other"}'
  expect(fieldsOf(await send(file, other))).toEqual([['signs', null]])
  const { body } = await send(file, `${other}&signs=as_written&dry_run=true`)
  expect(body.import.preview.rows.map(({ amount }: Json) => amount)).toEqual(['3.10', '4.20', '5.00'])
})

test('marks that some signs contradict are asked about once, with reversals among the answers', async () => {
  const { send } = await createCustomer()
  const file = (month: string) =>
    `Date,Description,Amount,D/C\n2026-${month}-13,Coffee,12.50,D\n2026-${month}-14,Coffee back,-3.00,D\n2026-${month}-15,Pay,20.00,C\n`
  const asked = await send(file('08'))
  expect(fieldsOf(asked)).toEqual([['signs', null]])
  const values = asked.body.questions[0].options.map(({ value }: Json) => value)
  expect(values).toEqual(['by_mark_or_reversed', 'by_mark', 'as_written', 'inverted'])
  const typesOf = ({ body }: { body: Json }) => body.import.preview.rows.map(({ type }: Json) => type)
  const byMark = await send(file('08'), '&signs=by_mark&dry_run=true')
  expect(typesOf(byMark)).toEqual(['expense', 'expense', 'income'])
  expect((await send(file('08'), '&signs=by_mark_or_reversed')).status).toBe(200)
  const next = await send(file('09'), '&dry_run=true')
  expect([next.status, typesOf(next)]).toEqual([200, ['expense', 'income', 'income']])
})

test('that all rows are of one account holds for the numbers that were there, and not for another one', async () => {
  const { send } = await createCustomer()
  const file = (month: string, cards: string[]) =>
    `Date,Card No.,Description,Debit,Credit\n${cards.map((card, i) => `2026-${month}-1${i},${card},Coffee,${i + 3}.00,\n`).join('')}`
  expect(fieldsOf(await send(file('07', ['1234', '9876'])))).toEqual([['statement_account', null]])
  expect((await send(file('07', ['1234', '9876']), '&statement_account=*')).status).toBe(200)
  expect((await send(file('08', ['9876', '1234']), '&dry_run=true')).status).toBe(200)
  const third = file('09', ['1234', '9876', '5555'])
  expect(fieldsOf(await send(third))).toEqual([['statement_account', null]])
  expect((await send(third, '&statement_account=*')).body.import.counts.created).toBe(3)
  expect((await send(file('10', ['5555', '1234']), '&dry_run=true')).status).toBe(200)
})

test('an answer about what the file does not have is accepted, and listed as unused', async () => {
  const { send } = await createCustomer()
  const options =
    '&signs=inverted&date_format=DD/MM/YYYY&fees=extra&states={"Pending":"skipped"}&marks={"D":"out"}'
  const outcomes = await Promise.all([send(card('09'), `${options}&dry_run=true`), send(card('09'), options)])
  for (const { status, body } of outcomes)
    expect([status, body.import.unused]).toEqual([200, ['date_format', 'fees', 'states.Pending', 'marks.D']])
})

test('an answer about a mark that a row contradicts is refused', async () => {
  const { send } = await createCustomer()
  const file = 'Date,Description,Amount,Dr/Cr\n2026-09-13,Coffee,-12.50,D\n2026-09-14,Refund,3.00,C\n'
  const response = await send(file, '&signs=as_written&marks={"D":"in"}')
  expectInvalid(response, {
    marks: ['The amount in row 2 is marked D and was spent, which contradicts marks.D=in.'],
  })
})

test.each([
  [
    'states',
    'Datum,Text,Betrag\n,Markt,-1.00\n2026-09-13,Miete,-2.00\n,Lohn,9.00\n2026-09-14,Kino,-3.00\n',
    'blank date',
  ],
  [
    'states',
    'Date,Text,Amount,Status\n2026-09-13,Rent,-2.00,Posted\n2026-09-14,Cinema,-3.00,Pending\n',
    'Pending',
  ],
  ['marks', 'Date,Text,Amount,Dr/Cr\n2026-09-13,Rent,2.00,D\n2026-09-14,Wages,9.00,C\n', 'D'],
])('an answer about %s that is none of those offered is refused', async (field, file, word) => {
  const { send } = await createCustomer()
  const answer = encodeURIComponent(JSON.stringify({ [word]: 'booke' }))
  const { status, body } = await send(file, `&signs=as_written&${field}=${answer}`)
  expect([status, Object.keys(body.errors)]).toEqual([422, [field]])
})

test('an answer holds for the next file of the account with the same headers, until it is forgotten', async () => {
  const { person, checking, send, layouts, cash, world } = await createCustomer()
  const first = await send(card('09'), '&signs=inverted')
  expect(first.body.import.settled.signs).toEqual({ value: 'inverted', proof: 'as the request says' })
  const next = await send(card('10'))
  expect(next.body.import.settled.signs).toEqual({
    value: 'inverted',
    proof: `as in import ${first.body.import.id}`,
  })
  const [layout, ...others] = await layouts()
  expect([layout, others]).toMatchObject([
    {
      account_id: checking.id,
      format: 'csv',
      headers: ['Date', 'Description', 'Amount'],
      values: { signs: 'inverted' },
      import_id: first.body.import.id,
      last_used: expect.stringMatching(/^20/),
    },
    [],
  ])
  const elsewhere = await sendFile({ world, person }, `bank/store?account_id=${cash.id}`, card('10'))
  expect(elsewhere.status).toBe(422)
  expect((await person.delete(`/api/imports/layouts/${layout?.id}`)).status).toBe(204)
  expect([(await send(card('11'))).status, await layouts()]).toEqual([422, []])
})

test('an answer is forgotten with its import, kept only if that is requested, and replaced by another', async () => {
  const { person, send, layouts } = await createCustomer()
  await send(card('08'), '&signs=inverted&remember=false')
  expect(await layouts()).toEqual([])
  const wrong = await send(card('09'), '&signs=as_written')
  const right = await send(card('10'), '&signs=inverted')
  expect((await layouts()).map(({ values }) => values.signs)).toEqual(['inverted'])
  expect((await send(card('11'))).body.import.settled.signs.value).toBe('inverted')
  await person.delete(`/api/imports/${wrong.body.import.id}`)
  expect(await layouts()).toHaveLength(1)
  await person.delete(`/api/imports/${right.body.import.id}`)
  expect([(await send(card('12'))).status, await layouts()]).toEqual([422, []])
})

test('a file that contradicts what is remembered is asked about', async () => {
  const { send } = await createCustomer()
  const file = (day: string) => `Date,Description,Debit,Credit\n${day},Bakery,3.20,\n`
  expect((await send(file('01/02/2026'))).body.questions[0].field).toBe('date_format')
  expect((await send(file('01/02/2026'), '&date_format=DD/MM/YYYY')).status).toBe(200)
  expect((await send(file('02/02/2026'))).status).toBe(200)
  const { status, body } = await send(file('03/31/2026'))
  expect([status, Object.keys(body.errors)]).toEqual([422, ['date_format']])
  expect((await send(file('03/31/2026'), '&date_format=MM/DD/YYYY')).status).toBe(200)
})

test('which way amounts go is kept for the accounts that a file names, and asked for another one', async () => {
  const home = await createCustomer()
  const send = (accounts: string[], options = '') =>
    sendFile(
      home,
      `store?dry_run=false${options}`,
      `Date,Account,Amount\n${accounts.map((name, nth) => `2026-09-1${nth},${name},5.00`).join('\n')}\n`,
    )
  expect((await send(['Checking'], '&signs=inverted')).status).toBe(200)
  expect((await send(['Checking', 'Checking'])).status).toBe(200)
  const other = await send(['Checking', 'Cash'])
  expect([other.status, Object.keys(other.body.errors)]).toEqual([422, ['signs']])
  expect((await send(['Checking', 'Cash'], '&signs=inverted')).status).toBe(200)
  expect((await send(['Cash'])).status).toBe(200)
})

test('three recorded rows of the file show which way its amounts go', async () => {
  const { person, expense, send } = await createCustomer()
  const rows = [1, 2, 3].map((day) => ({ transaction_date: `2026-09-0${day}`, amount: `${day}.50` }))
  const file = `Date,Description,Amount\n${rows.map((row) => `${row.transaction_date},Shop,${row.amount}`).join('\n')}\n`
  for (const row of rows.slice(0, 2)) await recordTransaction(person, { ...expense(), ...row })
  expect((await send(file)).status).toBe(422)
  await recordTransaction(person, { ...expense(), ...rows[2] })
  const { body } = await send(file)
  expect(body.import).toMatchObject({
    counts: { created: 0, duplicate: 3 },
    settled: {
      signs: { value: 'inverted', proof: '3 recorded rows of the same day and amount' },
    },
  })
})

test('the balance of the account shows whether that of a file is what is owed', async () => {
  const { person, expense, send } = await createCustomer()
  const spent = { ...expense(), amount: '107.00', transaction_date: '2026-08-31' }
  await recordTransaction(person, spent)
  const account = (await person.get(`/api/accounts/${spent.account_id}`)).body
  const owed = -account.balance
  const file = (...balances: number[]) =>
    `Date,Description,Amount,Balance\n${balances.map((balance, i) => `2026-09-0${i + 1},Shop ${i},1.00,${balance.toFixed(2)}`).join('\n')}\n`
  expect((await send(file(owed + 2, owed + 3))).status).toBe(422)
  const { status, body } = await send(file(owed + 1, owed + 2))
  expect([status, body.import?.counts.created]).toEqual([200, 2])
})

test('rows get the category in which the last three of their payee are, if that is requested', async () => {
  const { person, category, expense, send } = await createCustomer()
  for (const day of [1, 2, 3])
    await recordTransaction(person, {
      ...expense(),
      amount: day,
      transaction_date: `2026-08-0${day}`,
      description: `LIDL ${day}711 BERLIN`,
    })
  const because = `3 of the last 3 from "lidl" are in ${category.name}`
  const items = [
    { description: 'lidl 9 berlin', type: 'expense' },
    { description: 'Aldi', type: 'expense' },
    { description: 'LIDL', type: 'income' },
  ]
  const { body } = await person.post('/api/categories/suggest', { items })
  expect(body).toEqual({ suggestions: [{ id: category.id, name: category.name, because }, null, null] })
  const file = 'Date,Description,Amount\n2026-09-13,LIDL 4 BERLIN,-12.00\n2026-09-14,Aldi,-3.00\n'
  const dry = await send(file, '&signs=as_written&categorise=learned&dry_run=true')
  expect(dry.body.import.preview.rows.map((row: Json) => row.category)).toEqual([
    { id: category.id, name: category.name, because },
    null,
  ])
  const { counts } = (await send(file, '&signs=as_written&categorise=learned')).body.import
  expect(counts).toMatchObject({ created: 2, categorised: 1 })
  const { data } = (await person.get('/api/transactions?from=2026-09-01&to=2026-09-30')).body
  expect(data.map((row: Json) => row.category_id)).toEqual([null, category.id])
})

test.each([
  ['PayPal *Spotify', 'PayPal *Uber', 'SPOTIFY AB'],
  ['Amazon Marketplace *Wollkorb', 'AMZN Mktp *Radteile', 'Wollkorb'],
  ['SumUp *Blumen Kern', 'SumUp *Café Luna', 'Blumen Kern Bonn'],
  ['Zettle_*Kiosk Ost', 'Zettle_*Uhren Fink', 'Kiosk Ost'],
  ['Café Müller', 'Café Schmidt', 'CAFE MUELLER BONN'],
  ['Café Fink', 'Fink', 'CAFE FINK 7'],
  ['Hotel Adler', 'Hotel Krone', 'HOTEL ADLER HAMBURG'],
  ['Dr. Weber', 'Dr. Klein', 'DR WEBER ZAHNARZT'],
  ['St. Pancras Parking', 'St. Mary Parish', 'ST PANCRAS'],
  ['La Fournée', 'La Poste', 'LA FOURNEE LYON'],
  ['PayPal', 'PayPal *Steam', 'PAYPAL'],
  ['Supermarkt', 'Supermarkt Özdemir', 'supermarkt'],
])('%s says nothing of %s, but of %s', async (description, other, again) => {
  const { person, category, expense } = await createCustomer()
  for (const amount of [1, 2, 3]) await recordTransaction(person, { ...expense(), amount, description })
  const items = [other, again].map((description) => ({ description, type: 'expense' }))
  const { body } = await person.post('/api/categories/suggest', { items })
  expect(body.suggestions.map((one: Json | null) => one?.id)).toEqual([undefined, category.id])
})

test('an import joins nothing: match=sure is refused', async () => {
  const { send } = await createCustomer()
  const answer = await send(card('09'), '&signs=inverted&match=sure')
  expectInvalid(answer, { match: [answer.body.errors.match[0]] })
  expect(answer.body.errors.match[0]).toContain('/api/matches/join')
})
