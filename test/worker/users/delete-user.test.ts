import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { createBanked } from '../fixtures/banked.ts'
import {
  createWorld,
  expectInvalid,
  expectInvalidFields,
  type Json,
  queuedMail,
  recordTransaction,
  resetPassword,
  signInThroughProvider,
  verifyAddress,
  type World,
} from '../fixtures/world.ts'
import { askDatabase, openWorldDatabase } from '../laws/every-route.ts'

const address = () => `${crypto.randomUUID()}@example.com`
const leave = (world: World, token: string, body: unknown) => world.call('DELETE', '/api/me', { token, body })
const isThere = async (world: World, token: string) =>
  (await world.call('GET', '/api/me', { token })).status === 200

/** A user with rows in every table that can contain any, and their household. */
async function busyHousehold(world: World) {
  const household = await createBanked(world)
  const { person, checking, cash, spend, expense, importRows } = household
  await spend()
  await recordTransaction(person, {
    account_id: checking.id,
    to_account_id: cash.id,
    type: 'transfer',
    amount: 5,
    transaction_date: '2026-11-20',
  })
  const { email, password } = person
  await world.call('POST', '/api/login', { body: { email, password } })
  await world.call('POST', '/api/forgot-password', { body: { email } })
  await person.post('/api/email/verification-notification')
  await person.post('/api/tokens', { name: 'Script', abilities: ['read'] })
  await person.put('/api/me/email', { email: address(), current_password: password })
  await askDatabase(
    world,
    sql`insert into former_addresses (user_id, email, replaced_at) values (${person.id}, ${address()}, ${Date.now()})`,
  )

  const fromPhone = await recordTransaction(person, { ...expense(), amount: 3, client_id: 'phone-1' })
  await person.delete(`/api/transactions/${fromPhone.id}`)
  const transactions = [{ ...expense(), amount: 4, client_id: 'phone-2' }]
  await person.post('/api/transactions/sync', { transactions })
  await world.deliverSyncs()
  await importRows(checking, [
    ['2026-11-12', '-6.00'],
    ['2026-11-13', '-7.00'],
    ['2026-11-14', '-8.00'],
  ])
  const { body: imported } = await person.get('/api/transactions?to=2026-11-14')
  const [deleted, ...kept] = imported.data.map(({ id }: Json) => id)
  await person.delete(`/api/transactions/${deleted}`)
  expect(
    (await person.post('/api/matches/reject', { kind: 'duplicate', ids: kept.slice(0, 2) })).status,
  ).toBe(204)
  return household
}

/** Tables whose rows belong to no user, or only exist while a request or a message is being worked on. */
const emptyTables = [
  'attempts',
  'failed_mails',
  'former_users',
  'spent_ids',
  'sync_parts',
  'upload_steps',
  'used_states',
]

/** How many rows each table has, in all and of one user. */
async function countRows(
  world: World,
  userId: number,
): Promise<Record<string, { all: number; own: number }>> {
  const db = openWorldDatabase(world)
  const [columns] = await db.batch([
    db.all<{ name: string; owner: string | null }>(sql`
      select t.name, (select c.name from pragma_table_info(t.name) c where c.name = 'user_id') as owner
        from sqlite_master t where t.type = 'table' and t.name not like 'sqlite%' and t.name not like '\\_%' escape '\\'`),
  ])
  const counts: Record<string, { all: number; own: number }> = {}
  for (const { name, owner } of columns) {
    const own = name === 'users' ? sql`id = ${userId}` : owner ? sql`user_id = ${userId}` : sql`false`
    const [[row]] = await db.batch([
      db.all<{ all: number; own: number }>(
        sql`select count(*) as "all", count(*) filter (where ${own}) as own from ${sql.identifier(name)}`,
      ),
    ])
    counts[name] = { all: Number(row?.all), own: Number(row?.own) }
  }
  return counts
}

/** The tables in which a text occurs anywhere. */
async function tablesWith(world: World, text: string): Promise<string[]> {
  const db = openWorldDatabase(world)
  const found: string[] = []
  for (const name of Object.keys(await countRows(world, 0))) {
    const [rows] = await db.batch([db.all(sql`select * from ${sql.identifier(name)}`)])
    if (JSON.stringify(rows).includes(text)) found.push(name)
  }
  return found
}

