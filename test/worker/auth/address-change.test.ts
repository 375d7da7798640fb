import { sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { dayMs, hourMs, minuteMs } from '../../../src/shared/dates.ts'
import { noon, setClock } from '../fixtures/clock.ts'
import {
  type ApiResponse,
  changeAddress,
  createWorld,
  expectInvalid,
  type Json,
  type Person,
  pathOf,
  providerCallback,
  queuedMail,
  resetPassword,
  signInThroughProvider,
  verifyAddress,
  type World,
} from '../fixtures/world.ts'
import { askDatabase } from '../laws/every-route.ts'

const anAddress = () => `${crypto.randomUUID()}@example.com`
const taken = { email: ['The email has already been taken.'] }
const badLink = { status: 403, text: 'Invalid or expired verification link.' }
const browser = { Accept: 'text/html', 'Content-Type': 'application/x-www-form-urlencoded' }
const chosen = { password: 'a new password', password_confirmation: 'a new password' }

async function verifiedPerson(world: World): Promise<Person> {
  const person = await world.register({ email: anAddress() })
  await verifyAddress(world, person)
  return person
}

const request = ({ put, password }: Person, email: string) =>
  put('/api/me/email', { email, current_password: password })
const changePath = (world: World, email: string) => pathOf(queuedMail(world, 'change_address', email).url)
const restorePath = (world: World, email: string) =>
  pathOf(queuedMail(world, 'address_changed', email).restoreUrl ?? '')
const press = (world: World, path: string) => world.call('POST', path)
const outcomeOf = ({ status, body, text }: ApiResponse) => ({ status, text: body?.message ?? text })
const addressOf = async ({ get }: Pick<Person, 'get'>) => (await get('/api/me')).body.email
const login = async (world: World, email: string, password: string) =>
  (await world.call('POST', '/api/login', { body: { email, password } })).status
const register = (world: World, email: string) =>
  world.call('POST', '/api/register', { body: { name: 'New', email, ...chosen } })

describe('a change of the address', () => {
  test('takes effect on the button behind the link in the email to the new one, and not before', async () => {
    const world = createWorld()
    const person = await world.register({ email: anAddress() })
    const email = anAddress()
    const asked = await request(person, email.toUpperCase())
    expect(outcomeOf(asked)).toEqual({ status: 200, text: `We have emailed a link to ${email}.` })
    const path = changePath(world, email)
    for (const method of ['HEAD', 'GET']) expect((await world.call(method, path)).status).toBe(200)
    expect((await world.call('GET', path)).text).toContain('<button>Use this address</button>')
    expect([await addressOf(person), await login(world, email, person.password)]).toEqual([person.email, 422])

    const page = await world.call('POST', path, { rawBody: '', headers: browser })
    expect([page.status, page.text.includes('The address has been changed.')]).toEqual([200, true])
    const { body } = await person.get('/api/me')
    expect([body.email, body.email_verified_at]).toEqual([email, expect.any(String)])
    expect(await login(world, email, person.password)).toBe(200)
    expect(await login(world, person.email, person.password)).toBe(422)
  })

  test('is in the feed of changes, and changes the tag of the profile', async () => {
    const world = createWorld()
    const person = await world.register()
    const { body: start } = await person.get('/api/changes?start=now')
    const tag = (await person.get('/api/me')).headers.get('ETag')
    await changeAddress(world, person, 'new@example.com')
    const { body } = await person.get(`/api/changes?cursor=${start.cursor}`)
    expect(body.changes).toMatchObject([{ noun: 'profile', data: { email: 'new@example.com' } }])
    expect((await person.get('/api/me')).headers.get('ETag')).not.toBe(tag)
  })

  test('voids reset links, and tells the old address', async () => {
    const world = createWorld()
    const person = await verifiedPerson(world)
    await world.call('POST', '/api/forgot-password', { body: { email: person.email } })
    const { searchParams } = new URL(queuedMail(world, 'reset_password', person.email).url)
    await changeAddress(world, person, anAddress())
    expect(queuedMail(world, 'address_changed', person.email).restoreUrl).toContain('/api/email/restore/')
    expect(await askDatabase(world, sql`select 1 from password_resets`)).toEqual([])
    const body = { token: searchParams.get('token'), email: person.email, ...chosen }
    expect((await world.call('POST', '/api/reset-password', { body })).status).toBe(422)
  })

  test('needs the password, before it says that an address is taken', async () => {
    const world = createWorld()
    const [person, other] = [await world.register(), await world.register()]
    const ask = (fields: Json) => person.put('/api/me/email', fields)
    const email = other.email
    expectInvalid(await ask({ email }), { current_password: ['The current password field is required.'] })
    expectInvalid(await ask({ email, current_password: 'wrong' }), {
      current_password: ['The password is incorrect.'],
    })
    expectInvalid(await request(person, email), taken)
    expectInvalid(await request(person, ` ${person.email.toUpperCase()}`), {
      email: ['The email field must differ from the current address.'],
    })
    expectInvalid(await ask({ email: 'nobody' }), {
      email: ['The email field must be a valid email address.'],
      current_password: ['The current password field is required.'],
    })
    expect(world.queued.filter(({ kind }) => kind !== 'verify_address')).toEqual([])
  })

  test('takes the place of an earlier one', async () => {
    const world = createWorld()
    const person = await world.register()
    await request(person, 'first@example.com')
    await request(person, 'second@example.com')
    expect(await press(world, changePath(world, 'first@example.com'))).toMatchObject(badLink)
    expect((await press(world, changePath(world, 'second@example.com'))).status).toBe(200)
    expect(await addressOf(person)).toBe('second@example.com')
  })

  test('happens once, however often and at once its button is pressed', async () => {
    const world = createWorld()
    const person = await verifiedPerson(world)
    const email = anAddress()
    await request(person, email)
    const path = changePath(world, email)
    const answers = await Promise.all(Array.from({ length: 8 }, () => press(world, path)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(world.queued.filter(({ kind }) => kind === 'address_changed')).toHaveLength(1)
    expect(outcomeOf(await press(world, path)).text).toBe('This is the address of your account.')
    expect((await world.call('GET', path)).text).not.toContain('<button')
  })

  test('is 403 by a link that is forged, late, or for another user, and 404 once its user is gone', async () => {
    setClock(noon)
    const world = createWorld()
    const [person, other] = [await world.register(), await world.register()]
    const email = anAddress()
    await request(person, email)
    const path = changePath(world, email)
    expect(
      await press(
        world,
        path.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      ),
    ).toMatchObject(badLink)
    expect(await press(world, path.replace(`/${person.id}/`, `/${other.id}/`))).toMatchObject(badLink)
    expect(await press(world, path.replace('/change/', '/restore/'))).toMatchObject(badLink)
    vi.setSystemTime(noon + hourMs)
    expect(await press(world, path)).toMatchObject(badLink)
    await person.delete('/api/me', { password: person.password })
    expect(await press(world, path)).toMatchObject({ status: 404, text: 'User not found.' })
  })

  test.each<[string, (world: World, email: string) => Promise<unknown>]>([
    ['another user registers it', register],
    ['its owner signs in through the provider', (world, email) => signInThroughProvider(world, email)],
    [
      'another user changes theirs to it',
      async (world, email) => changeAddress(world, await world.register(), email),
    ],
  ])('is 409 if %s meanwhile', async (_, take) => {
    const world = createWorld()
    const person = await world.register()
    const email = anAddress()
    await request(person, email)
    const path = changePath(world, email)
    await take(world, email)
    expect((await world.call('GET', path)).text).toContain('This address is taken.')
    expect(outcomeOf(await press(world, path))).toEqual({ status: 409, text: 'This address is taken.' })
    expect(await addressOf(person)).toBe(person.email)
  })

  test('succeeds for one of two users who confirm the same address at once', async () => {
    const world = createWorld()
    const email = anAddress()
    const people = [await world.register(), await world.register()]
    const paths: string[] = []
    for (const person of people) {
      await request(person, email)
      paths.push(changePath(world, email))
    }
    const answers = await Promise.all(paths.map((path) => press(world, path)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test.each<[string, (world: World, person: Person) => Promise<unknown>]>([
    [
      'the password is changed',
      (_, { put, password }) => put('/api/me/password', { current_password: password, ...chosen }),
    ],
    ['the password is reset', (world, person) => resetPassword(world, person, 'my own one')],
    ['the owner of the address signs in', (world, { email }) => signInThroughProvider(world, email)],
    [
      'the owner of the address disowns the account',
      (world, { email }) => press(world, pathOf(queuedMail(world, 'verify_address', email).disownUrl ?? '')),
    ],
  ])('is void once %s', async (_, end) => {
    const world = createWorld()
    const person = await verifiedPerson(world)
    const email = anAddress()
    await request(person, email)
    await end(world, person)
    expect(await press(world, changePath(world, email))).toMatchObject(badLink)
  })

  test('may be asked for ten times a day, with the limits of emails', async () => {
    setClock(noon)
    const world = createWorld()
    const [person, other] = [await world.register(), await world.register()]
    const ask = async (from: Person, mailbox: string) => {
      vi.setSystemTime(Date.now() + minuteMs)
      return (await request(from, mailbox)).status
    }
    const statuses: number[] = []
    for (let tag = 0; tag < 11; tag++) statuses.push(await ask(person, `victim+${tag}@example.com`))
    expect(statuses).toEqual([...Array(10).fill(200), 429])
    for (let tag = 0; tag < 20; tag++) await register(world, `victim+r${tag}@example.com`)
    expect(await ask(other, 'victim@example.com')).toBe(429)
    expect(await ask(other, 'somebody@example.com')).toBe(200)
    vi.setSystemTime(noon + 2 * dayMs)
    expect(await ask(person, 'victim@example.com')).toBe(200)
  })
})

describe('a user without a password', () => {
  async function withoutPassword(world: World) {
    const email = anAddress()
    const { token, id } = await signInThroughProvider(world, email)
    return { email, id, ...world.as(token) }
  }
  const approvePath = (world: World, email: string) => pathOf(queuedMail(world, 'approve_address', email).url)

  test('confirms the change from the current address, and then from the new one', async () => {
    const world = createWorld()
    const person = await withoutPassword(world)
    const email = anAddress()
    const asked = await person.put('/api/me/email', { email })
    expect(outcomeOf(asked)).toEqual({ status: 200, text: `We have emailed a link to ${person.email}.` })
    expect(queuedMail(world, 'approve_address', person.email).newAddress).toBe(email)
    expect(world.queued).toHaveLength(1)
    const path = approvePath(world, person.email)
    expect((await world.call('GET', path)).text).toContain('<button>Go on</button>')
    // The link for the new address has not been sent; one made of this link is forged.
    expect(await press(world, path.replace('/approve/', '/change/'))).toMatchObject(badLink)

    const answers = await Promise.all(Array.from({ length: 4 }, () => press(world, path)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(world.queued.filter(({ kind }) => kind === 'change_address')).toHaveLength(1)
    expect((await world.call('GET', path)).text).toContain('You have confirmed this.')
    expect(await addressOf(person)).toBe(person.email)
    expect((await press(world, changePath(world, email))).status).toBe(200)
    expect(await addressOf(person)).toBe(email)
  })

  test('is not spared that by a link from before', async () => {
    const world = createWorld()
    const person = await verifiedPerson(world)
    const email = anAddress()
    await request(person, email)
    const early = changePath(world, email)
    const { token } = await signInThroughProvider(world, person.email)
    await world.as(token).put('/api/me/email', { email })
    expect(await press(world, early)).toMatchObject(badLink)
    expect((await press(world, approvePath(world, person.email))).status).toBe(200)
  })

  test('still signs in through the provider after the change', async () => {
    const world = createWorld()
    const person = await withoutPassword(world)
    const email = anAddress()
    await person.put('/api/me/email', { email })
    await press(world, approvePath(world, person.email))
    await press(world, changePath(world, email))
    const again = await signInThroughProvider(world, person.email)
    expect([again.id, await addressOf(world.as(again.token))]).toEqual([person.id, email])
  })
})

describe('the old address', () => {
  test('is reserved for thirty days, for all but its user', async () => {
    setClock(noon)
    const world = createWorld()
    const [person, other] = [await verifiedPerson(world), await world.register()]
    await changeAddress(world, person, anAddress())
    const old = person.email
    vi.setSystemTime(noon + 30 * dayMs - 1)
    expectInvalid(await register(world, old), taken)
    const incomplete = await world.call('POST', '/api/register', {
      body: { name: '', email: old, ...chosen },
    })
    expectInvalid(incomplete, { name: ['The name field is required.'], ...taken })
    expectInvalid(await request(other, old), taken)
    expect((await request(person, old)).status).toBe(200)
    vi.setSystemTime(noon + 30 * dayMs)
    expect((await request(other, old)).status).toBe(200)
    expect((await register(world, old)).status).toBe(201)
    await world.runCron('17 * * * *')
    expect(await askDatabase(world, sql`select 1 from former_addresses`)).toEqual([])
  })

  test('creates no user through the provider while it is reserved, and leaves nothing behind', async () => {
    const world = createWorld()
    const person = await verifiedPerson(world)
    await changeAddress(world, person, anAddress())
    const { headers } = await world.call('GET', await providerCallback(world, person.email))
    expect(headers.get('Location')).toContain('error_code=provider_error')
    expectInvalid(await register(world, person.email), taken)
    expect(await askDatabase(world, sql`select id from users`)).toEqual([{ id: person.id }])
    expect(await askDatabase(world, sql`select 1 from categories where user_id is not ${person.id}`)).toEqual(
      [],
    )
  })

  test('is free once its user is deleted', async () => {
    const world = createWorld()
    const person = await verifiedPerson(world)
    await changeAddress(world, person, anAddress())
    const path = restorePath(world, person.email)
    await person.delete('/api/me', { password: person.password })
    expect(await press(world, path)).toMatchObject({ status: 404, text: 'User not found.' })
    expect((await register(world, person.email)).status).toBe(201)
  })

  test('is forgotten with its user, also as the recipient of an email that could not be sent', async () => {
    const world = createWorld()
    const person = await verifiedPerson(world)
    const email = anAddress()
    await changeAddress(world, person, email)
    for (const recipient of [person.email, email, 'other@example.com'])
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
    const world = createWorld()
    const person = await world.register({ email: anAddress() })
    await changeAddress(world, person, anAddress())
    expect(queuedMail(world, 'address_changed', person.email).restoreUrl).toBeUndefined()
    expect((await register(world, person.email)).status).toBe(201)
  })

  test('can be taken back like a new one; the one in between gets no link', async () => {
    const world = createWorld()
    const person = await verifiedPerson(world)
    const between = anAddress()
    await changeAddress(world, person, between)
    const path = restorePath(world, person.email)
    await changeAddress(world, person, person.email)
    expect(await addressOf(person)).toBe(person.email)
    expect(queuedMail(world, 'address_changed', between).restoreUrl).toBeUndefined()
    expect(outcomeOf(await press(world, path)).text).toBe('This is the address of your account.')
    expect(await addressOf(person)).toBe(person.email)
    expect((await register(world, between)).status).toBe(201)
  })
})

describe('the link in the email to the old address', () => {
  async function hijacked() {
    const world = createWorld()
    const person = await verifiedPerson(world)
    const other = anAddress()
    await changeAddress(world, person, other)
    return { world, person, other, path: restorePath(world, person.email) }
  }

  test('restores it, ends all sessions and named tokens, removes the password and emails a reset link', async () => {
    const { world, person, other, path } = await hijacked()
    const { body } = await person.post('/api/tokens', { name: 'Script', abilities: ['read'] })
    await request(person, anAddress())
    for (const method of ['HEAD', 'GET']) expect((await world.call(method, path)).status).toBe(200)
    expect(await addressOf(person)).toBe(other)
    const page = await world.call('POST', path, { rawBody: '', headers: browser })
    expect(page.text).toContain('The address has been changed back.')

    for (const token of [person.token, body.access_token])
      expect((await world.call('GET', '/api/me', { token })).status).toBe(401)
    expect(await login(world, person.email, person.password)).toBe(422)
    expect(await login(world, other, person.password)).toBe(422)
    expect(await askDatabase(world, sql`select 1 from pending_addresses`)).toEqual([])
    const { searchParams } = new URL(queuedMail(world, 'reset_password', person.email).url)
    const reset = { token: searchParams.get('token'), email: person.email, ...chosen }
    expect((await world.call('POST', '/api/reset-password', { body: reset })).status).toBe(200)
    expect(await login(world, person.email, chosen.password)).toBe(200)
    expect((await register(world, other)).status).toBe(201)
  })

  test('works once, however often and at once its button is pressed', async () => {
    const { world, person, path } = await hijacked()
    const answers = await Promise.all(Array.from({ length: 8 }, () => press(world, path)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(world.queued.filter(({ kind }) => kind === 'reset_password')).toHaveLength(1)
    await resetPassword(world, person, 'my own one')
    expect(outcomeOf(await press(world, path)).text).toBe('This is the address of your account.')
    expect(await login(world, person.email, 'my own one')).toBe(200)
  })

  test('works for thirty days, and on no other user', async () => {
    setClock(noon)
    const { world, path, person } = await hijacked()
    const other = await world.register()
    expect(await press(world, path.replace(`/${person.id}/`, `/${other.id}/`))).toMatchObject(badLink)
    vi.setSystemTime(noon + 30 * dayMs)
    expect(await press(world, path)).toMatchObject(badLink)
  })

  test('restores it after further changes, whose own links end', async () => {
    const { world, person, other, path } = await hijacked()
    await changeAddress(world, person, anAddress())
    const later = restorePath(world, other)
    expect((await press(world, path)).status).toBe(200)
    expect(await press(world, later)).toMatchObject(badLink)
    await resetPassword(world, person, 'my own one')
    expect(await login(world, person.email, 'my own one')).toBe(200)
  })

  test('still works after a later link has been used', async () => {
    const { world, person, other, path } = await hijacked()
    await changeAddress(world, person, anAddress())
    expect((await press(world, restorePath(world, other))).status).toBe(200)
    expect((await press(world, path)).status).toBe(200)
    await resetPassword(world, person, 'my own one')
    expect(await login(world, person.email, 'my own one')).toBe(200)
  })

  test('unlinks an identity that was linked after the change', async () => {
    const { world, person, other, path } = await hijacked()
    expect((await signInThroughProvider(world, other)).id).toBe(person.id)
    expect((await press(world, path)).status).toBe(200)
    expect((await signInThroughProvider(world, other)).id).not.toBe(person.id)
    expect((await signInThroughProvider(world, person.email)).id).toBe(person.id)
  })

  test('wins or loses against a further change, but does not get lost', async () => {
    const { world, person, path } = await hijacked()
    for (let round = 0; round < 5; round++) {
      const email = anAddress()
      const asked = await request(person, email)
      if (asked.status !== 200) break
      const [restored] = await Promise.all([press(world, path), press(world, changePath(world, email))])
      expect(restored.status).toBe(200)
    }
    await resetPassword(world, person, 'my own one')
    expect(await login(world, person.email, 'my own one')).toBe(200)
  })
})

test('an address that is changed proves no password: the provider’s first link removes it', async () => {
  const world = createWorld()
  const person = await verifiedPerson(world)
  await resetPassword(world, person, person.password)
  const { body } = await world.call('POST', '/api/login', {
    body: { email: person.email, password: person.password },
  })
  const email = anAddress()
  await changeAddress(world, { ...person, ...world.as(body.access_token) }, email)
  await signInThroughProvider(world, email)
  expect(await login(world, email, person.password)).toBe(422)
})
