import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { createBanked } from '../fixtures/banked.ts'
import {
  anAddress,
  createWorld,
  expectInvalid,
  expectInvalidFields,
  type Json,
  logIn,
  newPassword,
  queuedMail,
  recordTransaction,
  registerVerified,
  requestReset,
  resetPassword,
  signInThroughProvider,
  statusWith,
} from '../fixtures/world.ts'
import { askDatabase, rejectOccurrence } from '../laws/every-route.ts'

const world = createWorld()
const leave = (token: string, body: unknown) => world.call('DELETE', '/api/me', { token, body })
const isThere = async (token: string) => (await statusWith(world, token)) === 200

/** A user with rows in every table that can contain any, and their household. */
async function busyHousehold() {
  const household = await createBanked(world)
  const { person, checking, cash, spend, expense, checkBalance, importRows } = household
  await checkBalance()
  await rejectOccurrence(household)
  // On a day before that of the check, so that it is logged.
  await spend()
  const transfer = { ...expense(), category_id: null, type: 'transfer', to_account_id: cash.id, amount: 5 }
  await recordTransaction(person, transfer)
  await logIn(world, person)
  await requestReset(world, person)
  await person.post('/api/email/verification-notification')
  await person.post('/api/tokens', { name: 'Script', abilities: ['read'] })
  await person.put('/api/me/email', { email: anAddress(), current_password: person.password })
  await askDatabase(
    world,
    sql`insert into former_addresses (user_id, email, replaced_at) values (${person.id}, ${anAddress()}, ${Date.now()})`,
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
  await household.person.post('/api/recurring/suggestions/dismiss', { key: 'rent' })
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
async function countRows(userId: number): Promise<Record<string, { all: unknown; own: unknown }>> {
  const columns = await askDatabase(
    world,
    sql`
      select t.name, (select c.name from pragma_table_info(t.name) c where c.name = 'user_id') as owner
        from sqlite_master t where t.type = 'table' and t.name not like 'sqlite%' and t.name not like '\\_%' escape '\\'`,
  )
  const counts: Record<string, { all: unknown; own: unknown }> = {}
  for (const { name, owner } of columns) {
    const own = name === 'users' ? sql`id = ${userId}` : owner ? sql`user_id = ${userId}` : sql`false`
    const [row] = await askDatabase(
      world,
      sql`select count(*) as "all", count(*) filter (where ${own}) as own from ${sql.identifier(String(name))}`,
    )
    counts[String(name)] = { all: row?.all, own: row?.own }
  }
  return counts
}

/** The tables in which a text occurs anywhere. */
async function tablesWith(text: string): Promise<string[]> {
  const found: string[] = []
  for (const name of Object.keys(await countRows(0))) {
    const rows = await askDatabase(world, sql`select * from ${sql.identifier(name)}`)
    if (JSON.stringify(rows).includes(text)) found.push(name)
  }
  return found
}

describe('leaving', () => {
  test('with the right password is 204, and nothing of the user works any more', async () => {
    const person = await world.register()
    const second = (await logIn(world, person)).body.access_token
    const { status, text } = await leave(person.token, { password: person.password })
    expect([status, text]).toEqual([204, ''])
    expect([await isThere(person.token), await isThere(second)]).toEqual([false, false])
    const login = await logIn(world, person)
    expect([login.status, login.body.message]).toEqual([422, 'The provided credentials are incorrect.'])
  })

  test('works with a password of nothing but spaces, since passwords are never trimmed', async () => {
    const { token } = await world.register(newPassword(' '.repeat(8)))
    const wrong = await leave(token, { password: ' '.repeat(9) })
    expectInvalid(wrong, { password: ['The password is incorrect.'] })
    expect((await leave(token, { password: ' '.repeat(8) })).status).toBe(204)
    expect(await isThere(token)).toBe(false)
  })

  test('removes every row of the user’s from every table and the address from everywhere, and no other user’s', async () => {
    const { person } = await busyHousehold()
    const other = await busyHousehold()
    const { id, email, password, token } = person
    const before = await countRows(id)
    const others = await countRows(other.person.id)
    const empty = Object.keys(before).filter((table) => before[table]?.own === 0)
    expect(empty.sort()).toEqual(emptyTables)
    await world.deliver([queuedMail(world, 'verify_address', email)], 'purse-mail-dead')
    expect(await tablesWith(email)).toContain('failed_mails')

    expect((await leave(token, { password })).status).toBe(204)
    expect(await tablesWith(email)).toEqual([])
    await world.removeDeleted()
    const after = await countRows(id)
    expect(after.former_users?.all).toBe(0)
    for (const [table, { own }] of Object.entries(after)) expect({ table, own }).toEqual({ table, own: 0 })
    const othersAfter = await countRows(other.person.id)
    for (const [table, { own }] of Object.entries(others))
      expect({ table, own: othersAfter[table]?.own }).toEqual({ table, own })
    expect((await other.person.get('/api/summary')).body.total_balance).toBe(178)

    // Whoever registers the address again starts with nothing.
    const again = await world.register({ email, ...newPassword() })
    expect(again.id).not.toBe(id)
    expect((await again.get('/api/accounts')).body).toEqual([])
    expect((await again.get('/api/transactions')).body.total).toBe(0)
    expect((await again.get('/api/me')).body).toMatchObject({ email_verified_at: null, idp_id: null })
    expect(await isThere(token)).toBe(false)
  })

  test.each([
    ['a wrong password', { password: 'wrong password' }],
    ['the password with a space behind it', { password: 'correct horse battery ' }],
    ['another user’s password', newPassword('the word of eve')],
    ['no password', {}],
    ['null', { password: null }],
    ['an empty password', { password: '' }],
    ['a password that is no text', { password: ['correct horse battery'] }],
    ['the address instead of the password', { email: 'ada@example.com' }],
    ['the address beside a wrong password', { email: 'ada@example.com', password: 'wrong password' }],
    ['no body', undefined],
  ])('with %s is a 422 on the password, and nothing is removed', async (_, body) => {
    await world.register(newPassword('the word of eve'))
    const { token, email } = await world.register()
    world.queued.length = 0
    expectInvalidFields(await leave(token, body && 'email' in body ? { ...body, email } : body), ['password'])
    expect(await isThere(token)).toBe(true)
    expect(world.queued).toEqual([])
  })

  test('ten times at once succeeds once and sends one receipt', async () => {
    const { token, password } = await world.register()
    world.queued.length = 0
    const responses = await Promise.all(Array.from({ length: 10 }, () => leave(token, { password })))
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 204)).toHaveLength(1)
    expect(statuses.filter((status) => status === 401 || status === 422)).toHaveLength(9)
    expect(world.queued).toHaveLength(1)
  })
})

