import { sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { dayMs } from '../../../src/shared/dates.ts'
import { noon, setClock } from '../fixtures/clock.ts'
import {
  type ApiResponse,
  createWorld,
  openAccount,
  type Person,
  pathOf,
  queuedMail,
  resetPassword,
  signInThroughProvider,
  verifyAddress,
  type World,
} from '../fixtures/world.ts'
import { openWorldDatabase } from '../laws/every-route.ts'

const browser = { Accept: 'text/html', 'Content-Type': 'application/x-www-form-urlencoded' }

const mailOf = (world: World, { email }: Person) => queuedMail(world, 'verify_address', email)
const linkOf = (world: World, person: Person) => pathOf(mailOf(world, person).disownUrl ?? '')
const press = (world: World, link: string) => world.call('POST', link, { rawBody: '', headers: browser })
const isThere = async (person: Person) => (await person.get('/api/me')).status === 200

function expectPage({ status, headers, text }: ApiResponse, expected: number, words: string): void {
  expect({ status, type: headers.get('Content-Type') }).toEqual({
    status: expected,
    type: expect.stringMatching(/^text\/html\b/),
  })
  expect(text).toContain(words)
  expect(text).toMatch(/<main>.*<\/main>/s)
}

function expectBadLink({ status, text }: ApiResponse): void {
  expect({ status, text }).toEqual({ status: 403, text: 'Invalid or expired verification link.' })
}

describe('the link "this was not me" of a verification email', () => {
  test('comes with the day of registering, even in an email that is requested later', async () => {
    setClock(noon)
    const world = createWorld()
    const person = await world.register()
    expect(mailOf(world, person).registeredAt).toBe('2026-11-20T12:00:00.000Z')
    vi.setSystemTime(noon + 5 * dayMs)
    await person.post('/api/email/verification-notification')
    const { registeredAt, disownUrl = '' } = mailOf(world, person)
    expect(registeredAt).toBe('2026-11-20T12:00:00.000Z')
    expect(new URL(disownUrl).searchParams.get('expires')).toBe(String((noon + 35 * dayMs) / 1000))
  })

  test('shows a page with a button on GET, and ends nothing: scanners follow links', async () => {
    const world = createWorld()
    const person = await world.register()
    const link = linkOf(world, person)
    expect((await world.call('HEAD', link)).status).toBe(200)
    const response = await world.call('GET', link)
    expectPage(response, 200, '<form method="post"><button>')
    expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
    expect(await isThere(person)).toBe(true)
  })

  test('deletes the account and all that it holds on the button of its page', async () => {
    const world = createWorld()
    const [person, other] = [await world.register(), await world.register()]
    await openAccount(person)
    expectPage(await press(world, linkOf(world, person)), 200, 'The account has been deleted.')
    expect(await isThere(person)).toBe(false)
    expect(await isThere(other)).toBe(true)
    await world.removeDeleted()
    const db = openWorldDatabase(world)
    for (const table of ['accounts', 'categories', 'tokens']) {
      const [rows] = await db.batch([
        db.all(sql`select 1 from ${sql.raw(table)} where user_id = ${person.id}`),
      ])
      expect(rows).toEqual([])
    }
    expect((await world.register({ email: person.email })).id).not.toBe(person.id)
  })

  test('responds with JSON to anything but a browser', async () => {
    const world = createWorld()
    const person = await world.register()
    const { status, body } = await world.call('POST', linkOf(world, person))
    expect({ status, body }).toEqual({ status: 200, body: { message: 'The account has been deleted.' } })
  })

  test.each(['GET', 'POST'])('belongs to no user once it has been used: %s is a 404', async (method) => {
    const world = createWorld()
    const person = await world.register()
    const link = linkOf(world, person)
    await press(world, link)
    expect((await world.call(method, link)).status).toBe(404)
  })

  test('ends every session on its button once the address is verified, and emails a reset link', async () => {
    const world = createWorld()
    const person = await world.register()
    const { email, password } = person
    const login = () => world.call('POST', '/api/login', { body: { email, password } })
    const show = (path: string, token: string) => world.call('GET', path, { token })
    const { access_token: other } = (await login()).body
    await openAccount(person)
    await verifyAddress(world, person)
    const link = linkOf(world, person)
    expectPage(await world.call('GET', link), 200, '<button>Sign everybody out')
    expect(await isThere(person)).toBe(true)
    expectPage(await press(world, link), 200, 'Everybody has been signed out.')
    expect([await isThere(person), (await show('/api/me', other)).status]).toEqual([false, 401])
    expect((await login()).status).toBe(422)

    const { searchParams } = new URL(queuedMail(world, 'reset_password', email).url)
    const own = { password: 'a password of my own', password_confirmation: 'a password of my own' }
    const reset = { email, token: searchParams.get('token'), ...own }
    expect((await world.call('POST', '/api/reset-password', { body: reset })).status).toBe(200)
    const { body } = await world.call('POST', '/api/login', { body: { email, password: own.password } })
    expect((await show('/api/accounts', body.access_token)).body).toHaveLength(1)
  })

  test('signs out a registrant who has changed the password meanwhile', async () => {
    const world = createWorld()
    const person = await world.register()
    await verifyAddress(world, person)
    const changed = { password: 'another password', password_confirmation: 'another password' }
    await person.put('/api/me/password', { current_password: person.password, ...changed })
    expect((await press(world, linkOf(world, person))).status).toBe(200)
    expect(await isThere(person)).toBe(false)
  })

  test('ends every session however often it is pressed, with an email within the limits', async () => {
    const world = createWorld()
    const person = await world.register()
    await verifyAddress(world, person)
    for (let i = 0; i < 10; i++) expect((await press(world, linkOf(world, person))).status).toBe(200)
    const mails = world.queued.filter(({ kind }) => kind === 'reset_password')
    expect(mails.length).toBeGreaterThan(1)
    expect(mails.length).toBeLessThan(10)
  })

  test.each<[string, (world: World, person: Person) => Promise<unknown>]>([
    ['the identity provider', (world, { email }) => signInThroughProvider(world, email)],
    ['a password that an email has proved', (world, person) => resetPassword(world, person, 'my own one')],
  ])('does nothing once the account is proved by %s, and says what to do', async (_, prove) => {
    const world = createWorld()
    const person = await world.register({ email: `${crypto.randomUUID()}@example.com` })
    const link = linkOf(world, person)
    await verifyAddress(world, person)
    await prove(world, person)
    const password = 'my own one'
    const login = () => world.call('POST', '/api/login', { body: { email: person.email, password } })
    const before = (await login()).status
    const shown = await world.call('GET', link)
    expectPage(shown, 200, 'The account is yours.')
    expect(shown.text).toContain('“Forgot password”')
    expect(shown.text).not.toContain('<button')
    expectPage(await press(world, link), 409, '“Forgot password”')
    const { status, body } = await world.call('POST', link)
    expect({ status, body }).toEqual({ status: 409, body: { message: 'The account is yours.' } })
    expect((await login()).status).toBe(before)
  })

  test('deletes or signs out, but not both, if the address is verified at the same time', async () => {
    const world = createWorld()
    for (let i = 0; i < 10; i++) {
      const person = await world.register()
      const [ended, verified] = await Promise.all([
        world.call('POST', linkOf(world, person)),
        verifyAddress(world, person),
      ])
      const deleted = { message: 'The account has been deleted.' }
      const signedOut = { message: 'Everybody has been signed out.' }
      expect([
        [deleted, 404],
        [signedOut, 302],
      ]).toContainEqual([ended.body, verified.status])
      expect(await isThere(person)).toBe(false)
    }
  })

  test('pressed twice at once deletes the account once, and never says that the address is verified', async () => {
    const world = createWorld()
    for (let i = 0; i < 5; i++) {
      const link = linkOf(world, await world.register())
      const responses = await Promise.all([press(world, link), press(world, link)])
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 404])
    }
  })

  test.each([
    ['29 days', 29, 200],
    ['31 days', 31, 403],
  ])('after %s responds as it must', async (_, days, expected) => {
    setClock(noon)
    const world = createWorld()
    const person = await world.register()
    vi.setSystemTime(noon + days * dayMs)
    for (const method of ['GET', 'POST']) {
      const response = await world.call(method, linkOf(world, person))
      expect(response.status).toBe(expected)
      if (expected === 403) expectBadLink(response)
    }
  })

  test('cannot be made from the link that verifies, nor from another user’s', async () => {
    const world = createWorld()
    const [ada, eve] = [await world.register(), await world.register()]
    const verifying = pathOf(mailOf(world, ada).url)
    const forged = [
      verifying.replace('/verify/', '/disown/'),
      linkOf(world, eve).replace(`/${eve.id}/`, `/${ada.id}/`),
      linkOf(world, ada).replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      linkOf(world, ada).replace(/\?.*/, ''),
    ]
    for (const link of forged) {
      expectBadLink(await world.call('GET', link))
      expectBadLink(await world.call('POST', link))
    }
    expectBadLink(await world.call('GET', linkOf(world, ada).replace('/disown/', '/verify/')))
    expect(await isThere(ada)).toBe(true)
  })
})
