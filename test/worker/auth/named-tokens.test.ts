import { sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { maxNamedTokens } from '../../../src/database/quotas.ts'
import { dayMs } from '../../../src/domain/dates.ts'
import { noon, setClock } from '../fixtures/clock.ts'
import {
  aTimestamp,
  createWorld,
  expectInvalid,
  type Json,
  logIn,
  newPassword,
  type Person,
  pathOf,
  queuedMail,
  registerVerified,
  resetPassword,
  signInThroughProvider,
  statusWith,
} from '../fixtures/world.ts'
import { askDatabase } from '../laws/every-route.ts'

const world = createWorld()

const make = (person: Pick<Person, 'post'>, fields: Json = {}) =>
  person.post('/api/tokens', { name: 'Monthly report', abilities: ['read'], ...fields })

async function tokenOf(person: Pick<Person, 'post'>, fields: Json = {}): Promise<string> {
  const { status, body } = await make(person, fields)
  expect([status, body.errors]).toEqual([201, undefined])
  return body.access_token
}

const afterDays = (days: number) => new Date(noon + days * dayMs).toISOString()

describe('making a named token', () => {
  test('responds with the token, once, and lists it apart from sessions', async () => {
    setClock(noon)
    const person = await world.register()
    const { status, body } = await make(person, { abilities: ['read', 'write'] })
    const { access_token: token, ...shown } = body
    expect(status).toBe(201)
    expect(token).toMatch(/^[1-9]\d*\|purse_[A-Za-z0-9]{46}$/)
    expect(shown).toEqual({
      id: Number(token.split('|')[0]),
      name: 'Monthly report',
      abilities: ['read', 'write'],
      expires_at: afterDays(365),
      user_agent: null,
      created_at: aTimestamp,
      last_used_at: aTimestamp,
      is_current: false,
    })
    const list = await person.get('/api/tokens')
    expect(list.body).toMatchObject([shown, { name: null, abilities: null, expires_at: null }])
    expect(list.text).not.toContain(token.split('|')[1])
    expect(await statusWith(world, token)).toBe(200)
    // Without the prefix, it is not the same secret.
    expect(await statusWith(world, token.replace('purse_', ''))).toBe(401)
    const stored = await askDatabase(world, sql`select secret_hash from tokens where id = ${shown.id}`)
    expect(stored).toEqual([{ secret_hash: expect.stringMatching(/^[0-9a-f]{64}$/) }])
  })

  test('sends the user an email that says what it may do, and until when', async () => {
    setClock(noon)
    const person = await world.register()
    await make(person, { expires_at: afterDays(30) })
    expect(queuedMail(world, 'token_made', person.email)).toMatchObject({
      tokenName: 'Monthly report',
      canWrite: false,
      expiresAt: afterDays(30),
    })
  })

  test.each<[string, Json, string]>([
    ['without a name', { name: ' ' }, 'The name field is required.'],
    ['without abilities', { abilities: [] }, 'The abilities field is required.'],
    ['with a text for a list', { abilities: 'read' }, 'The abilities field must be an array.'],
    ['that only writes', { abilities: ['write'] }, 'The selected abilities is invalid.'],
    ['that does everything', { abilities: ['read', '*'] }, 'The selected abilities.1 is invalid.'],
    [
      'that ends on an unknown day',
      { expires_at: 'tomorrow' },
      'The expires at field must be a timestamp with a time zone, such as 2026-11-20T10:00:00Z.',
    ],
    ['that has ended', { expires_at: afterDays(0) }, 'The expires at field must be a time in the future.'],
    [
      'that lives too long',
      { expires_at: afterDays(366) },
      'The expires at field must be at most 365 days from now.',
    ],
  ])('%s is a 422', async (_, fields, message) => {
    setClock(noon)
    const person = await world.register()
    const { status, body } = await make(person, fields)
    expect([status, Object.values(body.errors)]).toEqual([422, [[message]]])
  })

  test('is a 422 beyond fifty, whatever requests come at once; ended ones do not count', async () => {
    setClock(noon)
    const person = await registerVerified(world)
    const expires = noon + dayMs
    await askDatabase(
      world,
      sql`insert into tokens (user_id, secret_hash, scope, name, expires_at, created_at, last_used_at)
          with recursive n(i) as (select 1 union all select i + 1 from n where i < ${maxNamedTokens - 1})
          select ${person.id}, 'hash', 'read', 'Token ' || i, ${expires}, ${noon}, ${noon} from n`,
    )
    const responses = await Promise.all(Array.from({ length: 4 }, () => make(person)))
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422])
    expectInvalid(await make(person), { name: [`You cannot have more than ${maxNamedTokens} named tokens.`] })
    vi.setSystemTime(expires)
    expect((await make(person)).status).toBe(201)
  })

  test('is a 429 beyond six a minute, and beyond the emails for an address that is not verified', async () => {
    setClock(noon)
    const person = await world.register()
    const statuses: number[] = []
    for (let minute = 0; minute < 6; minute++) {
      vi.setSystemTime(noon + minute * 60_000)
      for (let calls = 0; calls < 7; calls++) statuses.push((await make(person)).status)
    }
    expect(statuses.slice(0, 7)).toEqual([201, 201, 201, 201, 201, 201, 429])
    // One email was that of the registration.
    expect(statuses.filter((status) => status === 201)).toHaveLength(29)
    expect(world.queued.filter(({ to }) => to === person.email)).toHaveLength(30)
  })
})

