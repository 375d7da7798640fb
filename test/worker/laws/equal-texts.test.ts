import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { createWorld, type Json, openAccount } from '../fixtures/world.ts'
import { createHousehold, openWorldDatabase } from './every-route.ts'

const composed = 'Caf\u00e9'
const decomposed = 'Cafe\u0301'
/** Show nothing at the edge of a text. */
const formats = '\u00ad\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff'
const edges = `${formats} \u00a0\t`
/** What typing, copying and other systems make of the same name. */
const spellings = [
  composed,
  decomposed,
  ...[...edges].map((edge) => `${edge}${decomposed}${edge}`),
  `${edges}${composed}${edges}`,
]
/** Shows nothing at all, whether or not it may stand at an edge. */
const blanks = ['\u200b', edges, '\u200d', '\u200c\ufe0f', '\u3164', '\u034f', '\u2800', '\u0001']
/** These need a format character, also at an edge. */
const kept = ['👩‍👩‍👧', '🏴\u{e0067}\u{e0062}\u{e007f}', '❤\ufe0f', 'نامه\u200c', 'a\u200bb', '\u200dx\u200d']

type House = Awaited<ReturnType<typeof createHousehold>>
type Stored = string | null | undefined
/** Sends a name, and returns what was stored, or the errors if it is refused. */
type Place = (house: House, text: string) => Promise<{ stored?: Stored; errors?: Json }>

const of = (response: { body: Json }, stored: Stored) =>
  response.body?.errors ? { errors: response.body.errors } : { stored }

const newest = async ({ person }: House) => (await person.get('/api/transactions?per_page=1')).body.data[0]

/** Uploads one operation, and returns what its row then has in a field. */
async function upload({ person }: House, noun: string, field: string, set: Json) {
  const cursor = (await person.get('/api/changes?start=now')).body.cursor
  const op = { op: noun === 'profile' ? 'update' : 'create', noun, client_id: crypto.randomUUID(), set }
  const { body } = await person.post('/api/changes', { ops: [op], cursor })
  const [{ errors }] = body.results
  if (errors) return { errors }
  if (noun === 'profile') return { stored: (await person.get('/api/me')).body[field] }
  return { stored: body.changes.find((change: Json) => change.noun === noun).data[field] }
}

/** Every place that takes the name of something. */
const names: Record<string, Place> = {
  'POST /api/register': async ({ world }, name) => {
    const [password, email] = ['correct horse battery', `${crypto.randomUUID()}@example.com`]
    const body = { name, email, password, password_confirmation: password }
    const response = await world.call('POST', '/api/register', { body })
    return of(response, response.body.user?.name)
  },
  'PATCH /api/me': async ({ person }, name) => {
    const response = await person.patch('/api/me', { name })
    return of(response, response.body.name)
  },
  'POST /api/accounts': async ({ person }, name) => {
    const response = await person.post('/api/accounts', { name, type: 'cash', starting_balance: 0 })
    return of(response, response.body.name)
  },
  'PUT /api/accounts/:id': async ({ person, cash }, name) => {
    const response = await person.put(`/api/accounts/${cash.id}`, { name })
    return of(response, response.body.name)
  },
  'POST /api/categories': async ({ person }, name) => {
    const response = await person.post('/api/categories', { name, type: 'expense' })
    return of(response, response.body.name)
  },
  'PUT /api/categories/:id': async ({ person, category }, name) => {
    const response = await person.put(`/api/categories/${category.id}`, { name })
    return of(response, response.body.name)
  },
  'an account in POST /api/changes': (house, name) =>
    upload(house, 'account', 'name', { name, type: 'cash', starting_balance: 0 }),
  'a category in POST /api/changes': (house, name) =>
    upload(house, 'category', 'name', { name, type: 'expense' }),
  'the profile in POST /api/changes': (house, name) => upload(house, 'profile', 'name', { name }),
}

/** Every place that takes a description or a reference, which may be blank. */
const descriptions: Record<string, Place> = {
  'POST /api/transactions': async ({ person, expense }, description) => {
    const response = await person.post('/api/transactions', { ...expense(), description, force: true })
    return of(response, response.body.description)
  },
  'a reference in POST /api/transactions': async ({ person, expense }, reference) => {
    const response = await person.post('/api/transactions', { ...expense(), reference, force: true })
    return of(response, response.body.reference)
  },
  'PUT /api/transactions/:id': async ({ person, spend }, description) => {
    const { id } = await spend()
    const response = await person.put(`/api/transactions/${id}`, { description })
    return of(response, response.body.description)
  },
  'POST /api/transactions/sync': async (house, description) => {
    const item = { ...house.expense(), transaction_date: '2027-01-01', description, force: true }
    const response = await house.person.post('/api/transactions/sync', { transactions: [item] })
    await house.world.deliverSyncs()
    return of(response, (await newest(house)).description)
  },
  'POST /api/changes': (house, description) =>
    upload(house, 'transaction', 'description', { ...house.expense(), description }),
  'JSON in POST /api/import/store': async (house, description) => {
    const item = { ...house.expense(), transaction_date: '2027-01-02', description, force: true }
    const response = await house.person.post('/api/import/store', { transactions: [item] })
    return of(response, (await newest(house)).description)
  },
  'a CSV in POST /api/import/store': async (house, description) => {
    const file = `date,amount,description,reference\n2027-01-03,-5,"${description}",${crypto.randomUUID()}`
    const response = await importCsv(house, file, `&account_id=${house.cash.id}`)
    return of(response, (await newest(house)).description)
  },
}