describe('leaving without a password', () => {
  test('requires the address, in whatever case, and makes the next sign-in a new user’s', async () => {
    const email = anAddress()
    const { id, token } = await signInThroughProvider(world, email)
    const response = await leave(token, { email: ` ${email.toUpperCase()} `, password: '' })
    expect(response.status).toBe(204)
    expect(await isThere(token)).toBe(false)
    expect(queuedMail(world, 'farewell', email).to).toBe(email)
    const after = await signInThroughProvider(world, email)
    expect([after.id === id, await isThere(after.token)]).toEqual([false, true])
  })

  test.each([
    ['another address', { email: 'nobody@example.com' }],
    ['no address', {}],
    ['an empty address', { email: '' }],
    ['a password instead', { password: 'correct horse battery' }],
  ])('with %s is a 422 on the address, and nothing is removed', async (_, body) => {
    const { token } = await signInThroughProvider(world, anAddress())
    world.queued.length = 0
    expectInvalidFields(await leave(token, body), ['email'])
    expect(await isThere(token)).toBe(true)
    expect(world.queued).toEqual([])
  })

  test('is refused to a user who has a password as well as the provider', async () => {
    const person = await registerVerified(world)
    await resetPassword(world, person, 'a new password')
    const { token, id } = await signInThroughProvider(world, person.email)
    expect(id).toBe(person.id)
    expectInvalidFields(await leave(token, { email: person.email }), ['password'])
    expect((await leave(token, { password: 'a new password' })).status).toBe(204)
    expect(await isThere(token)).toBe(false)
  })
})
