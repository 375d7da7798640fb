import { expect, test } from 'vitest'
import { createWorld, type Json, type Person } from '../fixtures/world.ts'
import { createHousehold, type Household, verify } from '../laws/every-route.ts'
import { rowsOf } from './rows.ts'

/** A number, a text and a time that only appear in a row if a client put them there. */
const number = 4_711_471
const text = 'not theirs to set'
const time = '2000-01-01T00:00:00.000Z'

/** Every column that no client may set, in both spellings, with a value that an attacker would want. */
const columns: Record<string, unknown> = {
  ...Object.fromEntries(
    [
      ...['id', 'user_id', 'userId', 'balance', 'moved', 'transaction_count', 'transactionCount'],
      ...['import_id', 'importId', 'sync_id', 'token_id', 'owner', 'amount_cents'],
    ].map((name) => [name, number]),
  ),
  ...Object.fromEntries(
    [
      ...['idp_id', 'idpId', 'avatar', 'password_hash', 'passwordHash', 'secret_hash', 'name_key', 'nameKey'],
      ...['role', 'user_agent', 'status', 'outcome', 'idempotency_key', 'idempotencyKey'],
    ].map((name) => [name, text]),
  ),
  ...Object.fromEntries(
    [
      ...['created_at', 'createdAt', 'updated_at', 'updatedAt', 'email_verified_at', 'emailVerifiedAt'],
      ...['reminder_last_sent_at', 'reminder_look_at', 'completed_at', 'queued_at', 'expires_at'],
      ...['last_used_at'],
    ].map((name) => [name, time]),
  ),
  is_synced: true,
  isSynced: true,
  is_admin: true,
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
  ['PUT /api/transactions/:id', () => ({ amount: 3 }), () => '/api/transactions/1'],
  ['POST /api/import/store', ({ expense }) => ({ transactions: [{ ...expense(), ...columns, amount: 77 }] })],
]

test.each(writes)('%s accepts no field that is not the client’s to set', async (route, body, path) => {
  const world = createWorld()
  const household = await createHousehold(world)
  await household.spend()
  const [method = '', pattern = ''] = route.split(' ')
  const response = await world.call(method, path?.(household) ?? pattern, {
    token: household.person.token,
    body: { ...columns, ...body(household) },
  })
  expect([response.status < 300, response.text]).toEqual([true, response.text])
  await expectNothingTaken(household)
})

test('registering makes a user with an id of the service’s and an unverified address', async () => {
  const world = createWorld()
  const person = await world.register(columns)
  expect(person.id).toBe(1)
  expect((await person.get('/api/me')).body.email_verified_at).toBeNull()
  await expectNothingTaken({ world, person })
})

test('nor does an item of a batch', async () => {
  const world = createWorld()
  const household = await createHousehold(world)
  const item = { ...columns, ...household.expense() }
  const { status } = await household.person.post('/api/transactions/sync', {
    ...columns,
    transactions: [item],
  })
  expect(status).toBe(200)
  await world.deliverSyncs()
  const { data } = (await household.person.get('/api/transactions')).body
  expect(data).toMatchObject([{ user_id: household.person.id, is_synced: true }])
  await expectNothingTaken(household)
})

test('what the service keeps follows from the rows alone, whatever a client says', async () => {
  const world = createWorld()
  const other = await world.register()
  const { person, cash, expense } = await createHousehold(world)
  const lies = { user_id: other.id, userId: other.id, balance: 1_000, moved: 1_000, is_synced: true }
  const account = (await person.put(`/api/accounts/${cash.id}`, { ...lies, name: 'Cash' })).body
  const row = (await person.post('/api/transactions', { ...expense(), ...lies })).body
  expect([account.user_id, account.balance]).toEqual([person.id, 20])
  expect([row.user_id, row.is_synced]).toEqual([person.id, false])
  expect((await other.get('/api/accounts')).body).toEqual([])
})

async function expectNothingTaken({ world, person }: { world: Household['world']; person: Person }) {
  const rows = JSON.stringify(await rowsOf(world, person.id))
  expect(rows).toContain(`"user_id":${person.id}`)
  for (const injected of [String(number), text, time, String(Date.parse(time))])
    expect(rows.includes(injected), `${injected} in ${rows}`).toBe(false)
}

test('the search looks where it should: what a client may set, it finds', async () => {
  const world = createWorld()
  const person = await world.register({ name: text })
  await verify(world, person)
  await expect(expectNothingTaken({ world, person })).rejects.toThrow()
})