describe('a named token ends', () => {
  async function withToken() {
    const person = await registerVerified(world)
    return { person, token: await tokenOf(person) }
  }
  const logInAgain = async (person: Person): Promise<string> => (await logIn(world, person)).body.access_token

  test('at its time, after 90 days without use, and the hourly job removes it', async () => {
    setClock(noon)
    const { person, token } = await withToken()
    const short = await tokenOf(person, { expires_at: afterDays(10) })
    const statuses = async () => [await statusWith(world, token), await statusWith(world, short)]
    vi.setSystemTime(noon + 10 * dayMs - 1)
    expect(await statuses()).toEqual([200, 200])
    vi.setSystemTime(noon + 10 * dayMs)
    expect(await statuses()).toEqual([200, 401])
    expect((await person.get('/api/tokens')).body).toHaveLength(2)
    await world.runCron('17 * * * *')
    const left = await askDatabase(world, sql`select 1 from tokens where user_id = ${person.id}`)
    expect(left).toHaveLength(2)
    vi.setSystemTime(noon + 101 * dayMs)
    expect(await statusWith(world, token)).toBe(401)
  })

  test.each<[string, (person: Person, token: string) => Promise<unknown>]>([
    ['when its user revokes it', ({ delete: revoke }, token) => revoke(`/api/tokens/${token.split('|')[0]}`)],
    ['on logging out everywhere', ({ post }) => post('/api/logout-all')],
    ['on a password reset', (person) => resetPassword(world, person, 'a new password')],
    [
      'when the first sign-in through the provider drops an unproved password',
      ({ email }) => signInThroughProvider(world, email),
    ],
    [
      'when the owner of the address disowns the account',
      ({ email }) => world.call('POST', pathOf(queuedMail(world, 'verify_address', email).disownUrl ?? '')),
    ],
    ['when its user leaves', ({ delete: leave, password }) => leave('/api/me', { password })],
  ])('%s', async (_, end) => {
    const { person, token } = await withToken()
    expect(await statusWith(world, token)).toBe(200)
    await end(person, token)
    expect(await statusWith(world, token)).toBe(401)
  })

  test.each([undefined, false, true])('on a new password, with keep_tokens %s', async (keep_tokens) => {
    const { person, token } = await withToken()
    const other = await logInAgain(person)
    const body = { current_password: person.password, ...newPassword(), keep_tokens }
    expect((await person.put('/api/me/password', body)).status).toBe(200)
    expect(await statusWith(world, token)).toBe(keep_tokens ? 200 : 401)
    expect(await statusWith(world, other)).toBe(401)
  })

  test('not with the session that made it, nor when its user signs in a thousand times, which ends older sessions', async () => {
    const { person, token } = await withToken()
    const other = await world.register()
    await person.post('/api/logout')
    const session = await logInAgain(person)
    await askDatabase(
      world,
      sql`insert into tokens (user_id, secret_hash, created_at, last_used_at)
          with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
          select ${person.id}, 'hash', ${Date.now()}, ${Date.now()} from n`,
    )
    expect(await statusWith(world, await logInAgain(person))).toBe(200)
    expect(await statusWith(world, session)).toBe(401)
    for (const kept of [token, other.token]) expect(await statusWith(world, kept)).toBe(200)
    const left = sql`select 1 from tokens where user_id = ${person.id} and name is null`
    expect(await askDatabase(world, left)).toHaveLength(1_000)
  })
})
