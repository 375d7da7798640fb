import { describe, expect, test } from 'vitest'
import { createWorld, expectInvalid, expectInvalidFields, logIn, newPassword } from '../fixtures/world.ts'

const world = createWorld()
const fresh = {
  idp_id: null,
  avatar: null,
  email_verified_at: null,
  reminder_last_sent_at: null,
  due_reminders: true,
  currency: null,
}

describe('me', () => {
  test.each(['PATCH', 'PUT'])(
    'shows the user; %s changes name, time zone and reminders, and responds with the user',
    async (method) => {
      const { id, email, token, get } = await world.register({ name: 'Ada Lovelace' })
      const me = { id, name: 'Ada Lovelace', email, timezone: 'UTC', reminder_time: '20:00', ...fresh }
      const { status, body } = await get('/api/me')
      expect([status, body]).toEqual([200, me])
      const changes = {
        name: ' Ada King ',
        timezone: 'Europe/London',
        reminder_time: '07:30',
        due_reminders: false,
        currency: 'EUR',
      }
      const changed = await world.call(method, '/api/me', { token, body: changes })
      expect([changed.status, changed.body]).toEqual([200, { ...me, ...changes, name: 'Ada King' }])
      expect((await get('/api/me')).body).toEqual(changed.body)
    },
  )

  test('leaves a field that is not sent as it was', async () => {
    const { patch } = await world.register({ name: 'Ada', timezone: 'Asia/Tokyo' })
    await patch('/api/me', { reminder_time: '06:15' })
    const kept = { timezone: 'Asia/Tokyo', reminder_time: '06:15' }
    expect((await patch('/api/me', { name: 'Ada King' })).body).toMatchObject({ name: 'Ada King', ...kept })
  })

  test.each([
    [null, null],
    ['00:00', '00:00'],
    ['23:59', '23:59'],
  ])('takes %j as the time of the reminder: %j', async (sent, reminder_time) => {
    const { patch, get } = await world.register()
    expect((await patch('/api/me', { reminder_time: sent })).body.reminder_time).toBe(reminder_time)
    expect((await get('/api/me')).body.reminder_time).toBe(reminder_time)
  })

  test('takes three capital letters as the currency, and "" for none', async () => {
    const { patch } = await world.register()
    expect((await patch('/api/me', { currency: 'XOF' })).body.currency).toBe('XOF')
    expectInvalid(await patch('/api/me', { currency: 'eur' }), {
      currency: ['The currency field must be three capital letters, such as EUR.'],
    })
    expect((await patch('/api/me', { currency: '' })).body.currency).toBe(null)
  })

  test('accepts a name of 255 code points and refuses one more', async () => {
    const { patch } = await world.register()
    expect((await patch('/api/me', { name: '😀'.repeat(255) })).body.name).toBe('😀'.repeat(255))
    expectInvalid(await patch('/api/me', { name: '😀'.repeat(256) }), {
      name: ['The name field must not be greater than 255 characters.'],
    })
  })

  test.each(['PATCH', 'PUT'])(
    'refuses %s with another address or password, says where it is changed, and changes nothing',
    async (method) => {
      const person = await world.register({ name: 'Ada' })
      const send = (body: object) => world.call(method, '/api/me', { token: person.token, body })
      expectInvalid(await send({ name: 'Eve', ...newPassword() }), {
        password: ['The password field is changed by PUT /api/me/password.'],
      })
      expectInvalid(await send({ name: 'Eve', email: 'eve@example.com' }), {
        email: ['The email field is changed by PUT /api/me/email.'],
      })
      const wrong = { name: '', email: 'eve@example.com', password: 7 }
      expectInvalidFields(await send(wrong), ['name', 'email', 'password'])
      expect((await person.get('/api/me')).body).toMatchObject({ name: 'Ada', email: person.email })
      expect((await logIn(world, person)).status).toBe(200)
    },
  )

  test('accepts what it has shown, and what a form leaves empty', async () => {
    const person = await world.register()
    const shown = (await person.get('/api/me')).body
    const spelled = { email: ` ${person.email.toUpperCase()} ` }
    for (const form of [shown, spelled, { email: '', password: '' }, { email: null, password: null }]) {
      const { status, body } = await person.put('/api/me', form)
      expect([status, body]).toEqual([200, shown])
    }
  })
})
