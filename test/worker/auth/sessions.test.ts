import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { dayMs, hourMs } from '../../../src/domain/dates.ts'
import { aTimestamp, createWorld, type Json, logIn, type Person, statusWith } from '../fixtures/world.ts'
import { askDatabase } from '../laws/every-route.ts'

const world = createWorld()

/** Signs a person in once more, with that User-Agent; returns the token. */
const signInFrom = async (person: Person, userAgent: string): Promise<string> =>
  (await logIn(world, person, { 'User-Agent': userAgent })).body.access_token
const idOf = (token: string) => Number(token.split('|')[0])
const sessionIds = async (person: Person) =>
  (await person.get('/api/tokens')).body.map((session: Json) => session.id)
/** Moves the last use and the creation of a token into the past. */
const age = (token: string, unusedMs: number, oldMs = 0) =>
  askDatabase(
    world,
    sql`update tokens set last_used_at = last_used_at - ${unusedMs}, created_at = created_at - ${oldMs}
         where id = ${idOf(token)}`,
  )

describe('the list of sessions', () => {
  test('shows the user’s own, with the client of each and which one sends the request, and no secret', async () => {
    const person = await world.register()
    await world.register()
    const phone = await signInFrom(person, 'Purse/2.1 (Android 16)')
    const { status, body, text } = await world.as(phone).get('/api/tokens')
    const unnamed = { name: null, abilities: null, expires_at: null }
    const common = { created_at: aTimestamp, last_used_at: aTimestamp, ...unnamed }
    expect([status, body.sort((a: Json, b: Json) => a.id - b.id)]).toEqual([
      200,
      [
        { id: idOf(person.token), user_agent: null, ...common, is_current: false },
        { id: idOf(phone), user_agent: 'Purse/2.1 (Android 16)', ...common, is_current: true },
      ],
    ])
    const stored = sql`select secret_hash as hash from tokens where id = ${idOf(phone)}`
    const [row] = await askDatabase(world, stored)
    expect(row?.hash).toMatch(/^[0-9a-f]{64}$/)
    for (const secret of [row?.hash, phone.split('|')[1]]) expect(text).not.toContain(secret)
  })

  test('truncates a client’s name that is very long', async () => {
    const { get } = world.as(await signInFrom(await world.register(), 'x'.repeat(5_000)))
    const own = (await get('/api/tokens')).body.find((session: Json) => session.is_current)
    expect(own.user_agent).toBe('x'.repeat(255))
  })

  test('is ordered by last use, the latest first', async () => {
    const person = await world.register()
    const [second, third] = [await signInFrom(person, 'B'), await signInFrom(person, 'C')]
    await age(third, hourMs)
    await age(person.token, 2 * hourMs)
    expect(await sessionIds(person)).toEqual([second, third, person.token].map(idOf))
  })
})

describe('ending a session', () => {
  test('revokes that token and no other', async () => {
    const person = await world.register()
    const [phone, laptop] = [await signInFrom(person, 'A'), await signInFrom(person, 'B')]
    const { status, text } = await person.delete(`/api/tokens/${idOf(phone)}`)
    expect([status, text]).toEqual([204, ''])
    expect(await statusWith(world, phone)).toBe(401)
    for (const token of [laptop, person.token]) expect(await statusWith(world, token)).toBe(200)
    expect(await sessionIds(person)).not.toContain(idOf(phone))
    // It may be one's own.
    expect((await person.delete(`/api/tokens/${idOf(person.token)}`)).status).toBe(204)
    expect((await person.get('/api/me')).status).toBe(401)
  })
})

test('logging out everywhere ends all the user’s sessions, this one included, and no other user’s', async () => {
  const [person, other] = [await world.register(), await world.register()]
  const phone = await signInFrom(person, 'A')
  const { status, body } = await person.post('/api/logout-all')
  expect([status, body]).toEqual([200, { message: expect.any(String) }])
  for (const token of [phone, person.token]) expect(await statusWith(world, token)).toBe(401)
  expect((await person.post('/api/logout-all')).status).toBe(401)
  expect((await other.get('/api/me')).status).toBe(200)
  expect(await statusWith(world, await signInFrom(person, 'B'))).toBe(200)
})

test('the hourly job removes the sessions that have expired, and those alone', async () => {
  const person = await world.register()
  const ages: [unused: number, old: number][] = [
    [91, 91],
    [0, 366],
    [89, 364],
    [0, 0],
  ]
  const tokens: string[] = []
  for (const [unused, old] of ages) {
    const token = await signInFrom(person, 'A')
    await age(token, unused * dayMs, old * dayMs)
    tokens.push(token)
  }
  await world.runCron('17 * * * *')
  const left = await askDatabase(world, sql`select id from tokens where user_id = ${person.id} order by id`)
  expect(left.map(({ id }) => id)).toEqual([person.token, ...tokens.slice(2)].map(idOf))
})
