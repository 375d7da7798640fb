import { sql } from 'drizzle-orm'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { noon, setClock } from '../fixtures/clock.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import {
  type ApiResponse,
  alterLast,
  aTimestamp,
  createWorld,
  logIn,
  type Person,
  pathOf,
  queuedMail,
  verifyAddress,
} from '../fixtures/world.ts'
import { askDatabase } from '../laws/every-route.ts'

const world = createWorld()
const toDashboard = 'https://app.purse.example/dashboard'

afterEach(() => {
  vi.restoreAllMocks()
})

const linkOf = ({ email }: Person) => new URL(queuedMail(world, 'verify_address', email).url)
const follow = (link: URL) => world.call('GET', pathOf(link.href))
const verifiedAt = async (person: Person) => (await person.get('/api/me')).body.email_verified_at
const resend = (person: Person) => person.post('/api/email/verification-notification')

function expectDashboard({ status, headers, text }: ApiResponse, verified: '1' | 'already'): void {
  expect([status, headers.get('Location'), text]).toEqual([302, `${toDashboard}?verified=${verified}`, ''])
}

function expectBadLink({ status, headers, text }: ApiResponse): void {
  expect([status, text]).toEqual([403, 'Invalid or expired verification link.'])
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
  test('is queued by registering: signed, for this user, for 60 minutes, without the address', async () => {
    setClock(noon)
    const person = await world.register({ email: 'secret.person@example.com' })
    const { href, origin, pathname, searchParams } = linkOf(person)
    expect(origin).toBe('http://purse.test')
    expect(pathname).toMatch(new RegExp(`^/api/email/verify/${person.id}/[0-9a-f]{40,}$`))
    expect([...searchParams.keys()]).toEqual(['expires', 'signature'])
    expect(searchParams.get('expires')).toBe(String(noon / 1000 + 3600))
    expect(searchParams.get('signature')).toMatch(/^[0-9a-f]{64}$/)
    expect(decodeURIComponent(href)).not.toContain('secret.person')
  })

  test('verifies without a token, and says already on the second click, which changes nothing', async () => {
    setClock(noon)
    const person = await world.register()
    vi.setSystemTime(noon + 5_000)
    expectDashboard(await verifyAddress(world, person), '1')
    vi.setSystemTime(noon + 60_000)
    expectDashboard(await verifyAddress(world, person), 'already')
    const verified = { email_verified: true, email_verified_at: '2026-11-20T12:00:05.000Z' }
    expect(await verifiedAt(person)).toBe(verified.email_verified_at)
    expect((await logIn(world, person)).body).toMatchObject(verified)
  })

  test('works beside an Authorization header that is no good, and query parameters that others have added', async () => {
    const path = `${pathOf(linkOf(await world.register()).href)}&utm_source=mail`
    const headers = { Authorization: 'Bearer 1|nonsense' }
    expectDashboard(await world.call('GET', path, { headers }), '1')
  })

  test('is still valid next to a newer one', async () => {
    const person = await world.register()
    const older = linkOf(person)
    await resend(person)
    expectDashboard(await follow(older), '1')
    expectDashboard(await verifyAddress(world, person), 'already')
  })

  test.each([
    ['59 minutes and 59 seconds', 3_599_000, true],
    ['60 minutes and 1 second', 3_601_000, false],
    ['a year', 365 * 86_400_000, false],
  ])('after %s responds as it must, to a user who is verified as well', async (_, later, isGood) => {
    setClock(noon)
    const [person, verified] = [await world.register(), await world.register()]
    await verifyAddress(world, verified)
    vi.setSystemTime(noon + later)
    const responses = [await verifyAddress(world, person), await verifyAddress(world, verified)] as const
    if (!isGood) return responses.forEach(expectBadLink)
    expectDashboard(responses[0], '1')
    expectDashboard(responses[1], 'already')
  })

  const parameter = (name: string, change: (value: string) => string) => (link: URL) =>
    link.searchParams.set(name, change(link.searchParams.get(name) ?? ''))
  test.each<[string, (link: URL) => void]>([
    ['another signature', parameter('signature', alterLast)],
    ['a signature of zeros', parameter('signature', () => '0'.repeat(64))],
    ['half a signature', parameter('signature', (text) => text.slice(0, 32))],
    ['an empty signature', parameter('signature', () => '')],
    ['no signature', ({ searchParams }) => searchParams.delete('signature')],
    ['a signature that is no hex', parameter('signature', () => 'é🔑')],
    ['a later expiry', parameter('expires', (seconds) => String(Number(seconds) + 1))],
    ['an expiry written in another way', parameter('expires', (seconds) => `0${seconds}`)],
    ['an expiry of Infinity', parameter('expires', () => 'Infinity')],
    ['no expiry', ({ searchParams }) => searchParams.delete('expires')],
    ['another hash', (link) => Object.assign(link, { pathname: alterLast(link.pathname) })],
    ['no query at all', (link) => Object.assign(link, { search: '' })],
  ])('with %s is refused', async (_, alter) => {
    const person = await world.register()
    const link = linkOf(person)
    alter(link)
    expectBadLink(await follow(link))
    expect(await verifiedAt(person)).toBeNull()
  })

  test('does not work for another user, whichever of its parts are swapped', async () => {
    const [ada, eve] = [await world.register(), await world.register()]
    const [adas, eves] = [linkOf(ada), linkOf(eve)]
    const [adasHash, evesHash] = [adas.pathname.split('/').at(-1), eves.pathname.split('/').at(-1)]
    expectBadLink(await world.call('GET', `/api/email/verify/${ada.id}/${evesHash}${eves.search}`))
    expectBadLink(await world.call('GET', `/api/email/verify/${ada.id}/${adasHash}${eves.search}`))
    expectBadLink(await world.call('GET', `/api/email/verify/${eve.id}/${adasHash}${adas.search}`))
    expect([await verifiedAt(ada), await verifiedAt(eve)]).toEqual([null, null])
  })

  test('is void once the user has another address', async () => {
    const person = await world.register()
    await askDatabase(world, sql`update users set email = 'new@example.com' where id = ${person.id}`)
    expectBadLink(await verifyAddress(world, person))
    expect(await verifiedAt(person)).toBeNull()
  })

  test('is refused by a service with another secret', async () => {
    const APP_SECRET = 'another secret of the tests, as long as it must be'
    const other = createWorld({ APP_SECRET, TURSO_DATABASE_URL: world.databaseUrl })
    expectBadLink(await other.call('GET', pathOf(linkOf(await world.register()).href)))
  })

  test('has no signature that the link of reminders could use', async () => {
    const person = await world.register()
    await verifyAddress(world, person)
    const signature = linkOf(person).searchParams.get('signature')
    const path = `/api/reminders/unsubscribe/${person.id}/${signature}`
    expect((await world.call('POST', path)).status).toBe(403)
  })

  test.each(['999999', '0', '-1', 'abc', '1.5', '1e0', '99999999999999999999', '%00', '１'])(
    'for a user %s, who is not there, is 404 in plain text',
    async (id) => {
      const { pathname, search } = linkOf(await world.register())
      const path = `/api/email/verify/${id}/${pathname.split('/').at(-1)}${search}`
      const { status, headers, text } = await world.call('GET', path)
      expect([status, headers.get('Content-Type')]).toEqual([404, expect.stringMatching(/^text\/plain\b/)])
      expect(text).toMatch(/^[^{[]+$/)
    },
  )

  test('for a user who has left is 404', async () => {
    const person = await world.register()
    await person.delete('/api/me', { password: person.password })
    expect((await verifyAddress(world, person)).status).toBe(404)
  })

  test('never says “already” to a user who leaves at that moment', async () => {
    for (let i = 0; i < 20; i++) {
      const person = await world.register()
      const leaving = person.delete('/api/me', { password: person.password })
      // One more round trip: the click is checked before the user is deleted, and carried out after that.
      if (i % 2 === 0) await world.call('GET', '/api/health')
      const { status, headers } = await verifyAddress(world, person)
      expect([302, 404]).toContain(status)
      expect(headers.get('Location')).not.toBe(`${toDashboard}?verified=already`)
      expect((await leaving).status).toBe(204)
    }
  })
})

describe('the Verified event', () => {
  test('is fired exactly once under 20 clicks at the same time', async () => {
    const person = await world.register()
    let responses: ApiResponse[] = []
    const events = await verifiedEventsOf(async () => {
      responses = await Promise.all(Array.from({ length: 20 }, () => verifyAddress(world, person)))
    })
    expect(events).toEqual([expect.objectContaining({ event: 'Verified', userId: person.id })])
    const [first, ...others] = responses.map(({ headers }) => headers.get('Location')).sort()
    expect(first).toBe(`${toDashboard}?verified=1`)
    expect(others).toEqual(Array(19).fill(`${toDashboard}?verified=already`))
  })

  test('is not fired by a later click, nor by a link that is wrong', async () => {
    const [ada, eve] = [await world.register(), await world.register()]
    await verifyAddress(world, ada)
    const events = await verifiedEventsOf(async () => {
      await verifyAddress(world, ada)
      await world.call('GET', `${pathOf(linkOf(eve).href)}0`)
    })
    expect(events).toEqual([])
  })
})

// Its limits: ../mail/mail-limits.test.ts
describe('requesting another verification email', () => {
  test('queues one for the user who requests it', async () => {
    const person = await world.register()
    world.queued.length = 0
    const { status, body } = await resend(person)
    const message = 'Verification email queued.'
    expect([status, body]).toEqual([
      200,
      { message, email_verified: false, verification_sent_at: aTimestamp },
    ])
    expect(world.queued).toMatchObject([{ kind: 'verify_address', to: person.email }])
    expectDashboard(await verifyAddress(world, person), '1')
  })

  test('queues none once the address is verified', async () => {
    const person = await world.register()
    await verifyAddress(world, person)
    world.queued.length = 0
    const { status, body } = await resend(person)
    expect([status, body]).toEqual([200, { message: 'Email already verified.', email_verified: true }])
    expect(world.queued).toEqual([])
  })

  test('is counted for each token by itself', async () => {
    const person = await world.register()
    const { body } = await logIn(world, person)
    for (let i = 0; i < 6; i++) await resend(person)
    expect((await resend(person)).status).toBe(429)
    const second = await world.as(body.access_token).post('/api/email/verification-notification')
    expect([second.status, second.headers.get('X-RateLimit-Remaining')]).toEqual([200, '5'])
  })

  test('is counted over the last sixty seconds, not over a minute of the clock', async () => {
    setClock(noon + 55_000)
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
  const person = await world.register({ email: 'Ada@Example.com' })
  const email = 'ada@example.com'
  const statusOf = async () => (await person.get('/api/email/verification-status')).body
  expect(await statusOf()).toEqual({ email_verified: false, email })
  await verifyAddress(world, { email })
  expect(await statusOf()).toEqual({ email_verified: true, email })
})

test('a link that does not work shows a browser a page that leads to a new one, and everybody else the text', async () => {
  const person = await world.register()
  const link = pathOf(alterLast(linkOf(person).href))
  const browser = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }
  const page = await world.call('GET', link, browser)
  expect(page.status).toBe(403)
  expect(page.headers.get('Content-Type')).toMatch(/^text\/html\b/)
  expect(page.text).toContain('This link does not work.')
  expect(page.text).toContain(`href="${toDashboard}"`)
  for (const Accept of ['*/*', 'application/json', 'text/plain', ''])
    expectBadLink(await world.call('GET', link, { headers: { Accept } }))
  const nobody = await world.call('GET', link.replace(/verify\/\d+/, 'verify/999999'), browser)
  expect([nobody.status, nobody.text]).toEqual([
    404,
    expect.stringContaining('This account no longer exists.'),
  ])
})
