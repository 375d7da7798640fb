import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type ApiResponse,
  createWorld,
  type Json,
  openAccount,
  recordTransaction,
} from '../fixtures/world.ts'
import { sendFile } from '../imports/send-file.ts'
import { askDatabase, createHousehold, type Household } from './every-route.ts'

const composed = 'Caf\u00e9'
const decomposed = 'Cafe\u0301'
/** Show nothing at the edge of a text. */
const formats = '\u00ad\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff'
const edges = `${formats} \u00a0\t`
/** What typing, copying and other systems make of the same name. One character left at an edge would leave them all. */
const spellings = [composed, decomposed, `${edges}${decomposed}${edges}`]
/** Shows nothing at all, whether or not it may stand at an edge. */
const blanks = ['\u200b', edges, '\u200d', '\u200c\ufe0f', '\u3164', '\u034f', '\u2800', '\u0001']
/** These need a format character, also at an edge. */
const kept = ['👩‍👩‍👧', '🏴\u{e0067}\u{e0062}\u{e007f}', '❤\ufe0f', 'نامه\u200c', '\u200dx\u200d', 'ם\u200f1']
/** What shows and means nothing, wherever it stands; the tags spell a text for machines. */
const nothing = [
  '\u00ad',
  '\u200b',
  '\u2060',
  '\u2064',
  '\ufeff',
  '\u{e0001}',
  '\u{e0041}\u{e0042}',
  '\u{e0fff}',
]

/** Sends a text, and returns what was stored, or the errors if it is refused. */
type Place = (house: Household, text: string) => Promise<{ stored?: string | null; errors?: Json }>

/** What a response shows in a field, or its errors. */
async function shown(response: Promise<ApiResponse>, field: string) {
  const { body } = await response
  return body.errors ? { errors: body.errors } : { stored: body[field] }
}

/** The description of the newest transaction, once it has been sent. */
async function newest({ world, person }: Household, sent: Promise<ApiResponse>) {
  const { body } = await sent
  await world.deliverSyncs()
  const { data } = (await person.get('/api/transactions?per_page=1')).body
  return body.errors ? { errors: body.errors } : { stored: data[0].description }
}

/** Uploads one operation, and returns what its row then has in a field. */
async function upload({ person }: Household, noun: string, field: string, set: Json) {
  const cursor = (await person.get('/api/changes?start=now')).body.cursor
  const op = { op: noun === 'profile' ? 'update' : 'create', noun, client_id: crypto.randomUUID(), set }
  const { body } = await person.post('/api/changes', { ops: [op], cursor })
  const [{ errors }] = body.results
  if (errors) return { errors }
  if (noun === 'profile') return shown(person.get('/api/me'), field)
  return { stored: body.changes.find((change: Json) => change.noun === noun).data[field] }
}

const cash = { type: 'cash', starting_balance: 0 }

/** Every place that takes the name of something. */
const names: Record<string, Place> = {
  'POST /api/register': async ({ world }, name) => {
    const [password, email] = ['correct horse battery', `${crypto.randomUUID()}@example.com`]
    const body = { name, email, password, password_confirmation: password }
    const { body: answer } = await world.call('POST', '/api/register', { body })
    return answer.errors ? { errors: answer.errors } : { stored: answer.user.name }
  },
  'PATCH /api/me': ({ person }, name) => shown(person.patch('/api/me', { name }), 'name'),
  'POST /api/accounts': ({ person }, name) => shown(person.post('/api/accounts', { name, ...cash }), 'name'),
  'PUT /api/accounts/:id': ({ person, cash }, name) =>
    shown(person.put(`/api/accounts/${cash.id}`, { name }), 'name'),
  'POST /api/categories': ({ person }, name) =>
    shown(person.post('/api/categories', { name, type: 'expense' }), 'name'),
  'PUT /api/categories/:id': ({ person, category }, name) =>
    shown(person.put(`/api/categories/${category.id}`, { name }), 'name'),
  'an account in POST /api/changes': (house, name) => upload(house, 'account', 'name', { name, ...cash }),
  'a category in POST /api/changes': (house, name) =>
    upload(house, 'category', 'name', { name, type: 'expense' }),
  'the profile in POST /api/changes': (house, name) => upload(house, 'profile', 'name', { name }),
}

