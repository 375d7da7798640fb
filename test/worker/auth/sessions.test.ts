import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { aTimestamp, createWorld, type Json, type Person, type World } from '../fixtures/world.ts'
import { openWorldDatabase } from '../laws/every-route.ts'

/** Signs a person in once more, with that User-Agent; returns the token. */
async function signInFrom(world: World, { email, password }: Person, userAgent: string): Promise<string> {
  const headers = { 'User-Agent': userAgent }
  return (await world.call('POST', '/api/login', { body: { email, password }, headers })).body.access_token
}

const idOf = (token: string) => Number(token.split('|')[0])
const statusWith = async (world: World, token: string) =>
  (await world.call('GET', '/api/me', { token })).status
const sessionIds = async (person: Person) =>
  (await person.get('/api/tokens')).body.map((session: Json) => session.id)

describe('the list of sessions', () => {
  test('shows the user’s own, with the client of each and which one is asking', async () => {
    const world = createWorld()
    const person = await world.register()
    await world.register()
    const phone = await signInFrom(world, person, 'Purse/2.1 (Android 16)')
    const { status, body } = await world.call('GET', '/api/tokens', { token: phone })
    expect(status).toBe(200)
    const times = { created_at: aTimestamp, last_used_at: aTimestamp }
    const unnamed = { name: null, abilities: null, expires_at: null }
    expect(body).toHaveLength(2)
    expect(body).toContainEqual({
      id: idOf(phone),
      user_agent: 'Purse/2.1 (Android 16)',
      ...times,
      ...unnamed,
      is_current: true,
    })
    expect(body).toContainEqual({
      id: idOf(person.token),
      user_agent: null,
      ...times,
      ...unnamed,
      is_current: false,
    })
  })

  test('reveals neither a secret nor its hash', async () => {
    const world = createWorld()
    const person = await world.register()
    const { text } = await person.get('/api/tokens')
    const db = openWorldDatabase(world)
    const [[row]] = await db.batch([db.all<{ hash: string }>(sql`select secret_hash as hash from tokens`)])
    expect(row?.hash).toMatch(/^[0-9a-f]{64}$/)
    expect(text).not.toContain(row?.hash)
    expect(text).not.toContain(person.token.split('|')[1])
  })

  test('truncates a client’s name that is very long', async () => {
    const world = createWorld()
    const person = await world.register()
    const token = await signInFrom(world, person, 'x'.repeat(5_000))
    const { body } = await world.call('GET', '/api/tokens', { token })
    const own = body.find((session: Json) => session.is_current)
    expect(own.user_agent).toBe('x'.repeat(255))
  })

  test('is ordered by last use, the latest first', async () => {
    const world = createWorld()
    const person = await world.register()
    const [second, third] = [await signInFrom(world, person, 'B'), await signInFrom(world, person, 'C')]
    const db = openWorldDatabase(world)
    await db.batch([
      db.run(sql`update tokens set last_used_at = last_used_at - 3600000 where id = ${idOf(third)}`),
      db.run(sql`update tokens set last_used_at = last_used_at - 7200000 where id = ${idOf(person.token)}`),
    ])
    expect(await sessionIds(person)).toEqual([idOf(second), idOf(third), idOf(person.token)])
  })
})

describe('ending a session', () => {
  test('revokes that token and no other', async () => {
    const world = createWorld()
    const person = await world.register()
    const [phone, laptop] = [await signInFrom(world, person, 'A'), await signInFrom(world, person, 'B')]
    const { status, text } = await person.delete(`/api/tokens/${idOf(phone)}`)
    expect({ status, text }).toEqual({ status: 204, text: '' })
    expect(await statusWith(world, phone)).toBe(401)
    expect([await statusWith(world, laptop), await statusWith(world, person.token)]).toEqual([200, 200])
    expect(await sessionIds(person)).not.toContain(idOf(phone))
  })

  test('may be one’s own', async () => {
    const world = createWorld()
    const person = await world.register()
    expect((await person.delete(`/api/tokens/${idOf(person.token)}`)).status).toBe(204)
    expect((await person.get('/api/me')).status).toBe(401)
  })
})

test('logging out everywhere ends all the user’s sessions, this one included, and no other user’s', async () => {
  const world = createWorld()
  const [person, other] = [await world.register(), await world.register()]
  const phone = await signInFrom(world, person, 'A')
  const { status, body } = await person.post('/api/logout-all')
  expect(status).toBe(200)
  expect(body).toEqual({ message: expect.any(String) })
  expect([await statusWith(world, phone), await statusWith(world, person.token)]).toEqual([401, 401])
  expect((await person.post('/api/logout-all')).status).toBe(401)
  expect((await other.get('/api/me')).status).toBe(200)
  expect(await statusWith(world, await signInFrom(world, person, 'B'))).toBe(200)
})

test('the hourly job removes the sessions that have expired, and those alone', async () => {
  const world = createWorld()
  const person = await world.register()
  const ages: [unused: number, old: number][] = [
    [91, 91],
    [0, 366],
    [89, 364],
    [0, 0],
  ]
  const tokens: number[] = []
  const db = openWorldDatabase(world)
  for (const [unused, old] of ages) {
    const id = idOf(await signInFrom(world, person, 'A'))
    const daysAgo = (days: number) => Date.now() - days * 86_400_000
    await db.batch([
      db.run(
        sql`update tokens set last_used_at = ${daysAgo(unused)}, created_at = ${daysAgo(old)} where id = ${id}`,
      ),
    ])
    tokens.push(id)
  }
  await world.runCron('17 * * * *')
  const [rows] = await db.batch([db.all<{ id: number }>(sql`select id from tokens order by id`)])
  expect(rows.map(({ id }) => id)).toEqual([idOf(person.token), tokens[2], tokens[3]])
})
