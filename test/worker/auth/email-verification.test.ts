import { sql } from 'drizzle-orm'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { noon, setClock } from '../fixtures/clock.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import {
  type ApiResponse,
  aTimestamp,
  createWorld,
  type Person,
  pathOf,
  queuedMail,
  verifyAddress,
  type World,
} from '../fixtures/world.ts'
import { askDatabase } from '../laws/every-route.ts'

const badLink = 'Invalid or expired verification link.'
const toDashboard = 'https://app.purse.example/dashboard'

afterEach(() => {
  vi.restoreAllMocks()
})

const linkOf = (world: World, { email }: Person) => new URL(queuedMail(world, 'verify_address', email).url)
const isVerified = async (person: Person) =>
  (await person.get('/api/email/verification-status')).body.email_verified

function expectBadLink({ status, headers, text }: ApiResponse): void {
  expect({ status, text }).toEqual({ status: 403, text: badLink })
  expect(headers.get('Content-Type')).toMatch(/^text\/plain\b/)
  expect(headers.get('Location')).toBeNull()
}

/** The Verified events that a piece of work has logged. */
async function verifiedEventsOf(work: () => Promise<unknown>): Promise<unknown[]> {
  const lines = muteLog(['log'])
  await work()
  return lines.filter((line) => line.includes('Verified')).map((line) => JSON.parse(line))
}

