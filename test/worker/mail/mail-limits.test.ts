import { sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { hourMs } from '../../../src/shared/dates.ts'
import { exactLimits } from '../../../src/shared/rate-limits.ts'
import { noon, setClock } from '../fixtures/clock.ts'
import {
  createWorld,
  type Person,
  queuedMail,
  randomClientAddress,
  signInThroughProvider,
  verifyAddress,
  type World,
} from '../fixtures/world.ts'
import { openWorldDatabase } from '../laws/every-route.ts'

const mailboxLimit = exactLimits.mailsToUnverified.max
const resetLimit = exactLimits.resetLinks.max
const clientLimit = exactLimits.mailsByClient.max

const elsewhere = () => ({ 'CF-Connecting-IP': randomClientAddress() })
const resend = (world: World, token: string) =>
  world.call('POST', '/api/email/verification-notification', { token, headers: elsewhere() })
const forgot = (world: World, email: string, headers: Record<string, string> = elsewhere()) =>
  world.call('POST', '/api/forgot-password', { body: { email }, headers })

async function logIn(world: World, { email, password }: Pick<Person, 'email' | 'password'>): Promise<string> {
  const response = await world.call('POST', '/api/login', { body: { email, password }, headers: elsewhere() })
  return response.body.access_token
}

/** The keys under which everything is counted, attempt by attempt. */
async function keysOf(world: World): Promise<string[]> {
  const db = openWorldDatabase(world)
  const [rows] = await db.batch([db.all<{ key: string }>(sql`select "key" from attempts order by rowid`)])
  return rows.map(({ key }) => key)
}

describe('a user who registers an address that is not theirs', () => {
  test('does not get it more emails by signing in again and again', async () => {
    const world = createWorld()
    const person = await world.register()
    const statuses: number[] = []
    for (let sessions = 0; sessions < 10; sessions++) {
      const token = await logIn(world, person)
      for (let calls = 0; calls < 7; calls++) statuses.push((await resend(world, token)).status)
    }
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
    for (let tag = 0; tag < 20; tag++) await world.register({ email: `victim+${tag}@example.com` })
    expect(world.queued).toHaveLength(mailboxLimit)
    const late = await resend(world, (await world.register({ email: 'victim+late@example.com' })).token)
    expect([late.status, late.headers.get('X-RateLimit-Limit')]).toEqual([429, String(mailboxLimit)])
  })

  test('does not get it more emails by forgetting its password, or by leaving and coming back', async () => {
    const world = createWorld()
    const email = 'victim@example.com'
    for (let rounds = 0; rounds < 12; rounds++) {
      const { token, password } = await world.register({ email })
      await forgot(world, email)
      await world.call('DELETE', '/api/me', { token, body: { password } })
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
    for (let tag = 0; tag < mailboxLimit; tag++) await world.register({ email: `victim+${tag}@example.com` })
    expect((await resend(world, token)).status).toBe(429)
    for (const email of [
      'victim@example.org',
      'victim2@example.com',
      'vic+tim@example.com',
      '+other@example.com',
    ])
      expect((await resend(world, (await world.register({ email })).token)).status).toBe(200)
  })
})

describe('the emails to an address that is not confirmed', () => {
  test('are counted exactly when 60 ask at once, with a token each, in two isolates', async () => {
    const world = createWorld()
    const other = createWorld({ TURSO_DATABASE_URL: world.databaseUrl })
    const person = await world.register()
    const tokens = await Promise.all(Array.from({ length: 60 }, () => logIn(world, person)))
    world.queued.length = 0
    const responses = await Promise.all(tokens.map((token, i) => resend(i % 2 ? world : other, token)))
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
    for (let sent = 1; sent < mailboxLimit - 3; sent++) await resend(world, await logIn(world, person))
    const { headers } = await resend(world, await logIn(world, person))
    expect([headers.get('X-RateLimit-Limit'), headers.get('X-RateLimit-Remaining')]).toEqual(['6', '2'])
  })
})

describe('the owner of a confirmed address', () => {
  test('gets reset links although another user has registered addresses like it, and used up their emails', async () => {
    const world = createWorld()
    const owner = await world.register({ email: 'ada@example.com' })
    await verifyAddress(world, owner)
    for (let tag = 0; tag < mailboxLimit; tag++) await world.register({ email: `ada+${tag}@example.com` })
    for (let calls = 0; calls < 6; calls++) expect((await forgot(world, owner.email)).status).toBe(200)
    expect((await forgot(world, 'ada+1@example.com')).status).toBe(429)
    expect((await resend(world, owner.token)).status).toBe(200)
  })

  test('has a reset link that works whenever another is refused', async () => {
    setClock(noon)
    const world = createWorld()
    const email = `${crypto.randomUUID()}@example.com`
    await signInThroughProvider(world, email)
    world.queued.length = 0
    let refusals = 0
    for (let minute = 0; minute < 70; minute++) {
      vi.setSystemTime(noon + minute * 61_000)
      const { status } = await forgot(world, email)
      if (status === 429) refusals += 1
      if (status === 429 && refusals === 1) expect(world.queued).toHaveLength(resetLimit)
    }
    expect(refusals).toBe(40)
    vi.setSystemTime(noon + 59 * 60_000)
    const token = new URL(queuedMail(world, 'reset_password', email).url).searchParams.get('token')
    const chosen = { password: 'a brand new one', password_confirmation: 'a brand new one' }
    expect(
      (await world.call('POST', '/api/reset-password', { body: { token, email, ...chosen } })).status,
    ).toBe(200)
  })
})

describe('one client address', () => {
  test('causes a limited number of emails an hour, whoever gets them, and may sign up any number of people', async () => {
    const world = createWorld({ GENERAL_LIMIT_ENABLED: 'true' })
    const headers = elsewhere()
    const password = 'correct horse battery'
    const register = (email: string) =>
      world.call('POST', '/api/register', {
        body: { name: 'Somebody', email, password, password_confirmation: password },
        headers,
      })
    const people = Array.from({ length: clientLimit - 2 }, (_, index) => `somebody${index}@example.com`)
    while (people.length > 0)
      for (const { status } of await Promise.all(people.splice(0, 10).map(register))) expect(status).toBe(201)
    expect((await forgot(world, 'somebody1@example.com', headers)).status).toBe(200)
    expect((await forgot(world, 'nobody@example.com', headers)).status).toBe(422)
    const last = await register('last@example.com')
    expect(world.queued).toHaveLength(clientLimit)
    const token = last.body.access_token
    const path = '/api/email/verification-notification'
    const refused = await world.call('POST', path, { token, headers })
    expect([refused.status, refused.headers.get('X-RateLimit-Limit')]).toEqual([429, String(clientLimit)])
    expect((await forgot(world, 'somebody2@example.com', headers)).status).toBe(429)
    expect((await register('one.more@example.com')).status).toBe(201)
    expect(world.queued).toHaveLength(clientLimit)
    // From another address it continues.
    expect((await world.call('POST', path, { token, headers: elsewhere() })).status).toBe(200)
  })
})

test('strangers cannot fill the table of counts: unknown addresses share a few slots, and are forgotten', async () => {
  setClock(noon)
  const world = createWorld()
  const keys = await keysOf(world)
  await Promise.all(Array.from({ length: 60 }, (_, index) => forgot(world, `nobody${index}@example.com`)))
  const added = (await keysOf(world)).slice(keys.length)
  expect(added.length).toBeGreaterThan(50)
  for (const key of added) expect(key).toMatch(/^nobody:(\d{1,2}|\d{3}|10[01]\d|102[0-3])$/)
  for (let calls = 0; calls < 6; calls++) await forgot(world, 'nobody1@example.com')
  expect((await forgot(world, 'nobody1@example.com')).status).toBe(429)
  vi.setSystemTime(noon + 25 * hourMs)
  await world.runCron('17 * * * *')
  expect(await keysOf(world)).toEqual([])
})
