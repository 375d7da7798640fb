import { sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { dayMs } from '../../../src/domain/dates.ts'
import { noon, setClock } from '../fixtures/clock.ts'
import {
  type ApiResponse,
  alterLast,
  createWorld,
  logIn,
  newPassword,
  openAccount,
  type Person,
  pathOf,
  pressButton,
  queuedMail,
  registerVerified,
  resetPassword,
  resetTokenOf,
  signInThroughProvider,
  statusWith,
  verifyAddress,
} from '../fixtures/world.ts'
import { askDatabase } from '../laws/every-route.ts'

const world = createWorld()
const deleted = { message: 'The account has been deleted.' }

const mailOf = ({ email }: Person) => queuedMail(world, 'verify_address', email)
const linkOf = (person: Person) => pathOf(mailOf(person).disownUrl ?? '')
const press = (person: Person) => pressButton(world, linkOf(person))
const show = (person: Person) => world.call('GET', linkOf(person))
const isThere = async (person: Person) => (await person.get('/api/me')).status === 200

function expectPage({ status, headers, text }: ApiResponse, expected: number, words: string): void {
  expect([status, headers.get('Content-Type')]).toEqual([expected, expect.stringMatching(/^text\/html\b/)])
  expect(text).toContain(words)
  expect(text).toMatch(/<main>.*<\/main>/s)
}

function expectBadLink({ status, text }: ApiResponse): void {
  expect([status, text]).toEqual([403, 'Invalid or expired verification link.'])
}

describe('the link "this was not me" of a verification email', () => {
  test('comes with the day of registering, even in an email that is requested later', async () => {
    setClock(noon)
    const person = await world.register()
    expect(mailOf(person).registeredAt).toBe('2026-11-20T12:00:00.000Z')
    vi.setSystemTime(noon + 5 * dayMs)
    await person.post('/api/email/verification-notification')
    const { registeredAt, disownUrl = '' } = mailOf(person)
    expect(registeredAt).toBe('2026-11-20T12:00:00.000Z')
    expect(new URL(disownUrl).searchParams.get('expires')).toBe(String((noon + 35 * dayMs) / 1000))
  })

  test('shows a page with a button on GET, and ends nothing: scanners follow links', async () => {
    const person = await world.register()
    expect((await world.call('HEAD', linkOf(person))).status).toBe(200)
    const response = await show(person)
    expectPage(response, 200, '<form method="post"><button>')
    expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
    expect(await isThere(person)).toBe(true)
  })

  test('deletes the account and all that it holds on the button of its page, and belongs to no user then', async () => {
    const [person, other] = [await world.register(), await world.register()]
    await openAccount(person)
    expectPage(await press(person), 200, deleted.message)
    expect([await isThere(person), await isThere(other)]).toEqual([false, true])
    for (const method of ['GET', 'POST']) expect((await world.call(method, linkOf(person))).status).toBe(404)
    await world.removeDeleted()
    for (const table of ['accounts', 'categories', 'tokens'])
      expect(
        await askDatabase(world, sql`select 1 from ${sql.raw(table)} where user_id = ${person.id}`),
      ).toEqual([])
    expect((await world.register({ email: person.email })).id).not.toBe(person.id)
  })

  test('responds with JSON to anything but a browser', async () => {
    const { status, body } = await world.call('POST', linkOf(await world.register()))
    expect([status, body]).toEqual([200, deleted])
  })

  test('ends every session on its button once the address is verified, and emails a reset link', async () => {
    const person = await registerVerified(world)
    const { email } = person
    const { access_token: other } = (await logIn(world, person)).body
    await openAccount(person)
    expectPage(await show(person), 200, '<button>Sign everybody out')
    expect(await isThere(person)).toBe(true)
    expectPage(await press(person), 200, 'Everybody has been signed out.')
    expect([await isThere(person), await statusWith(world, other)]).toEqual([false, 401])
    expect((await logIn(world, person)).status).toBe(422)

    const reset = { email, token: resetTokenOf(world, person), ...newPassword() }
    expect((await world.call('POST', '/api/reset-password', { body: reset })).status).toBe(200)
    const { body } = await logIn(world, reset)
    expect((await world.as(body.access_token).get('/api/accounts')).body).toHaveLength(1)
  })

  test('signs out a registrant who has changed the password meanwhile', async () => {
    const person = await registerVerified(world)
    await person.put('/api/me/password', { current_password: person.password, ...newPassword() })
    expect((await press(person)).status).toBe(200)
    expect(await isThere(person)).toBe(false)
  })

  test('ends every session however often it is pressed, with an email within the limits', async () => {
    const person = await registerVerified(world)
    for (let i = 0; i < 10; i++) expect((await press(person)).status).toBe(200)
    const mails = world.queued.filter(({ kind, to }) => kind === 'reset_password' && to === person.email)
    expect(mails.length).toBeGreaterThan(1)
    expect(mails.length).toBeLessThan(10)
  })

  test.each<[string, (person: Person) => Promise<unknown>]>([
    ['the identity provider', ({ email }) => signInThroughProvider(world, email)],
    ['a password that an email has proved', (person) => resetPassword(world, person, 'my own one')],
  ])('does nothing once the account is proved by %s, and says what to do', async (_, prove) => {
    const person = await registerVerified(world)
    const link = linkOf(person)
    await prove(person)
    const login = () => logIn(world, { email: person.email, password: 'my own one' })
    const before = (await login()).status
    const shown = await world.call('GET', link)
    expectPage(shown, 200, 'The account is yours.')
    expect(shown.text).toContain('“Forgot password”')
    expect(shown.text).not.toContain('<button')
    expectPage(await pressButton(world, link), 409, '“Forgot password”')
    const { status, body } = await world.call('POST', link)
    expect([status, body]).toEqual([409, { message: 'The account is yours.' }])
    expect((await login()).status).toBe(before)
  })

  test('deletes or signs out, but not both, if the address is verified at the same time', async () => {
    for (let i = 0; i < 10; i++) {
      const person = await world.register()
      const [ended, verified] = await Promise.all([
        world.call('POST', linkOf(person)),
        verifyAddress(world, person),
      ])
      expect([
        [deleted, 404],
        [{ message: 'Everybody has been signed out.' }, 302],
      ]).toContainEqual([ended.body, verified.status])
      expect(await isThere(person)).toBe(false)
    }
  })

  test('pressed twice at once deletes the account once, and never says that the address is verified', async () => {
    for (let i = 0; i < 5; i++) {
      const person = await world.register()
      const responses = await Promise.all([press(person), press(person)])
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 404])
    }
  })

  test('is valid for thirty days', async () => {
    setClock(noon)
    const person = await world.register()
    vi.setSystemTime(noon + 31 * dayMs)
    for (const method of ['GET', 'POST']) expectBadLink(await world.call(method, linkOf(person)))
    vi.setSystemTime(noon + 29 * dayMs)
    for (const method of ['GET', 'POST']) expect((await world.call(method, linkOf(person))).status).toBe(200)
  })

  test('cannot be made from the link that verifies, nor from another user’s', async () => {
    const [ada, eve] = [await world.register(), await world.register()]
    for (const link of [
      pathOf(mailOf(ada).url).replace('/verify/', '/disown/'),
      linkOf(eve).replace(`/${eve.id}/`, `/${ada.id}/`),
      alterLast(linkOf(ada)),
      linkOf(ada).replace(/\?.*/, ''),
    ])
      for (const method of ['GET', 'POST']) expectBadLink(await world.call(method, link))
    expectBadLink(await world.call('GET', linkOf(ada).replace('/disown/', '/verify/')))
    expect(await isThere(ada)).toBe(true)
  })
})
