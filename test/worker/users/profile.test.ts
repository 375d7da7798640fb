import { describe, expect, test } from 'vitest'
import { createWorld, expectInvalid, expectInvalidFields } from '../fixtures/world.ts'

describe('me', () => {
  test('shows the user', async () => {
    const person = await createWorld().register({ name: 'Ada Lovelace', email: 'ada@example.com' })
    const { status, body } = await person.get('/api/me')
    expect(status).toBe(200)
    expect(body).toEqual({
      id: person.id,
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      idp_id: null,
      avatar: null,
      email_verified_at: null,
      timezone: 'UTC',
      reminder_time: '20:00',
      reminder_last_sent_at: null,
    })
  })

  test.each(['PATCH', 'PUT'])(
    'changes name, time zone and reminder with %s, and responds with the user',
    async (method) => {
      const world = createWorld()
      const person = await world.register({ name: 'Ada', email: 'ada@example.com' })
      const response = await world.call(method, '/api/me', {
        token: person.token,
        body: { name: ' Ada King ', timezone: 'Europe/London', reminder_time: '07:30' },
      })
      expect(response.status).toBe(200)
      expect(response.body).toEqual({
        id: person.id,
        name: 'Ada King',
        email: 'ada@example.com',
        idp_id: null,
        avatar: null,
        email_verified_at: null,
        timezone: 'Europe/London',
        reminder_time: '07:30',
        reminder_last_sent_at: null,
      })
      expect((await person.get('/api/me')).body).toEqual(response.body)
    },
  )

  test('leaves a field that is not sent as it was', async () => {
    const person = await createWorld().register({ name: 'Ada', timezone: 'Asia/Tokyo' })
    await person.patch('/api/me', { reminder_time: '06:15' })
    expect((await person.patch('/api/me', { name: 'Ada King' })).body).toMatchObject({
      name: 'Ada King',
      timezone: 'Asia/Tokyo',
      reminder_time: '06:15',
    })
  })

  test.each([null, '', '  '])('turns the reminder off with %j', async (reminder_time) => {
    const person = await createWorld().register()
    expect((await person.patch('/api/me', { reminder_time })).body.reminder_time).toBeNull()
    expect((await person.get('/api/me')).body.reminder_time).toBeNull()
  })

  test.each(['00:00', '23:59'])('accepts %s as a time of day', async (reminder_time) => {
    const person = await createWorld().register()
    expect((await person.patch('/api/me', { reminder_time })).body.reminder_time).toBe(reminder_time)
  })

  test('accepts a name of 255 code points and refuses one more', async () => {
    const person = await createWorld().register()
    expect((await person.patch('/api/me', { name: '😀'.repeat(255) })).body.name).toBe('😀'.repeat(255))
    expectInvalid(await person.patch('/api/me', { name: '😀'.repeat(256) }), {
      name: ['The name field must not be greater than 255 characters.'],
    })
  })

  test.each(['PATCH', 'PUT'])(
    'refuses %s with a password, says where it is changed, and changes nothing',
    async (method) => {
      const world = createWorld()
      const { token, email, password } = await world.register({ name: 'Ada' })
      const body = { name: 'Eve', password: 'another password', password_confirmation: 'another password' }
      expectInvalid(await world.call(method, '/api/me', { token, body }), {
        password: ['The password field is changed by PUT /api/me/password.'],
      })
      expect((await world.call('GET', '/api/me', { token })).body.name).toBe('Ada')
      expect((await world.call('POST', '/api/login', { body: { email, password } })).status).toBe(200)
    },
  )

  test('refuses another address, along with the other mistakes, and changes nothing', async () => {
    const person = await createWorld().register({ name: 'Ada', email: 'ada@example.com' })
    expectInvalid(await person.patch('/api/me', { name: 'Eve', email: 'eve@example.com' }), {
      email: ['The email field is changed by PUT /api/me/email.'],
    })
    const wrong = { name: '', email: 'eve@example.com', password: 7 }
    expectInvalidFields(await person.patch('/api/me', wrong), ['name', 'email', 'password'])
    expect((await person.get('/api/me')).body).toMatchObject({ name: 'Ada', email: 'ada@example.com' })
  })

  test('accepts what it has shown, and what a form leaves empty', async () => {
    const person = await createWorld().register({ email: 'ada@example.com' })
    const shown = (await person.get('/api/me')).body
    const forms = [
      shown,
      { email: ' ADA@example.com ' },
      { email: '', password: '' },
      { email: null, password: null },
    ]
    for (const form of forms) {
      const { status, body } = await person.put('/api/me', form)
      expect({ status, body }).toEqual({ status: 200, body: shown })
    }
  })
})
