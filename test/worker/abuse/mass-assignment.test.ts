import { expect, test } from 'vitest'
import { createWorld, type Json, type Person } from '../fixtures/world.ts'
import { createHousehold, type Household, verify } from '../laws/every-route.ts'
import { rowsOf } from './rows.ts'

const world = createWorld()

/** A number, a text and a time that only appear in a row if a client put them there. */
const number = 4_711_471
const text = 'not theirs to set'
const time = '2000-01-01T00:00:00.000Z'

const all = (value: unknown, names: string) =>
  Object.fromEntries(names.split(' ').map((name) => [name, value]))

/** Every column that no client may set, in both spellings, with a value that an attacker would want. */
const columns: Record<string, unknown> = {
  ...all(number, 'id user_id userId balance moved transaction_count transactionCount import_id importId'),
  ...all(number, 'sync_id token_id owner amount_cents'),
  ...all(text, 'idp_id idpId avatar password_hash passwordHash secret_hash name_key nameKey role user_agent'),
  ...all(text, 'status outcome idempotency_key idempotencyKey'),
  ...all(time, 'created_at createdAt updated_at updatedAt email_verified_at emailVerifiedAt'),
  ...all(time, 'reminder_last_sent_at reminder_look_at completed_at queued_at expires_at last_used_at'),
  ...all(true, 'is_synced isSynced is_admin'),
}

const writes: [
  route: string,
  body: (household: Household) => Json,
  path?: (household: Household) => string,
][] = [
  ['PATCH /api/me', () => ({ name: 'Ada' })],
  ['POST /api/accounts', () => ({ name: 'New', type: 'cash', starting_balance: 1 })],
  ['PUT /api/accounts/:id', () => ({ name: 'Newer' }), ({ cash }) => `/api/accounts/${cash.id}`],
  ['POST /api/categories', () => ({ name: 'Pets', type: 'expense' })],
  ['PUT /api/categories/:id', () => ({ name: 'Dogs' }), ({ category }) => `/api/categories/${category.id}`],
  ['POST /api/transactions', ({ expense }) => expense()],
  ['POST /api/import/store', ({ expense }) => ({ transactions: [{ ...expense(), ...columns, amount: 77 }] })],
]

test.each(writes)('%s accepts no field that is not the client’s to set', async (route, body, path) => {
  const household = await createHousehold(world)
  const [method = '', pattern = ''] = route.split(' ')
  const { token } = household.person
  const sent = { ...columns, ...body(household) }
  const response = await world.call(method, path?.(household) ?? pattern, { token, body: sent })
  expect([response.status < 300, response.text]).toEqual([true, response.text])
  await expectNothingTaken(household.person)
})

test('nor does changing a transaction, registering, nor an item of a batch', async () => {
  const household = await createHousehold(world)
  const { person, spend, expense } = household
  const changed = await person.put(`/api/transactions/${(await spend()).id}`, { ...columns, amount: 3 })
  expect(changed.status).toBe(200)
  const body = { ...columns, transactions: [{ ...columns, ...expense() }] }
  expect((await person.post('/api/transactions/sync', body)).status).toBe(200)
  await world.deliverSyncs()
  const { data } = (await person.get('/api/transactions')).body
  expect(data).toMatchObject([{ user_id: person.id, is_synced: true }, { user_id: person.id }])
  await expectNothingTaken(person)

  const registered = await world.register(columns)
  expect(registered.id).toBe(person.id + 1)
  expect((await registered.get('/api/me')).body.email_verified_at).toBeNull()
  await expectNothingTaken(registered)
})

test('what the service keeps follows from the rows alone, whatever a client says', async () => {
  const other = await world.register()
  const { person, cash, expense } = await createHousehold(world)
  const lies = { user_id: other.id, userId: other.id, balance: 1_000, moved: 1_000, is_synced: true }
  const account = (await person.put(`/api/accounts/${cash.id}`, { ...lies, name: 'Cash' })).body
  const row = (await person.post('/api/transactions', { ...expense(), ...lies })).body
  expect([account.user_id, account.balance]).toEqual([person.id, 20])
  expect([row.user_id, row.is_synced]).toEqual([person.id, false])
  expect((await other.get('/api/accounts')).body).toEqual([])
})

async function expectNothingTaken(person: Person) {
  const rows = JSON.stringify(await rowsOf(world, person.id))
  expect(rows).toContain(`"user_id":${person.id}`)
  for (const injected of [String(number), text, time, String(Date.parse(time))])
    expect(rows.includes(injected), `${injected} in ${rows}`).toBe(false)
}

test('the search looks where it should: what a client may set, it finds', async () => {
  const person = await world.register({ name: text })
  await verify(world, person)
  await expect(expectNothingTaken(person)).rejects.toThrow()
})