/** Every place that takes a description or a reference, which may be blank. */
const descriptions: Record<string, Place> = {
  'POST /api/transactions': ({ person, expense }, description) =>
    shown(person.post('/api/transactions', { ...expense(), description, force: true }), 'description'),
  'a reference in POST /api/transactions': ({ person, expense }, reference) =>
    shown(person.post('/api/transactions', { ...expense(), reference, force: true }), 'reference'),
  'PUT /api/transactions/:id': async ({ person, spend }, description) =>
    shown(person.put(`/api/transactions/${(await spend()).id}`, { description }), 'description'),
  'POST /api/transactions/sync': (house, description) => {
    const item = { ...house.expense(), transaction_date: '2027-01-01', description, force: true }
    return newest(house, house.person.post('/api/transactions/sync', { transactions: [item] }))
  },
  'POST /api/changes': (house, description) =>
    upload(house, 'transaction', 'description', { ...house.expense(), description }),
  'JSON in POST /api/import/store': (house, description) => {
    const item = { ...house.expense(), transaction_date: '2027-01-02', description, force: true }
    return newest(house, house.person.post('/api/import/store', { transactions: [item] }))
  },
  'a CSV in POST /api/import/store': (house, description) => {
    const file = `date,amount,description,reference\n2027-01-03,-5,"${description}",${crypto.randomUUID()}`
    return newest(house, importCsv(house, file, `&account_id=${house.cash.id}`))
  },
}

const charset = { 'Content-Type': 'text/csv; charset=utf-8' }
const importCsv = (house: Household, file: string, query = '') =>
  sendFile(house, `store?signs=as_written${query}`, file, charset)

describe.each(Object.entries({ ...names, ...descriptions }))('%s', (where, place) => {
  let house: Household
  beforeAll(async () => {
    house = await createHousehold(createWorld())
  })
  /** What becomes of each of some texts. */
  const outcomes = async (texts: string[]) => {
    const found = []
    for (const text of texts) {
      if (/^(?:POST \/api\/|a )categor/.test(where)) await deleteCategory(house, composed)
      found.push([JSON.stringify(text), await place(house, text)])
    }
    return found
  }
  const all = (texts: string[], outcomeOf: (text: string) => object) =>
    texts.map((text) => [JSON.stringify(text), outcomeOf(text)])

  test('stores what looks equal as equal', async () => {
    expect(await outcomes(spellings)).toEqual(all(spellings, () => ({ stored: composed })))
  })

  test('refuses a name of nothing visible, and stores such a description as null', async () => {
    const refused = { errors: { name: ['The name field is required.'] } }
    expect(await outcomes(blanks)).toEqual(all(blanks, () => (where in names ? refused : { stored: null })))
  })

  test('keeps the format characters of flags, emoji and scripts', async () => {
    // A file loses marks of direction as well.
    const stored = (text: string) => (where.startsWith('a CSV') ? text.replace('\u200f', '') : text)
    expect(await outcomes(kept)).toEqual(all(kept, (text) => ({ stored: stored(text) })))
  })

  test('removes what shows and means nothing, also within a text', async () => {
    const texts = nothing.flatMap((one) => [
      `Caf${one}é`,
      `${one}Café ${one}`,
      `Ca${one.repeat(300)}fe\u0301`,
    ])
    expect(await outcomes(texts)).toEqual(all(texts, () => ({ stored: composed })))
  })
})

async function deleteCategory({ person }: Household, name: string) {
  const found = (await person.get('/api/categories')).body.find((one: Json) => one.name === name)
  if (found) await person.delete(`/api/categories/${found.id}`)
}

test.each(['Café', 'Café in the old town'])(
  'a search for %s finds every spelling, and rows from before texts were stored in NFC',
  async (text) => {
    const { world, person, expense } = await createHousehold(createWorld())
    const add = (description: string) => recordTransaction(person, { ...expense(), description, force: true })
    for (const form of ['NFC', 'NFD']) await add(`At ${text.normalize(form)}`)
    const { id } = await add('old')
    const old = `At ${text.normalize('NFD')}`
    await askDatabase(world, sql`update transactions set description = ${old} where id = ${id}`)
    for (const q of [text.normalize('NFC'), text.normalize('NFD'), `\u200b${text}\u2060`])
      expect((await person.get(`/api/transactions?${new URLSearchParams({ q })}`)).body.total).toBe(3)
  },
)

test('a search for nothing visible is no search', async () => {
  const { person, spend } = await createHousehold(createWorld())
  await spend()
  for (const q of blanks) {
    const { total } = (await person.get(`/api/transactions?${new URLSearchParams({ q })}`)).body
    expect([JSON.stringify(q), total]).toEqual([JSON.stringify(q), 1])
  }
})

