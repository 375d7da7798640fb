import { type SQL, sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { dayMs, hourMs, minuteMs } from '../../../src/domain/dates.ts'
import { noon, setClock } from '../fixtures/clock.ts'
import {
  type ApiResponse,
  alterLast,
  anAddress,
  changeAddress,
  createWorld,
  expectInvalid,
  type Json,
  logIn,
  newPassword,
  type Person,
  pathOf,
  pressButton,
  providerCallback,
  queuedMail,
  registerVerified,
  requestReset,
  resetPassword,
  resetTokenOf,
  signInThroughProvider,
} from '../fixtures/world.ts'
import { askDatabase } from '../laws/every-route.ts'

const world = createWorld()
const taken = { email: ['The email has already been taken.'] }
const badLink = { status: 403, text: 'Invalid or expired verification link.' }
const own = 'This is the address of your account.'

const request = ({ put, password }: Person, email: string) =>
  put('/api/me/email', { email, current_password: password })
const changePath = (email: string) => pathOf(queuedMail(world, 'change_address', email).url)
const approvePath = (email: string) => pathOf(queuedMail(world, 'approve_address', email).url)
const changedMail = (email: string) => queuedMail(world, 'address_changed', email)
const restorePath = (email: string) => pathOf(changedMail(email).restoreUrl ?? '')
const kindsTo = (email: string) => world.queued.filter(({ to }) => to === email).map(({ kind }) => kind)
const press = (path: string) => world.call('POST', path)
const pressTimes = async (times: number, path: string) =>
  (await Promise.all(Array.from({ length: times }, () => press(path)))).map(({ status }) => status)
const show = (path: string, method = 'GET') => world.call(method, path)
const outcomeOf = ({ status, body, text }: ApiResponse) => ({ status, text: body?.message ?? text })
const addressOf = async ({ get }: Pick<Person, 'get'>) => (await get('/api/me')).body.email
const login = async (email: string, password: string) => (await logIn(world, { email, password })).status
const register = (email: string) =>
  world.call('POST', '/api/register', { body: { name: 'New', email, ...newPassword() } })
const rowsOf = (rows: SQL, { id }: { id: number }) =>
  askDatabase(world, sql`select 1 from ${rows} where user_id = ${id}`)

/** A user who has requested another address. */
async function requested() {
  const [person, email] = [await registerVerified(world), anAddress()]
  await request(person, email)
  return { person, email, path: changePath(email) }
}

describe('a change of the address', () => {
  test('takes effect on the button behind the link in the email to the new one, and not before', async () => {
    const [person, email] = [await world.register(), anAddress()]
    const response = await request(person, email.toUpperCase())
    expect(outcomeOf(response)).toEqual({ status: 200, text: `We have emailed a link to ${email}.` })
    const path = changePath(email)
    for (const method of ['HEAD', 'GET']) expect((await show(path, method)).status).toBe(200)
    expect((await show(path)).text).toContain('<button>Use this address</button>')
    expect([await addressOf(person), await login(email, person.password)]).toEqual([person.email, 422])

    const page = await pressButton(world, path)
    expect([page.status, page.text.includes('The address has been changed.')]).toEqual([200, true])
    const { body } = await person.get('/api/me')
    expect([body.email, body.email_verified_at]).toEqual([email, expect.any(String)])
    expect(await login(email, person.password)).toBe(200)
    expect(await login(person.email, person.password)).toBe(422)
  })

  test('is in the feed of changes, and changes the tag of the profile', async () => {
    const [person, email] = [await world.register(), anAddress()]
    const { body: start } = await person.get('/api/changes?start=now')
    const tag = (await person.get('/api/me')).headers.get('ETag')
    await changeAddress(world, person, email)
    const { body } = await person.get(`/api/changes?cursor=${start.cursor}`)
    expect(body.changes).toMatchObject([{ noun: 'profile', data: { email } }])
    expect((await person.get('/api/me')).headers.get('ETag')).not.toBe(tag)
  })

  test('voids reset links, and tells the old address', async () => {
    const person = await registerVerified(world)
    const body = { token: await requestReset(world, person), email: person.email, ...newPassword() }
    await changeAddress(world, person, anAddress())
    expect(changedMail(person.email).restoreUrl).toContain('/api/email/restore/')
    expect(await rowsOf(sql`password_resets`, person)).toEqual([])
    expect((await world.call('POST', '/api/reset-password', { body })).status).toBe(422)
  })

  test('needs the password, before it says that an address is taken', async () => {
    const [person, { email }] = [await world.register(), await world.register()]
    const required = { current_password: ['The current password field is required.'] }
    world.queued.length = 0
    const refusals: [fields: Json, errors: Record<string, string[]>][] = [
      [{ email }, required],
      [{ email, current_password: 'wrong' }, { current_password: ['The password is incorrect.'] }],
      [{ email, current_password: person.password }, taken],
      [
        { email: ` ${person.email.toUpperCase()}`, current_password: person.password },
        { email: ['The email field must differ from the current address.'] },
      ],
      [{ email: 'nobody' }, { email: ['The email field must be a valid email address.'], ...required }],
    ]
    for (const [fields, errors] of refusals) expectInvalid(await person.put('/api/me/email', fields), errors)
    expect(world.queued).toEqual([])
  })

  test('takes the place of an earlier one', async () => {
    const { person, path } = await requested()
    const second = anAddress()
    await request(person, second)
    expect(await press(path)).toMatchObject(badLink)
    expect((await press(changePath(second))).status).toBe(200)
    expect(await addressOf(person)).toBe(second)
  })

  test('happens once, however often and at once its button is pressed', async () => {
    const { person, path } = await requested()
    expect(await pressTimes(8, path)).toEqual(Array(8).fill(200))
    expect(kindsTo(person.email).filter((kind) => kind === 'address_changed')).toHaveLength(1)
    expect(outcomeOf(await press(path)).text).toBe(own)
    expect((await show(path)).text).not.toContain('<button')
  })

  test('is 403 by a link that is forged, late, or for another user, and 404 once its user is gone', async () => {
    setClock(noon)
    const [{ person, path }, other] = [await requested(), await world.register()]
    const otherUsers = path.replace(`/${person.id}/`, `/${other.id}/`)
    for (const forged of [alterLast(path), otherUsers, path.replace('/change/', '/restore/')])
      expect(await press(forged)).toMatchObject(badLink)
    vi.setSystemTime(noon + hourMs)
    expect(await press(path)).toMatchObject(badLink)
    await person.delete('/api/me', { password: person.password })
    expect(await press(path)).toMatchObject({ status: 404, text: 'User not found.' })
  })

  test.each<[string, (email: string) => Promise<unknown>]>([
    ['another user registers it', register],
    ['its owner signs in through the provider', (email) => signInThroughProvider(world, email)],
    [
      'another user changes theirs to it',
      async (email) => changeAddress(world, await world.register(), email),
    ],
  ])('is 409 if %s meanwhile', async (_, take) => {
    const { person, email, path } = await requested()
    await take(email)
    expect((await show(path)).text).toContain('This address is taken.')
    expect(outcomeOf(await press(path))).toEqual({ status: 409, text: 'This address is taken.' })
    expect(await addressOf(person)).toBe(person.email)
  })

  test('succeeds for one of two users who confirm the same address at once', async () => {
    const { email, path } = await requested()
    await request(await world.register(), email)
    const responses = await Promise.all([path, changePath(email)].map(press))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test.each<[string, (person: Person) => Promise<unknown>]>([
    [
      'the password is changed',
      ({ put, password }) => put('/api/me/password', { current_password: password, ...newPassword() }),
    ],
    ['the password is reset', (person) => resetPassword(world, person, 'my own one')],
    ['the owner of the address signs in', ({ email }) => signInThroughProvider(world, email)],
    [
      'the owner of the address disowns the account',
      ({ email }) => press(pathOf(queuedMail(world, 'verify_address', email).disownUrl ?? '')),
    ],
  ])('is void once %s', async (_, end) => {
    const { person, path } = await requested()
    await end(person)
    expect(await press(path)).toMatchObject(badLink)
  })

  test('may be requested ten times a day, with the limits of emails', async () => {
    setClock(noon)
    const [person, other] = [await world.register(), await world.register()]
    const statusOf = async (from: Person, mailbox: string) => {
      vi.setSystemTime(Date.now() + minuteMs)
      return (await request(from, mailbox)).status
    }
    const statuses: number[] = []
    for (let tag = 0; tag < 11; tag++) statuses.push(await statusOf(person, `victim+${tag}@example.com`))
    expect(statuses).toEqual([...Array(10).fill(200), 429])
    for (let tag = 0; tag < 20; tag++) await register(`victim+r${tag}@example.com`)
    expect(await statusOf(other, 'victim@example.com')).toBe(429)
    expect(await statusOf(other, 'somebody@example.com')).toBe(200)
    vi.setSystemTime(noon + 2 * dayMs)
    expect(await statusOf(person, 'victim@example.com')).toBe(200)
  })
})

describe('a user without a password', () => {
  async function withoutPassword() {
    const [old, email] = [anAddress(), anAddress()]
    const { token, id } = await signInThroughProvider(world, old)
    const person = { email: old, id, ...world.as(token) }
    return { person, email, response: await person.put('/api/me/email', { email }) }
  }

  test('confirms the change from the current address, and then from the new one', async () => {
    const { person, email, response } = await withoutPassword()
    expect(outcomeOf(response)).toEqual({ status: 200, text: `We have emailed a link to ${person.email}.` })
    expect(queuedMail(world, 'approve_address', person.email).newAddress).toBe(email)
    expect([kindsTo(person.email), kindsTo(email)]).toEqual([['approve_address'], []])
    const path = approvePath(person.email)
    expect((await show(path)).text).toContain('<button>Go on</button>')
    // The link for the new address has not been sent; one made of this link is forged.
    expect(await press(path.replace('/approve/', '/change/'))).toMatchObject(badLink)

    expect(await pressTimes(4, path)).toEqual([200, 200, 200, 200])
    expect(kindsTo(email)).toEqual(['change_address'])
    expect((await show(path)).text).toContain('You have confirmed this.')
    expect(await addressOf(person)).toBe(person.email)
    expect((await press(changePath(email))).status).toBe(200)
    expect(await addressOf(person)).toBe(email)
    // The provider still signs them in.
    const again = await signInThroughProvider(world, person.email)
    expect([again.id, await addressOf(world.as(again.token))]).toEqual([person.id, email])
  })

  test('is not spared that by a link from before', async () => {
    const { person, email, path } = await requested()
    const { token } = await signInThroughProvider(world, person.email)
    await world.as(token).put('/api/me/email', { email })
    expect(await press(path)).toMatchObject(badLink)
    expect((await press(approvePath(person.email))).status).toBe(200)
  })
})

/** A user who has changed the verified address. */
async function changed() {
  const [person, email] = [await registerVerified(world), anAddress()]
  await changeAddress(world, person, email)
  return { person, old: person.email, email, path: restorePath(person.email) }
}

describe('the old address', () => {
  test('is reserved for thirty days, for all but its user', async () => {
    setClock(noon)
    const [{ person, old }, other] = [await changed(), await world.register()]
    vi.setSystemTime(noon + 30 * dayMs - 1)
    expectInvalid(await register(old), taken)
    const incomplete = { name: '', email: old, ...newPassword() }
    expectInvalid(await world.call('POST', '/api/register', { body: incomplete }), {
      name: ['The name field is required.'],
      ...taken,
    })
    expectInvalid(await request(other, old), taken)
    expect((await request(person, old)).status).toBe(200)
    vi.setSystemTime(noon + 30 * dayMs)
    expect((await request(other, old)).status).toBe(200)
    expect((await register(old)).status).toBe(201)
    await world.runCron('17 * * * *')
    expect(await rowsOf(sql`former_addresses`, person)).toEqual([])
  })

  test('creates no user through the provider while it is reserved, and leaves nothing behind', async () => {
    const alone = createWorld()
    const person = await registerVerified(alone)
    await changeAddress(alone, person, anAddress())
    const { headers } = await alone.call('GET', await providerCallback(alone, person.email))
    expect(headers.get('Location')).toContain('error_code=provider_error')
    const users = sql`select id from users union select user_id from categories`
    expect(await askDatabase(alone, users)).toEqual([{ id: person.id }])
  })

  test('is free once its user is deleted', async () => {
    const { person, old, path } = await changed()
    await person.delete('/api/me', { password: person.password })
    expect(await press(path)).toMatchObject({ status: 404, text: 'User not found.' })
    expect((await register(old)).status).toBe(201)
  })

  test('is forgotten with its user, also as the recipient of an email that could not be sent', async () => {
    const { person, old, email } = await changed()
    for (const recipient of [old, email, 'other@example.com'])
      await askDatabase(
        world,
        sql`insert into failed_mails (id, kind, recipient, reason, failed_at)
            values (${recipient}, 'reset_password', ${recipient}, 'refused', ${Date.now()})`,
      )
    await person.delete('/api/me', { password: person.password })
    const left = await askDatabase(world, sql`select recipient from failed_mails`)
    expect(left).toEqual([{ recipient: 'other@example.com' }])
  })

  test('that was never verified is told without a link, and free at once', async () => {
    const person = await world.register()
    await changeAddress(world, person, anAddress())
    expect(changedMail(person.email).restoreUrl).toBeUndefined()
    expect((await register(person.email)).status).toBe(201)
  })

  test('can be taken back like a new one; the one in between gets no link', async () => {
    const { person, old, email: between, path } = await changed()
    await changeAddress(world, person, old)
    expect(await addressOf(person)).toBe(old)
    expect(changedMail(between).restoreUrl).toBeUndefined()
    expect(outcomeOf(await press(path)).text).toBe(own)
    expect(await addressOf(person)).toBe(old)
    expect((await register(between)).status).toBe(201)
  })
})

describe('the link in the email to the old address', () => {
  /** Expects that a reset email gives the account back to the owner of the old address. */
  async function expectOwned(person: Person) {
    await resetPassword(world, person, 'my own one')
    expect(await login(person.email, 'my own one')).toBe(200)
  }

  test('restores it, ends all sessions and named tokens, removes the password and emails a reset link', async () => {
    const { person, old, email, path } = await changed()
    const { body } = await person.post('/api/tokens', { name: 'Script', abilities: ['read'] })
    await request(person, anAddress())
    for (const method of ['HEAD', 'GET']) expect((await show(path, method)).status).toBe(200)
    expect(await addressOf(person)).toBe(email)
    expect((await pressButton(world, path)).text).toContain('The address has been changed back.')

    for (const token of [person.token, body.access_token])
      expect((await world.call('GET', '/api/me', { token })).status).toBe(401)
    for (const address of [old, email]) expect(await login(address, person.password)).toBe(422)
    expect(await rowsOf(sql`pending_addresses`, person)).toEqual([])
    const reset = { token: resetTokenOf(world, person), email: old, ...newPassword() }
    expect((await world.call('POST', '/api/reset-password', { body: reset })).status).toBe(200)
    expect(await login(old, reset.password)).toBe(200)
    expect((await register(email)).status).toBe(201)
  })

  test('works once, however often and at once its button is pressed', async () => {
    const { person, old, path } = await changed()
    expect(await pressTimes(8, path)).toEqual(Array(8).fill(200))
    expect(kindsTo(old).filter((kind) => kind === 'reset_password')).toHaveLength(1)
    await resetPassword(world, person, 'my own one')
    expect(outcomeOf(await press(path)).text).toBe(own)
    expect(await login(old, 'my own one')).toBe(200)
  })

  test('works for thirty days, and on no other user', async () => {
    setClock(noon)
    const [{ person, path }, other] = [await changed(), await world.register()]
    expect(await press(path.replace(`/${person.id}/`, `/${other.id}/`))).toMatchObject(badLink)
    vi.setSystemTime(noon + 30 * dayMs)
    expect(await press(path)).toMatchObject(badLink)
  })

  test('restores it after further changes, whose own links end', async () => {
    const { person, email, path } = await changed()
    await changeAddress(world, person, anAddress())
    expect((await press(path)).status).toBe(200)
    expect(await press(restorePath(email))).toMatchObject(badLink)
    await expectOwned(person)
  })

  test('still works after a later link has been used', async () => {
    const { person, email, path } = await changed()
    await changeAddress(world, person, anAddress())
    expect((await press(restorePath(email))).status).toBe(200)
    expect((await press(path)).status).toBe(200)
    await expectOwned(person)
  })

  test('unlinks an identity that was linked after the change', async () => {
    const { person, old, email, path } = await changed()
    expect((await signInThroughProvider(world, email)).id).toBe(person.id)
    expect((await press(path)).status).toBe(200)
    expect((await signInThroughProvider(world, email)).id).not.toBe(person.id)
    expect((await signInThroughProvider(world, old)).id).toBe(person.id)
  })

  test('wins or loses against a further change, but does not get lost', async () => {
    const { person, path } = await changed()
    for (let round = 0; round < 5; round++) {
      const email = anAddress()
      if ((await request(person, email)).status !== 200) break
      const [restored] = await Promise.all([press(path), press(changePath(email))])
      expect(restored.status).toBe(200)
    }
    await expectOwned(person)
  })
})

test('an address that is changed proves no password: the provider’s first link removes it', async () => {
  const person = await registerVerified(world)
  await resetPassword(world, person, person.password)
  const { body } = await logIn(world, person)
  const email = anAddress()
  await changeAddress(world, { ...person, ...world.as(body.access_token) }, email)
  await signInThroughProvider(world, email)
  expect(await login(email, person.password)).toBe(422)
})

test('logging out everywhere ends a requested change', async () => {
  const person = await registerVerified(world)
  const email = anAddress()
  await request(person, email)
  expect((await person.post('/api/logout-all')).status).toBe(200)
  expect(await press(changePath(email))).toMatchObject(badLink)
})