describe('leaving', () => {
  test('with the right password is 204, and nothing of the user works any more', async () => {
    const world = createWorld()
    const person = await world.register()
    const { email, password } = person
    const second = (await world.call('POST', '/api/login', { body: { email, password } })).body.access_token
    const { status, text } = await leave(world, person.token, { password })
    expect({ status, text }).toEqual({ status: 204, text: '' })
    expect([await isThere(world, person.token), await isThere(world, second)]).toEqual([false, false])
    const login = await world.call('POST', '/api/login', { body: { email, password } })
    expect(login.status).toBe(422)
    expect(login.body.message).toBe('The provided credentials are incorrect.')
  })

  test('works with a password of nothing but spaces, since passwords are never trimmed', async () => {
    const world = createWorld()
    const blank = ' '.repeat(8)
    const { token } = await world.register({ password: blank, password_confirmation: blank })
    const wrong = await leave(world, token, { password: ' '.repeat(9) })
    expectInvalid(wrong, { password: ['The password is incorrect.'] })
    expect((await leave(world, token, { password: blank })).status).toBe(204)
    expect(await isThere(world, token)).toBe(false)
  })

  test('removes every row of the user’s from every table, and no other user’s', async () => {
    const world = createWorld()
    const { person } = await busyHousehold(world)
    const other = await busyHousehold(world)
    const before = await countRows(world, person.id)
    const others = await countRows(world, other.person.id)
    const empty = Object.keys(before).filter((table) => before[table]?.own === 0)
    expect(empty.sort()).toEqual(emptyTables)
    expect((await leave(world, person.token, { password: person.password })).status).toBe(204)
    await world.removeDeleted()
    const after = await countRows(world, person.id)
    expect(after.former_users?.all).toBe(0)
    for (const [table, { own }] of Object.entries(after)) expect({ table, own }).toEqual({ table, own: 0 })
    const othersAfter = await countRows(world, other.person.id)
    for (const [table, { own }] of Object.entries(others)) {
      expect({ table, own: othersAfter[table]?.own }).toEqual({ table, own })
    }
    expect((await other.person.get('/api/summary')).body.total_balance).toBe(190.5)
  })

  test('leaves the address nowhere in the database', async () => {
    const world = createWorld()
    const { person } = await busyHousehold(world)
    const { email, password } = person
    const mail = queuedMail(world, 'verify_address', email)
    await world.deliver([mail], 'purse-mail-dead')
    expect(await tablesWith(world, email)).not.toEqual([])
    await leave(world, person.token, { password })
    expect(await tablesWith(world, email)).toEqual([])
  })

  test('frees the address: whoever registers it again starts with nothing', async () => {
    const world = createWorld()
    const { person } = await busyHousehold(world)
    const { email, password } = person
    await leave(world, person.token, { password })
    const again = await world.register({
      email,
      password: 'another one',
      password_confirmation: 'another one',
    })
    expect(again.id).not.toBe(person.id)
    expect((await again.get('/api/accounts')).body).toEqual([])
    expect((await again.get('/api/transactions')).body.total).toBe(0)
    expect((await again.get('/api/me')).body).toMatchObject({ email_verified_at: null, idp_id: null })
    expect(await isThere(world, person.token)).toBe(false)
  })

  test.each([
    ['a wrong password', { password: 'wrong password' }],
    ['the password with a space behind it', { password: 'correct horse battery ' }],
    ['no password', {}],
    ['null', { password: null }],
    ['an empty password', { password: '' }],
    ['a password that is no text', { password: ['correct horse battery'] }],
    ['the address instead of the password', { email: 'ada@example.com' }],
    ['the address beside a wrong password', { email: 'ada@example.com', password: 'wrong password' }],
  ])('with %s is a 422 on the password, and nothing is removed', async (_, body) => {
    const world = createWorld()
    const person = await world.register({ email: 'ada@example.com' })
    world.queued.length = 0
    expectInvalidFields(await leave(world, person.token, body), ['password'])
    expect(await isThere(world, person.token)).toBe(true)
    expect(world.queued).toEqual([])
  })

  test('without any body is a 422 on the password', async () => {
    const world = createWorld()
    const person = await world.register()
    expectInvalidFields(await person.delete('/api/me'), ['password'])
    expect(await isThere(world, person.token)).toBe(true)
  })

  test('with another user’s password is refused', async () => {
    const world = createWorld()
    const ada = await world.register()
    const eve = await world.register({
      password: 'the word of eve',
      password_confirmation: 'the word of eve',
    })
    expectInvalidFields(await leave(world, ada.token, { password: eve.password }), ['password'])
    expect([await isThere(world, ada.token), await isThere(world, eve.token)]).toEqual([true, true])
  })

  test('ten times at once succeeds once and sends one receipt', async () => {
    const world = createWorld()
    const { token, password } = await world.register()
    world.queued.length = 0
    const responses = await Promise.all(Array.from({ length: 10 }, () => leave(world, token, { password })))
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 204)).toHaveLength(1)
    expect(statuses.filter((status) => status === 401 || status === 422)).toHaveLength(9)
    expect(world.queued).toHaveLength(1)
  })
})

describe('leaving without a password', () => {
  test('asks for the address, in whatever case', async () => {
    const world = createWorld()
    const email = address()
    const { token } = await signInThroughProvider(world, email)
    const response = await leave(world, token, { email: ` ${email.toUpperCase()} `, password: '' })
    expect(response.status).toBe(204)
    expect(await isThere(world, token)).toBe(false)
    expect(queuedMail(world, 'farewell', email).to).toBe(email)
  })

  test.each([
    ['another address', { email: 'nobody@example.com' }],
    ['no address', {}],
    ['an empty address', { email: '' }],
    ['a password instead', { password: 'correct horse battery' }],
  ])('with %s is a 422 on the address, and nothing is removed', async (_, body) => {
    const world = createWorld()
    const { token } = await signInThroughProvider(world, address())
    expectInvalidFields(await leave(world, token, body), ['email'])
    expect(await isThere(world, token)).toBe(true)
    expect(world.queued).toEqual([])
  })

  test('makes the next sign-in through the provider a new user’s', async () => {
    const world = createWorld()
    const email = address()
    const before = await signInThroughProvider(world, email)
    await leave(world, before.token, { email })
    const after = await signInThroughProvider(world, email)
    expect(after.id).not.toBe(before.id)
    expect(await isThere(world, after.token)).toBe(true)
  })

  test('is refused to a user who has a password as well as the provider', async () => {
    const world = createWorld()
    const person = await world.register({ email: address() })
    await verifyAddress(world, person)
    await resetPassword(world, person, 'a new password')
    const { token, id } = await signInThroughProvider(world, person.email)
    expect(id).toBe(person.id)
    expectInvalidFields(await leave(world, token, { email: person.email }), ['password'])
    expect((await leave(world, token, { password: 'a new password' })).status).toBe(204)
    expect(await isThere(world, token)).toBe(false)
  })
})