function importCsv({ world, person }: House, rawBody: string, query = '') {
  const headers = { 'Content-Type': 'text/csv; charset=utf-8' }
  return world.call('POST', `/api/import/store?signs=as_written${query}`, {
    token: person.token,
    rawBody,
    headers,
  })
}

const places = Object.entries({ ...names, ...descriptions })

test.each(places)('%s stores what looks equal as equal', async (_, place) => {
  const house = await createHousehold(createWorld())
  for (const spelling of spellings) {
    if (place === names['POST /api/categories'] || place === names['a category in POST /api/changes'])
      await deleteCategory(house, composed)
    expect([JSON.stringify(spelling), await place(house, spelling)]).toEqual([
      JSON.stringify(spelling),
      { stored: composed },
    ])
  }
})

async function deleteCategory({ person }: House, name: string) {
  const found = (await person.get('/api/categories')).body.find((one: Json) => one.name === name)
  if (found) await person.delete(`/api/categories/${found.id}`)
}

test.each(Object.entries(names))('%s refuses a name of nothing visible', async (_, place) => {
  const house = await createHousehold(createWorld())
  for (const blank of blanks) {
    const { errors } = await place(house, blank)
    expect([JSON.stringify(blank), errors]).toEqual([
      JSON.stringify(blank),
      { name: ['The name field is required.'] },
    ])
  }
})

test.each(Object.entries(descriptions))('%s stores nothing visible as null', async (_, place) => {
  const house = await createHousehold(createWorld())
  for (const blank of blanks)
    expect([JSON.stringify(blank), await place(house, blank)]).toEqual([
      JSON.stringify(blank),
      { stored: null },
    ])
})

test.each(Object.entries(names))(
  '%s keeps the format characters of flags, emoji and scripts',
  async (_, place) => {
    const house = await createHousehold(createWorld())
    for (const text of kept) expect(await place(house, text)).toEqual({ stored: text })
  },
)

describe('a search', () => {
  test.each(['Café', 'Café in the old town'])(
    'for %s finds every spelling, and rows from before texts were stored in NFC',
    async (text) => {
      const { world, person, expense } = await createHousehold(createWorld())
      for (const form of ['NFC', 'NFD'] as const)
        await person.post('/api/transactions', {
          ...expense(),
          description: `At ${text.normalize(form)}`,
          force: true,
        })
      const { body } = await person.post('/api/transactions', {
        ...expense(),
        description: 'old',
        force: true,
      })
      const old = `At ${text.normalize('NFD')}`
      await openWorldDatabase(world).batch([
        openWorldDatabase(world).run(sql`update transactions set description = ${old} where id = ${body.id}`),
      ])
      for (const q of [text.normalize('NFC'), text.normalize('NFD'), `\u200b${text}\u2060`]) {
        const found = await person.get(`/api/transactions?${new URLSearchParams({ q })}`)
        expect(found.body.total).toBe(3)
      }
    },
  )

  test.each(blanks)('for nothing visible is no search: %j', async (q) => {
    const { person, spend } = await createHousehold(createWorld())
    await spend()
    expect((await person.get(`/api/transactions?${new URLSearchParams({ q })}`)).body.total).toBe(1)
  })
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
  const { world, person, checking } = await createHousehold(createWorld())
  for (const path of ['/api/import/store', '/api/import/bank/store'])
    for (const edge of formats) {
      const rows = table((cell) => `${edge}${cell}${edge}`)
      const query = `dry_run=true&signs=as_written&delimiter=,&account_id=${checking.id}`
      const { status, body } = await world.call('POST', `${path}?${query}`, {
        token: person.token,
        rawBody: rows.map((cells) => cells.join(',')).join('\n'),
        headers: { 'Content-Type': 'text/csv; charset=utf-8' },
      })
      const shown = [path, JSON.stringify(edge)]
      expect([...shown, status, body.errors, body.import?.counts.created]).toEqual([
        ...shown,
        200,
        undefined,
        2,
      ])
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