describe('the link of a verification email', () => {
  test('is queued by registering: signed, for this user, for 60 minutes', async () => {
    setClock(noon)
    const world = createWorld()
    const person = await world.register()
    expect(world.queued).toHaveLength(1)
    const { origin, pathname, searchParams } = linkOf(world, person)
    expect(origin).toBe('http://purse.test')
    expect(pathname).toMatch(new RegExp(`^/api/email/verify/${person.id}/[0-9a-f]{40,}$`))
    expect([...searchParams.keys()]).toEqual(['expires', 'signature'])
    expect(searchParams.get('expires')).toBe(String(noon / 1000 + 3600))
    expect(searchParams.get('signature')).toMatch(/^[0-9a-f]{64}$/)
  })

  test('does not show the address', async () => {
    const world = createWorld()
    const person = await world.register({ email: 'secret.person@example.com' })
    expect(decodeURIComponent(linkOf(world, person).href)).not.toContain('secret.person')
  })

  test('verifies without a token, and leads to the dashboard with an empty body', async () => {
    setClock(noon)
    const world = createWorld()
    const person = await world.register()
    vi.setSystemTime(noon + 5_000)
    const { status, headers, text } = await verifyAddress(world, person)
    expect({ status, location: headers.get('Location'), text }).toEqual({
      status: 302,
      location: `${toDashboard}?verified=1`,
      text: '',
    })
    expect((await person.get('/api/me')).body.email_verified_at).toBe('2026-11-20T12:00:05.000Z')
    const { email, password } = person
    const login = await world.call('POST', '/api/login', { body: { email, password } })
    expect(login.body).toMatchObject({ email_verified: true, email_verified_at: '2026-11-20T12:00:05.000Z' })
  })

  test('says already on the second click, and keeps the time of the first', async () => {
    setClock(noon)
    const world = createWorld()
    const person = await world.register()
    await verifyAddress(world, person)
    vi.setSystemTime(noon + 60_000)
    const { status, headers } = await verifyAddress(world, person)
    expect([status, headers.get('Location')]).toEqual([302, `${toDashboard}?verified=already`])
    expect((await person.get('/api/me')).body.email_verified_at).toBe('2026-11-20T12:00:00.000Z')
  })

  test('works beside an Authorization header that is no good, and query parameters that others have added', async () => {
    const world = createWorld()
    const person = await world.register()
    const path = `${pathOf(linkOf(world, person).href)}&utm_source=mail`
    const response = await world.call('GET', path, { headers: { Authorization: 'Bearer 1|nonsense' } })
    expect([response.status, response.headers.get('Location')]).toEqual([302, `${toDashboard}?verified=1`])
  })

  test('is still valid next to a newer one', async () => {
    const world = createWorld()
    const person = await world.register()
    const older = linkOf(world, person)
    await person.post('/api/email/verification-notification')
    expect((await world.call('GET', pathOf(older.href))).headers.get('Location')).toBe(
      `${toDashboard}?verified=1`,
    )
    expect((await verifyAddress(world, person)).headers.get('Location')).toBe(
      `${toDashboard}?verified=already`,
    )
  })

  test.each([
    ['59 minutes and 59 seconds', 3_599_000, 302],
    ['60 minutes and 1 second', 3_601_000, 403],
    ['a year', 365 * 86_400_000, 403],
  ])('after %s responds as it must', async (_, later, expected) => {
    setClock(noon)
    const world = createWorld()
    const person = await world.register()
    vi.setSystemTime(noon + later)
    const response = await verifyAddress(world, person)
    expect(response.status).toBe(expected)
    if (expected === 403) expectBadLink(response)
  })

  test('that has expired is 403 also for a user who is verified already', async () => {
    setClock(noon)
    const world = createWorld()
    const person = await world.register()
    await verifyAddress(world, person)
    vi.setSystemTime(noon + 3_601_000)
    expectBadLink(await verifyAddress(world, person))
  })

  const flipLast = (hex: string) => hex.slice(0, -1) + (hex.endsWith('0') ? '1' : '0')
  test.each<[string, (link: URL) => void]>([
    [
      'another signature',
      (l) => l.searchParams.set('signature', flipLast(l.searchParams.get('signature') ?? '')),
    ],
    ['a signature of zeros', (l) => l.searchParams.set('signature', '0'.repeat(64))],
    [
      'half a signature',
      (l) => l.searchParams.set('signature', l.searchParams.get('signature')?.slice(0, 32) ?? ''),
    ],
    ['an empty signature', (l) => l.searchParams.set('signature', '')],
    ['no signature', (l) => l.searchParams.delete('signature')],
    ['a signature that is no hex', (l) => l.searchParams.set('signature', 'é🔑')],
    [
      'a later expiry',
      (l) => l.searchParams.set('expires', String(Number(l.searchParams.get('expires')) + 1)),
    ],
    [
      'an expiry written in another way',
      (l) => l.searchParams.set('expires', `0${l.searchParams.get('expires')}`),
    ],
    ['an expiry of Infinity', (l) => l.searchParams.set('expires', 'Infinity')],
    ['no expiry', (l) => l.searchParams.delete('expires')],
    [
      'another hash',
      (l) => {
        l.pathname = flipLast(l.pathname)
      },
    ],
    [
      'no query at all',
      (l) => {
        l.search = ''
      },
    ],
  ])('with %s is refused', async (_, alter) => {
    const world = createWorld()
    const person = await world.register()
    const link = linkOf(world, person)
    alter(link)
    expectBadLink(await world.call('GET', pathOf(link.href)))
    expect(await isVerified(person)).toBe(false)
  })

  test('does not work for another user, whichever of its parts are swapped', async () => {
    const world = createWorld()
    const [ada, eve] = [await world.register(), await world.register()]
    const [adas, eves] = [linkOf(world, ada), linkOf(world, eve)]
    const [adasHash, evesHash] = [adas.pathname.split('/').at(-1), eves.pathname.split('/').at(-1)]
    expectBadLink(await world.call('GET', `/api/email/verify/${ada.id}/${evesHash}${eves.search}`))
    expectBadLink(await world.call('GET', `/api/email/verify/${ada.id}/${adasHash}${eves.search}`))
    expectBadLink(await world.call('GET', `/api/email/verify/${eve.id}/${adasHash}${adas.search}`))
    expect([await isVerified(ada), await isVerified(eve)]).toEqual([false, false])
  })

  test('is void once the user has another address', async () => {
    const world = createWorld()
    const person = await world.register()
    await askDatabase(world, sql`update users set email = 'new@example.com' where id = ${person.id}`)
    expectBadLink(await verifyAddress(world, person))
    expect(await isVerified(person)).toBe(false)
  })

  test('is refused by a service with another secret', async () => {
    const world = createWorld()
    const person = await world.register()
    const other = createWorld({
      TURSO_DATABASE_URL: world.databaseUrl,
      APP_SECRET: 'another secret of the tests, as long as it must be',
    })
    expectBadLink(await other.call('GET', pathOf(linkOf(world, person).href)))
  })

  test('of reminders has no signature that a verification link could use', async () => {
    const world = createWorld()
    const person = await world.register()
    await verifyAddress(world, person)
    const link = linkOf(world, person)
    const path = `/api/reminders/unsubscribe/${person.id}/${link.searchParams.get('signature')}`
    expect((await world.call('POST', path)).status).toBe(403)
  })

  test.each(['999999', '0', '-1', 'abc', '1.5', '1e0', '99999999999999999999', '%00', '１'])(
    'for a user %s, who is not there, is 404 in plain text',
    async (id) => {
      const world = createWorld()
      const person = await world.register()
      const link = linkOf(world, person)
      const hash = link.pathname.split('/').at(-1)
      const { status, headers, text } = await world.call(
        'GET',
        `/api/email/verify/${id}/${hash}${link.search}`,
      )
      expect(status).toBe(404)
      expect(headers.get('Content-Type')).toMatch(/^text\/plain\b/)
      expect(text).not.toMatch(/^\s*[{[]/)
      expect(text.length).toBeGreaterThan(0)
    },
  )

  test('for a user who has left is 404', async () => {
    const world = createWorld()
    const person = await world.register()
    await person.delete('/api/me', { password: person.password })
    expect((await verifyAddress(world, person)).status).toBe(404)
  })

  test('never says “already” to a user who leaves at that moment', async () => {
    const world = createWorld()
    const locations = []
    for (let i = 0; i < 20; i++) {
      const person = await world.register()
      const leaving = person.delete('/api/me', { password: person.password })
      // One more round trip: the click is checked before the user is deleted, and carried out after that.
      if (i % 2 === 0) await world.call('GET', '/api/health')
      const click = await verifyAddress(world, person)
      expect([302, 404]).toContain(click.status)
      locations.push(click.headers.get('Location'))
      expect((await leaving).status).toBe(204)
    }
    expect(locations).not.toContain(`${toDashboard}?verified=already`)
  })
})

describe('the Verified event', () => {
  test('is fired exactly once under 20 clicks at the same time', async () => {
    const world = createWorld()
    const person = await world.register()
    const responses: ApiResponse[] = []
    const events = await verifiedEventsOf(async () => {
      const clicks = Array.from({ length: 20 }, () => verifyAddress(world, person))
      responses.push(...(await Promise.all(clicks)))
    })
    expect(events).toEqual([expect.objectContaining({ event: 'Verified', userId: person.id })])
    const locations = responses.map(({ headers }) => headers.get('Location')).sort()
    expect(locations).toEqual([
      `${toDashboard}?verified=1`,
      ...Array.from({ length: 19 }, () => `${toDashboard}?verified=already`),
    ])
  })

  test('is not fired by a later click, nor by a link that is wrong', async () => {
    const world = createWorld()
    const [ada, eve] = [await world.register(), await world.register()]
    await verifyAddress(world, ada)
    const events = await verifiedEventsOf(async () => {
      await verifyAddress(world, ada)
      await world.call('GET', `${pathOf(linkOf(world, eve).href)}0`)
    })
    expect(events).toEqual([])
  })
})

describe('asking for another verification email', () => {
  const resend = (person: Person) => person.post('/api/email/verification-notification')

  test('queues one for the user who asks', async () => {
    const world = createWorld()
    const person = await world.register()
    world.queued.length = 0
    const { status, body } = await resend(person)
    expect(status).toBe(200)
    expect(body).toEqual({
      message: 'Verification email queued.',
      email_verified: false,
      verification_sent_at: aTimestamp,
    })
    expect(world.queued.map(({ kind, to }) => ({ kind, to }))).toEqual([
      { kind: 'verify_address', to: person.email },
    ])
    expect((await verifyAddress(world, person)).headers.get('Location')).toBe(`${toDashboard}?verified=1`)
  })

  test('queues none once the address is verified', async () => {
    const world = createWorld()
    const person = await world.register()
    await verifyAddress(world, person)
    world.queued.length = 0
    const { status, body } = await resend(person)
    expect(status).toBe(200)
    expect(body).toEqual({ message: 'Email already verified.', email_verified: true })
    expect(world.queued).toEqual([])
  })

  test('is allowed six times a minute, and the seventh is 429', async () => {
    setClock(noon)
    const world = createWorld()
    const person = await world.register()
    for (const remaining of ['5', '4', '3', '2', '1', '0']) {
      const { status, headers } = await resend(person)
      expect(status).toBe(200)
      expect(headers.get('X-RateLimit-Limit')).toBe('6')
      expect(headers.get('X-RateLimit-Remaining')).toBe(remaining)
    }
    const { status, headers, body } = await resend(person)
    expect(status).toBe(429)
    expect(body).toEqual({ message: 'Too Many Attempts.' })
    expect(headers.get('Retry-After')).toBe('60')
    expect(headers.get('X-RateLimit-Limit')).toBe('6')
    expect(headers.get('X-RateLimit-Remaining')).toBe('0')
    // One for registering, six for these.
    expect(world.queued).toHaveLength(7)
  })

  test('is counted exactly when 20 ask at once, in two isolates', async () => {
    const world = createWorld()
    const elsewhere = createWorld({ TURSO_DATABASE_URL: world.databaseUrl })
    const { token } = await world.register()
    world.queued.length = 0
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? world : elsewhere).call('POST', '/api/email/verification-notification', { token }),
      ),
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(6)
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(14)
    expect(world.queued.length + elsewhere.queued.length).toBe(6)
  })

  test('is counted for each token by itself', async () => {
    const world = createWorld()
    const [person, other] = [await world.register(), await world.register()]
    const { email, password } = person
    const { body } = await world.call('POST', '/api/login', { body: { email, password } })
    for (let i = 0; i < 6; i++) await resend(person)
    expect((await resend(person)).status).toBe(429)
    const path = '/api/email/verification-notification'
    const second = await world.call('POST', path, { token: body.access_token })
    expect([second.status, second.headers.get('X-RateLimit-Remaining')]).toEqual([200, '5'])
    expect((await resend(other)).status).toBe(200)
  })

  test('is counted over the last sixty seconds, not over a minute of the clock', async () => {
    setClock(noon + 55_000)
    const world = createWorld()
    const person = await world.register()
    for (let i = 0; i < 3; i++) await resend(person)
    vi.setSystemTime(noon + 85_000)
    for (let i = 0; i < 3; i++) await resend(person)
    vi.setSystemTime(noon + 114_500)
    const early = await resend(person)
    expect([early.status, early.headers.get('Retry-After')]).toEqual([429, '1'])
    vi.setSystemTime(noon + 115_500)
    for (let i = 0; i < 3; i++) expect((await resend(person)).status).toBe(200)
    const refused = await resend(person)
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '30'])
  })

  test('that is refused does not count: who waits as long as told to may go on', async () => {
    setClock(noon)
    const world = createWorld()
    const person = await world.register()
    for (let i = 0; i < 6; i++) await resend(person)
    vi.setSystemTime(noon + 20_000)
    let refused = await resend(person)
    for (let i = 0; i < 5; i++) refused = await resend(person)
    vi.setSystemTime(noon + 20_000 + Number(refused.headers.get('Retry-After')) * 1000)
    expect((await resend(person)).status).toBe(200)
  })
})

test('the verification status shows the address and whether it is verified', async () => {
  const world = createWorld()
  const person = await world.register({ email: 'Ada@Example.com' })
  const before = await person.get('/api/email/verification-status')
  expect([before.status, before.body]).toEqual([200, { email_verified: false, email: 'ada@example.com' }])
  await verifyAddress(world, { email: 'ada@example.com' })
  const { body } = await person.get('/api/email/verification-status')
  expect(body).toEqual({ email_verified: true, email: 'ada@example.com' })
})
