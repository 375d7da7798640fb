import { sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { hourMs } from '../../../src/domain/dates.ts'
import { exactLimits } from '../../../src/failures/limits.ts'
import { noon, setClock } from '../fixtures/clock.ts'
import {
  type ApiResponse,
  anAddress,
  createWorld,
  logIn,
  newPassword,
  type Person,
  randomClientAddress,
  registerVerified,
  resetTokenOf,
  signInThroughProvider,
  type World,
} from '../fixtures/world.ts'
import { askDatabase } from '../laws/every-route.ts'

const mailboxLimit = exactLimits.mailsToUnverified.max
const clientLimit = exactLimits.mailsByClient.max

const elsewhere = () => ({ 'CF-Connecting-IP': randomClientAddress() })
const resend = (world: World, token: string, headers: Record<string, string> = {}) =>
  world.call('POST', '/api/email/verification-notification', { token, headers })
const forgot = (world: World, email: string, headers: Record<string, string> = elsewhere()) =>
  world.call('POST', '/api/forgot-password', { body: { email }, headers })

async function signInTimes(world: World, person: Person, times: number): Promise<string[]> {
  const logins = Array.from({ length: times }, () => logIn(world, person))
  return (await Promise.all(logins)).map(({ body }) => body.access_token)
}

/** The keys under which everything is counted, attempt by attempt. */
async function keysOf(world: World): Promise<unknown[]> {
  const rows = await askDatabase(world, sql`select "key" from attempts order by rowid`)
  return rows.map(({ key }) => key)
}

/** Counts the attempts with keys like that so many times more. */
async function countAgain(world: World, keys: string, times: number): Promise<void> {
  await askDatabase(
    world,
    sql`insert into attempts (nonce, "key", at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < ${times})
        select nonce || ' ' || i, "key", at from attempts, n where "key" like ${keys}`,
  )
}

describe.each<[string, (world: World, person: Person) => Promise<ApiResponse>]>([
  ['a verification email', (world, { token }) => resend(world, token)],
  ['a reset email', (world, { email }) => forgot(world, email)],
])('%s', (_, request) => {
  test('may be requested six times a minute; the seventh is a 429, and takes nothing from others', async () => {
    setClock(noon)
    const world = createWorld()
    const [person, other] = [await world.register(), await world.register()]
    world.queued.length = 0
    for (let i = 0; i < 6; i++) expect((await request(world, person)).status).toBe(200)
    const { status, headers, body } = await request(world, person)
    expect([status, body]).toEqual([429, { message: 'Too Many Attempts.' }])
    expect(headers.get('Retry-After')).toBe('60')
    expect([headers.get('X-RateLimit-Limit'), headers.get('X-RateLimit-Remaining')]).toEqual(['6', '0'])
    expect(world.queued).toHaveLength(6)
    expect((await request(world, other)).status).toBe(200)
  })

  test('is counted exactly when twenty are requested at once, in two isolates', async () => {
    const world = createWorld()
    const other = createWorld({ TURSO_DATABASE_URL: world.databaseUrl })
    const person = await world.register()
    world.queued.length = 0
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) => request(i % 2 ? world : other, person)),
    )
    const statuses = responses.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(6).fill(200), ...Array(14).fill(429)])
    expect(world.queued.length + other.queued.length).toBe(6)
  })
})

test('each response to a request for a verification email says how many remain', async () => {
  const world = createWorld()
  const { token } = await world.register()
  for (const remaining of ['5', '4', '3', '2', '1', '0'])
    expect((await resend(world, token)).headers.get('X-RateLimit-Remaining')).toBe(remaining)
})

describe('a user who registers an address that is not theirs', () => {
  test('does not get it more emails by signing in again and again', async () => {
    const world = createWorld()
    const person = await world.register()
    const statuses: number[] = []
    for (const token of await signInTimes(world, person, 6))
      for (let calls = 0; calls < 6; calls++) statuses.push((await resend(world, token)).status)
    expect(world.queued).toHaveLength(mailboxLimit)
    expect(statuses.filter((status) => status === 200)).toHaveLength(mailboxLimit - 1)
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
  })

  test('does not get it more emails by addresses with a plus, and registering goes on all the same', async () => {
    const world = createWorld()
    for (const tag of ['', '+a', '+b+c']) {
      const { token } = await world.register({ email: `Victim${tag}@example.com` })
      for (let calls = 0; calls < 5; calls++) await resend(world, token)
    }
    for (let tag = 0; tag < 14; tag++) await world.register({ email: `victim+${tag}@example.com` })
    expect(world.queued).toHaveLength(mailboxLimit)
    const late = await resend(world, (await world.register({ email: 'victim+late@example.com' })).token)
    expect([late.status, late.headers.get('X-RateLimit-Limit')]).toEqual([429, String(mailboxLimit)])
  })

  test('does not get it more emails by forgetting its password, or by leaving and coming back', async () => {
    const world = createWorld()
    const email = anAddress()
    for (let rounds = 0; rounds < 11; rounds++) {
      const { password, delete: leave } = await world.register({ email })
      await forgot(world, email)
      await leave('/api/me', { password })
    }
    expect(world.queued).toHaveLength(mailboxLimit)
    expect(new Set(world.queued.map(({ kind }) => kind))).toEqual(
      new Set(['verify_address', 'reset_password', 'farewell']),
    )
  })

  test('takes nothing from any other mailbox, nor from a name that begins with a plus', async () => {
    const world = createWorld()
    const { token } = await world.register({ email: 'victim@example.com' })
    await world.register({ email: '+victim@example.com' })
    await countAgain(world, '%', mailboxLimit)
    expect((await resend(world, token)).status).toBe(429)
    for (const name of [
      'victim@example.org',
      'victim2@example.com',
      'vic+tim@example.com',
      '+other@example.com',
    ])
      expect((await resend(world, (await world.register({ email: name })).token)).status).toBe(200)
  })
})