test('a CSV finds accounts and categories in every spelling', async () => {
  const house = await createHousehold(createWorld())
  const { person } = house
  const account = await openAccount(person, { name: `${decomposed}\u200b` })
  const { body: category } = await person.post('/api/categories', { name: decomposed, type: 'expense' })
  for (const [at, spelling] of spellings.entries()) {
    const file = `date,amount,account,category\n2026-11-20,-${at + 1},"${spelling}","${spelling}"`
    const response = await importCsv(house, file)
    expect([JSON.stringify(spelling), response.status, response.body.errors]).toEqual([
      JSON.stringify(spelling),
      200,
      undefined,
    ])
  }
  const { body } = await person.get(`/api/transactions?account_id=${account.id}&category_id=${category.id}`)
  expect(body.total).toBe(spellings.length)
  expect(
    (await person.get('/api/categories')).body.filter((one: Json) => one.name === composed),
  ).toHaveLength(1)
})

/** Tables with the same two rows, each with something that shows nothing around its cells. */
const tables: Record<string, (around: (cell: string) => string) => string[][]> = {
  'the cells of a row': (around) => [
    ['date', 'amount', 'description'],
    ['2026-11-20', '-5.00', 'tea'],
    ['2026-11-21', '-6.00', 'bread'].map(around),
  ],
  'its headers': (around) => [
    ['Date', 'Amount', 'Description'].map(around),
    ['2026-11-20', '-5.00', 'tea'],
    ['2026-11-21', '-6.00', 'bread'],
  ],
  'quoted cells': (around) => [
    ['date', 'amount', 'description'],
    ['"2026-11-20"', '"-5.00"', '"tea, green"'].map(around),
    ['"2026-11-21"', '"-6.00"', '"bread"'].map(around),
  ],
  'empty cells': (around) => [
    ['date', 'amount', 'description'],
    ['2026-11-20', '-5.00', around('')],
    ['2026-11-21', '-6.00', around('')],
    ['', '', ''].map(around),
  ],
}

test.each(Object.entries(tables))('a CSV is read with what shows nothing around %s', async (_, table) => {
  const house = await createHousehold(createWorld())
  for (const path of ['store', 'bank/store'])
    for (const edge of [...formats.slice(-1), formats]) {
      const rows = table((cell) => `${edge}${cell}${edge}`)
      const query = `dry_run=true&signs=as_written&delimiter=,&account_id=${house.checking.id}`
      const file = rows.map((cells) => cells.join(',')).join('\n')
      const { status, body } = await sendFile(house, `${path}?${query}`, file, charset)
      const { errors, import: { counts } = {} } = body
      expect({ path, edge, status, errors, created: counts?.created }).toMatchObject({
        ...{ status: 200, errors: undefined, created: 2 },
      })
    }
})

test('a category that looks like another one is taken', async () => {
  const { person } = await createHousehold(createWorld())
  await person.post('/api/categories', { name: composed, type: 'expense' })
  for (const spelling of spellings) {
    const { body } = await person.post('/api/categories', { name: spelling, type: 'expense' })
    expect(body.errors).toEqual({ name: ['The name has already been taken.'] })
  }
})

test('addresses are trimmed of the same characters', async () => {
  const world = createWorld()
  const { email, password } = await world.register({ email: `${edges}ada@example.com${edges}` })
  const body = { email: `\u202aada@example.com\u202c`, password }
  expect(email).toContain('ada@example.com')
  expect((await world.call('POST', '/api/login', { body })).body.user.email).toBe('ada@example.com')
})

test('passwords and client ids are kept as they are', async () => {
  const { world, person, expense } = await createHousehold(createWorld())
  const password = '\u200bcorrect horse\u200b'
  await world.register({ email: 'eve@example.com', password, password_confirmation: password })
  const login = (tried: string) =>
    world.call('POST', '/api/login', { body: { email: 'eve@example.com', password: tried } })
  expect([(await login(password)).status, (await login('correct horse')).status]).toEqual([200, 422])
  const [one, other] = [composed, decomposed].map((client_id) => ({ ...expense(), client_id, force: true }))
  expect([
    (await person.post('/api/transactions', one)).status,
    (await person.post('/api/transactions', other)).status,
  ]).toEqual([201, 201])
})