describe('the emails to an address that is not confirmed', () => {
  test('are counted exactly when 48 are requested at once, with eight tokens, in two isolates', async () => {
    const world = createWorld()
    const other = createWorld({ TURSO_DATABASE_URL: world.databaseUrl })
    const person = await world.register()
    const tokens = await signInTimes(world, person, 8)
    world.queued.length = 0
    const responses = await Promise.all(
      Array.from({ length: 48 }, (_, i) => resend(i % 2 ? world : other, tokens[i % 8] ?? '')),
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(mailboxLimit - 1)
    expect(world.queued.length + other.queued.length).toBe(mailboxLimit - 1)
  })

  test('are counted over a day, and whoever waits as long as they are told gets one', async () => {
    setClock(noon)
    const world = createWorld()
    const person = await world.register()
    for (let minute = 0; minute < 5; minute++) {
      vi.setSystemTime(noon + minute * 60_001)
      for (let calls = 0; calls < 6; calls++) await resend(world, person.token)
    }
    vi.setSystemTime(noon + hourMs)
    const refused = await resend(world, person.token)
    const wait = Number(refused.headers.get('Retry-After'))
    expect([refused.status, wait]).toEqual([429, 23 * 3_600])
    vi.setSystemTime(noon + hourMs + wait * 1_000)
    expect((await resend(world, person.token)).status).toBe(200)
  })

  test('are reported before they are used up: what remains is what the tightest limit leaves', async () => {
    const world = createWorld()
    const person = await world.register()
    await countAgain(world, '%', mailboxLimit - 4)
    const { headers } = await resend(world, person.token)
    expect([headers.get('X-RateLimit-Limit'), headers.get('X-RateLimit-Remaining')]).toEqual(['6', '2'])
  })
})

describe('the owner of a confirmed address', () => {
  test('gets reset links although another user has registered addresses like it, and used up their emails', async () => {
    const world = createWorld()
    const owner = await registerVerified(world, { email: 'ada@example.com' })
    await world.register({ email: 'ada+1@example.com' })
    await countAgain(world, '%', mailboxLimit)
    for (let calls = 0; calls < 6; calls++) expect((await forgot(world, owner.email)).status).toBe(200)
    expect((await forgot(world, 'ada+1@example.com')).status).toBe(429)
    expect((await resend(world, owner.token)).status).toBe(200)
  })

  test('has a reset link that works whenever another is refused', async () => {
    setClock(noon)
    const world = createWorld()
    const email = anAddress()
    await signInThroughProvider(world, email)
    for (let minute = 0; minute < exactLimits.resetLinks.max; minute++) {
      vi.setSystemTime(noon + minute * 61_000)
      expect((await forgot(world, email)).status).toBe(200)
    }
    vi.setSystemTime(noon + hourMs - 1)
    expect((await forgot(world, email)).status).toBe(429)
    vi.setSystemTime(noon + hourMs)
    expect((await forgot(world, email)).status).toBe(200)
    vi.setSystemTime(noon + hourMs + 61_000 - 1)
    expect((await forgot(world, email)).status).toBe(429)
    const body = { token: resetTokenOf(world, { email }), email, ...newPassword() }
    expect((await world.call('POST', '/api/reset-password', { body })).status).toBe(200)
  })
})

test('one client address causes a limited number of emails an hour, whoever gets them, and may sign up any number of people', async () => {
  const world = createWorld({ GENERAL_LIMIT_ENABLED: 'true' })
  const headers = elsewhere()
  const register = () =>
    world.call('POST', '/api/register', {
      body: { name: 'Somebody', email: anAddress(), ...newPassword() },
      headers,
    })
  const { email } = (await register()).body.user
  await countAgain(world, 'client:%', clientLimit - 4)
  expect((await forgot(world, email, headers)).status).toBe(200)
  expect((await forgot(world, anAddress(), headers)).status).toBe(422)
  const last = await register()
  expect([last.status, world.queued.length]).toEqual([201, 3])
  expect((await resend(world, last.body.access_token, headers)).status).toBe(200)
  const refused = await resend(world, last.body.access_token, headers)
  expect([refused.status, refused.headers.get('X-RateLimit-Limit')]).toEqual([429, String(clientLimit)])
  expect((await forgot(world, email, headers)).status).toBe(429)
  expect((await register()).status).toBe(201)
  expect(world.queued).toHaveLength(4)
  // From another address it continues.
  expect((await resend(world, last.body.access_token, elsewhere())).status).toBe(200)
})

test('strangers cannot fill the table of counts: unknown addresses share a few slots, and are forgotten', async () => {
  setClock(noon)
  const world = createWorld()
  await Promise.all(Array.from({ length: 60 }, (_, index) => forgot(world, `nobody${index}@example.com`)))
  const added = await keysOf(world)
  expect(added.length).toBeGreaterThan(50)
  for (const key of added) expect(key).toMatch(/^nobody:(\d{1,2}|\d{3}|10[01]\d|102[0-3])$/)
  for (let calls = 0; calls < 6; calls++) await forgot(world, 'nobody1@example.com')
  expect((await forgot(world, 'nobody1@example.com')).status).toBe(429)
  vi.setSystemTime(noon + 25 * hourMs)
  await world.runCron('17 * * * *')
  expect(await keysOf(world)).toEqual([])
})
