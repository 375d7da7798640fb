import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Mail } from '../../../src/shared/mails.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import {
  aCategory,
  createWorld,
  mailsTo,
  openAccount,
  type Person,
  pathOf,
  recordTransaction,
  verifyAddress,
  type World,
} from '../fixtures/world.ts'
import { openWorldDatabase } from '../laws/every-route.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  muteLog(['log'])
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Runs the reminder job at an instant, and returns the reminders that it has queued, by whom they are to. */
async function remindersAt(world: World, instant: string): Promise<string[]> {
  vi.setSystemTime(Date.parse(instant))
  world.queued.length = 0
  await world.runCron('*/5 * * * *')
  expect(new Set(world.queued.map(({ kind }) => kind)).size).toBeLessThanOrEqual(1)
  return world.queued.flatMap(({ kind, to }) => (kind === 'reminder' ? [to] : [])).sort()
}

/** A verified user, registered early on a day. */
async function createUser(world: World, instant: string, details: Record<string, unknown> = {}) {
  vi.setSystemTime(Date.parse(instant))
  const person = await world.register(details)
  await verifyAddress(world, person)
  return person
}

async function spendOn(person: Person, date: string): Promise<{ id: number }> {
  const [account, category] = [await openAccount(person), await aCategory(person)]
  const fields = { account_id: account.id, category_id: category.id, type: 'expense', amount: 1 }
  return recordTransaction(person, { ...fields, transaction_date: date })
}

describe('a reminder', () => {
  test('comes at 20:00 by default, once, and is recorded', async () => {
    const world = createWorld()
    const person = await createUser(world, '2026-11-20T08:00:00Z', { name: 'Ada' })
    expect(await remindersAt(world, '2026-11-20T08:05:00Z')).toEqual([])
    expect(await remindersAt(world, '2026-11-20T19:55:00Z')).toEqual([])
    expect((await person.get('/api/me')).body.reminder_last_sent_at).toBeNull()
    expect(await remindersAt(world, '2026-11-20T20:00:00Z')).toEqual([person.email])
    expect(world.queued).toEqual([
      {
        kind: 'reminder',
        id: expect.any(String),
        to: person.email,
        name: 'Ada',
        frontendUrl: 'https://app.purse.example',
        unsubscribeUrl: expect.stringMatching(
          new RegExp(`^http://purse\\.test/api/reminders/unsubscribe/${person.id}/[0-9a-f]{64}$`),
        ),
        notAfter: '2026-11-20T22:00:00.000Z',
      },
    ])
    expect((await person.get('/api/me')).body.reminder_last_sent_at).toBe('2026-11-20T20:00:00.000Z')
    for (const time of ['20:00:30', '20:05:00', '21:00:00', '23:59:00']) {
      expect(await remindersAt(world, `2026-11-20T${time}Z`)).toEqual([])
    }
    expect(await remindersAt(world, '2026-11-21T19:59:59Z')).toEqual([])
    expect(await remindersAt(world, '2026-11-21T20:00:00Z')).toEqual([person.email])
  })

  test('has a different idempotency key each day, and the same one if the job runs twice', async () => {
    const world = createWorld()
    const person = await createUser(world, '2026-11-20T08:00:00Z')
    await remindersAt(world, '2026-11-20T20:00:00Z')
    const [first] = [...world.queued]
    const db = openWorldDatabase(world)
    // As if the job had died after queueing and before noting it.
    await db.batch([
      db.run(sql`update users set reminder_last_day = null, reminder_look_at = 0 where id = ${person.id}`),
    ])
    await remindersAt(world, '2026-11-20T20:05:00Z')
    expect(world.queued).toEqual([first])
    await remindersAt(world, '2026-11-21T20:00:00Z')
    expect(world.queued[0]?.id).not.toBe(first?.id)
  })

  test.each([
    ['UTC', '2026-11-20T20:00:00Z'],
    ['Europe/Berlin', '2026-11-20T19:00:00Z'],
    ['Asia/Kolkata', '2026-11-20T14:30:00Z'],
    ['Asia/Kathmandu', '2026-11-20T14:15:00Z'],
    ['America/New_York', '2026-11-21T01:00:00Z'],
    ['Pacific/Kiritimati', '2026-11-20T06:00:00Z'],
    ['Pacific/Pago_Pago', '2026-11-21T07:00:00Z'],
  ])('comes at the local time of %s', async (timezone, due) => {
    const world = createWorld()
    const { email } = await createUser(world, '2026-11-20T03:00:00Z', { timezone })
    expect(await remindersAt(world, new Date(Date.parse(due) - 1_000).toISOString())).toEqual([])
    expect(await remindersAt(world, due)).toEqual([email])
  })

  test('comes to every user whose time has come, and to no other', async () => {
    const world = createWorld()
    const people: Person[] = []
    for (const timezone of ['Europe/Berlin', 'Europe/Paris', 'UTC', 'Asia/Tokyo']) {
      people.push(await createUser(world, '2026-11-20T00:30:00Z', { timezone }))
    }
    const [berlin, paris] = people.map(({ email }) => email)
    expect(await remindersAt(world, '2026-11-20T19:00:00Z')).toEqual([berlin, paris])
  })

  test('comes to more than a hundred people in one run, once each', async () => {
    const world = createWorld()
    const person = await createUser(world, '2026-11-20T08:00:00Z')
    const db = openWorldDatabase(world)
    await db.batch([
      db.run(sql`
        insert into users (name, email, email_verified_at, timezone, reminder_time, reminder_look_at, created_at, updated_at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 250)
        select 'Many', 'many' || i || '@example.com', 0, 'UTC', '20:00', 0, 0, 0 from n`),
    ])
    const reminded = await remindersAt(world, '2026-11-20T20:00:00Z')
    expect(reminded).toHaveLength(251)
    expect(new Set(reminded).size).toBe(251)
    expect(reminded).toContain(person.email)
    expect(await remindersAt(world, '2026-11-20T20:05:00Z')).toEqual([])
  })

  test('does not come to a user whose address is not verified', async () => {
    const world = createWorld()
    vi.setSystemTime(Date.parse('2026-11-20T08:00:00Z'))
    const person = await world.register()
    await person.patch('/api/me', { reminder_time: '20:00' })
    expect(await remindersAt(world, '2026-11-20T20:00:00Z')).toEqual([])
  })

  test('comes once the address is verified', async () => {
    const world = createWorld()
    vi.setSystemTime(Date.parse('2026-11-20T19:30:00Z'))
    const person = await world.register()
    expect(await remindersAt(world, '2026-11-20T20:00:00Z')).toEqual([])
    vi.setSystemTime(Date.parse('2026-11-21T09:00:00Z'))
    await person.post('/api/email/verification-notification')
    await verifyAddress(world, person)
    expect(await remindersAt(world, '2026-11-21T09:05:00Z')).toEqual([])
    expect(await remindersAt(world, '2026-11-21T20:00:00Z')).toEqual([person.email])
  })

  test('does not come on a local day that a transaction is dated', async () => {
    const world = createWorld()
    const tokyo = await createUser(world, '2026-11-20T00:00:00Z', { timezone: 'Asia/Tokyo' })
    const pago = await createUser(world, '2026-11-20T00:00:00Z', { timezone: 'Pacific/Pago_Pago' })
    await spendOn(tokyo, '2026-11-20')
    // It is still the 19th there.
    await spendOn(pago, '2026-11-19')
    expect(await remindersAt(world, '2026-11-20T11:00:00Z')).toEqual([])
    expect(await remindersAt(world, '2026-11-20T07:00:00Z')).toEqual([])
    expect(await remindersAt(world, '2026-11-21T07:00:00Z')).toEqual([pago.email])
    expect(await remindersAt(world, '2026-11-21T11:00:00Z')).toEqual([tokyo.email])
  })

  test('comes in spite of transactions on other days, and of other people', async () => {
    const world = createWorld()
    const [person, other] = [
      await createUser(world, '2026-11-20T08:00:00Z'),
      await createUser(world, '2026-11-20T08:00:00Z'),
    ]
    await spendOn(person, '2026-11-19')
    await spendOn(person, '2026-11-21')
    await spendOn(other, '2026-11-20')
    expect(await remindersAt(world, '2026-11-20T20:00:00Z')).toEqual([person.email])
  })

  test.each([
    ['one hour and 59 minutes', '2026-11-20T21:59:00Z', 1],
    ['two hours and one minute', '2026-11-20T22:01:00Z', 0],
    ['four hours, after midnight', '2026-11-21T00:01:00Z', 0],
  ])('that is late by %s is sent or skipped as it must', async (_, instant, expected) => {
    const world = createWorld()
    await createUser(world, '2026-11-20T08:00:00Z')
    expect(await remindersAt(world, instant)).toHaveLength(expected)
    expect(await remindersAt(world, '2026-11-21T20:00:00Z')).toHaveLength(1)
  })

  test('of 23:30 may come after midnight, and is then about the day before', async () => {
    const world = createWorld()
    const [person, busy] = [
      await createUser(world, '2026-11-20T08:00:00Z'),
      await createUser(world, '2026-11-20T08:00:00Z'),
    ]
    for (const { patch } of [person, busy]) await patch('/api/me', { reminder_time: '23:30' })
    await spendOn(person, '2026-11-21')
    await spendOn(busy, '2026-11-20')
    expect(await remindersAt(world, '2026-11-21T00:10:00Z')).toEqual([person.email])
    expect(await remindersAt(world, '2026-11-21T23:30:00Z')).toEqual([busy.email])
  })

  test('is sent by two jobs at the same time under one idempotency key', async () => {
    const world = createWorld()
    const person = await createUser(world, '2026-11-20T08:00:00Z')
    vi.setSystemTime(Date.parse('2026-11-20T20:00:00Z'))
    world.queued.length = 0
    await Promise.all([world.runCron('*/5 * * * *'), world.runCron('*/5 * * * *')])
    expect(world.queued.length).toBeGreaterThan(0)
    expect(new Set(world.queued.map((mail) => JSON.stringify(mail))).size).toBe(1)
    expect(await remindersAt(world, '2026-11-20T20:05:00Z')).toEqual([])
    expect((await person.get('/api/me')).body.reminder_last_sent_at).toBe('2026-11-20T20:00:00.000Z')
  })

  test.each<[string, (person: Person) => Promise<unknown>]>([
    ['left', (person) => person.delete('/api/me', { password: person.password })],
    ['turned reminders off', (person) => person.patch('/api/me', { reminder_time: null })],
  ])('that had to wait does not reach a user who has %s in the meantime', async (_, change) => {
    const world = createWorld()
    const [person, other] = [
      await createUser(world, '2026-11-20T08:00:00Z'),
      await createUser(world, '2026-11-20T08:00:00Z'),
    ]
    expect(await remindersAt(world, '2026-11-20T20:00:00Z')).toHaveLength(2)
    const waiting = world.queued.splice(0)
    await change(person)
    expect((await world.deliver(waiting)).explicitAcks).toHaveLength(2)
    const subjects = async ({ email }: Person) => (await mailsTo(email)).map(({ subject }) => subject)
    expect(await subjects(person)).toEqual([])
    expect(await subjects(other)).toEqual(['Nothing recorded today?'])
  })

  test('is not lost while the queue takes nothing', async () => {
    const world = createWorld()
    const person = await createUser(world, '2026-11-20T08:00:00Z')
    const throwing = {
      sendBatch: async () => {
        throw new Error('Queue send failed')
      },
    } as unknown as Queue<Mail>
    const failing = createWorld({ TURSO_DATABASE_URL: world.databaseUrl, MAIL_QUEUE: throwing })
    vi.setSystemTime(Date.parse('2026-11-20T20:00:00Z'))
    await expect(failing.runCron('*/5 * * * *')).rejects.toThrow()
    expect((await person.get('/api/me')).body.reminder_last_sent_at).toBeNull()
    expect(await remindersAt(world, '2026-11-20T20:05:00Z')).toEqual([person.email])
  })

  test('of a user whose settings make no sense delays no other', async () => {
    const world = createWorld()
    const [broken, person] = [
      await createUser(world, '2026-11-20T08:00:00Z'),
      await createUser(world, '2026-11-20T08:00:00Z'),
    ]
    const db = openWorldDatabase(world)
    // A zone that this runtime no longer knows: names of zones come and go.
    await db.batch([db.run(sql`update users set timezone = 'Mars/Olympus' where id = ${broken.id}`)])
    muteLog(['error'])
    expect(await remindersAt(world, '2026-11-20T20:00:00Z')).toContain(person.email)
  })
})

describe('changing the settings of reminders', () => {
  test('to another time moves the next one', async () => {
    const world = createWorld()
    const person = await createUser(world, '2026-11-20T08:00:00Z')
    await remindersAt(world, '2026-11-20T08:05:00Z')
    await person.patch('/api/me', { reminder_time: '12:15' })
    expect(await remindersAt(world, '2026-11-20T12:10:00Z')).toEqual([])
    expect(await remindersAt(world, '2026-11-20T12:15:00Z')).toEqual([person.email])
    expect(await remindersAt(world, '2026-11-20T20:00:00Z')).toEqual([])
  })

  test('to another zone moves the next one', async () => {
    const world = createWorld()
    const person = await createUser(world, '2026-11-20T08:00:00Z')
    await remindersAt(world, '2026-11-20T08:05:00Z')
    await person.patch('/api/me', { timezone: 'Asia/Tokyo' })
    expect(await remindersAt(world, '2026-11-20T11:00:00Z')).toEqual([person.email])
    expect(await remindersAt(world, '2026-11-20T20:00:00Z')).toEqual([])
    expect(await remindersAt(world, '2026-11-21T11:00:00Z')).toEqual([person.email])
  })

  test('after one was sent brings no second one on the same local day', async () => {
    const world = createWorld()
    const person = await createUser(world, '2026-11-20T08:00:00Z')
    await remindersAt(world, '2026-11-20T20:00:00Z')
    await person.patch('/api/me', { reminder_time: '21:00' })
    expect(await remindersAt(world, '2026-11-20T21:00:00Z')).toEqual([])
    // Further west it is still the same day, and 20:00 comes once more.
    await person.patch('/api/me', { timezone: 'America/Los_Angeles', reminder_time: '20:00' })
    expect(await remindersAt(world, '2026-11-21T04:00:00Z')).toEqual([])
    expect(await remindersAt(world, '2026-11-22T04:00:00Z')).toEqual([person.email])
  })

  test('while the job runs is not undone by it', async () => {
    const world = createWorld()
    const person = await createUser(world, '2026-11-20T08:00:00Z')
    vi.setSystemTime(Date.parse('2026-11-20T20:00:00Z'))
    const changing = {
      sendBatch: async () => {
        await person.patch('/api/me', { reminder_time: '06:00' })
      },
    } as unknown as Queue<Mail>
    const job = createWorld({ TURSO_DATABASE_URL: world.databaseUrl, MAIL_QUEUE: changing })
    await job.runCron('*/5 * * * *')
    expect(await remindersAt(world, '2026-11-21T06:00:00Z')).toEqual([person.email])
  })

  test('to none ends them, and back to a time resumes them', async () => {
    const world = createWorld()
    const person = await createUser(world, '2026-11-20T08:00:00Z')
    await person.patch('/api/me', { reminder_time: null })
    expect(await remindersAt(world, '2026-11-20T20:00:00Z')).toEqual([])
    expect(await remindersAt(world, '2026-11-21T20:00:00Z')).toEqual([])
    await person.patch('/api/me', { reminder_time: '20:00' })
    expect(await remindersAt(world, '2026-11-22T20:00:00Z')).toEqual([person.email])
  })

  test('to a new name alone changes nothing of them', async () => {
    const world = createWorld()
    const person = await createUser(world, '2026-11-20T08:00:00Z')
    await remindersAt(world, '2026-11-20T20:00:00Z')
    await person.patch('/api/me', { name: 'New' })
    expect(await remindersAt(world, '2026-11-20T20:10:00Z')).toEqual([])
  })
})

describe('a day on which the clocks change', () => {
  test('in spring moves the reminder of a skipped time an hour later by the clock', async () => {
    const world = createWorld()
    const { email, patch } = await createUser(world, '2026-03-27T12:00:00Z', { timezone: 'Europe/Berlin' })
    await patch('/api/me', { reminder_time: '02:30' })
    await remindersAt(world, '2026-03-28T02:00:00Z')
    expect(await remindersAt(world, '2026-03-29T01:25:00Z')).toEqual([])
    expect(await remindersAt(world, '2026-03-29T01:30:00Z')).toEqual([email])
    expect(await remindersAt(world, '2026-03-30T00:30:00Z')).toEqual([email])
  })

  test('in autumn has one reminder of a time that comes twice', async () => {
    const world = createWorld()
    const { email, patch } = await createUser(world, '2026-10-23T12:00:00Z', { timezone: 'Europe/Berlin' })
    await patch('/api/me', { reminder_time: '02:30' })
    await remindersAt(world, '2026-10-24T00:30:00Z')
    expect(await remindersAt(world, '2026-10-25T00:30:00Z')).toEqual([email])
    expect(await remindersAt(world, '2026-10-25T01:30:00Z')).toEqual([])
    expect(await remindersAt(world, '2026-10-26T01:30:00Z')).toEqual([email])
  })

  test.each([
    ['Europe/Berlin', ['2026-03-28T19:00:00Z', '2026-03-29T18:00:00Z', '2026-03-30T18:00:00Z']],
    ['America/New_York', ['2026-11-01T00:00:00Z', '2026-11-02T01:00:00Z', '2026-11-03T01:00:00Z']],
    ['Australia/Lord_Howe', ['2026-04-04T09:00:00Z', '2026-04-05T09:30:00Z', '2026-04-06T09:30:00Z']],
  ])('moves the instant of 20:00 in %s, one reminder for each day', async (timezone, instants) => {
    const world = createWorld()
    const first = Date.parse(instants[0] ?? '')
    const { email } = await createUser(world, new Date(first - 8 * 3_600_000).toISOString(), { timezone })
    const sentAt: string[] = []
    for (let at = first - 3_600_000; at <= first + 52 * 3_600_000; at += 1_800_000) {
      const sent = await remindersAt(world, new Date(at).toISOString())
      expect([[], [email]]).toContainEqual(sent)
      if (sent.length > 0) sentAt.push(new Date(at).toISOString().replace('.000', ''))
    }
    expect(sentAt).toEqual(instants)
  })
})

describe('the link that ends reminders', () => {
  async function reminded(world: World) {
    const person = await createUser(world, '2026-11-20T08:00:00Z')
    await remindersAt(world, '2026-11-20T20:00:00Z')
    const [mail] = world.queued
    return { person, link: pathOf(mail?.kind === 'reminder' ? mail.unsubscribeUrl : '') }
  }
  const oneClick = {
    rawBody: 'List-Unsubscribe=One-Click',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: '*/*' },
  }

  test('shows a page with a button on GET, and changes nothing: scanners follow links', async () => {
    const world = createWorld()
    const { person, link } = await reminded(world)
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await world.call(method, link)
      expect(status).toBe(200)
      expect(headers.get('Content-Type')).toMatch(/^text\/html\b/)
    }
    const { text } = await world.call('GET', link)
    expect(text).toMatch(/<form method="post"/)
    expect(text).toContain('<button')
    expect((await person.get('/api/me')).body.reminder_time).toBe('20:00')
    expect(await remindersAt(world, '2026-11-21T20:00:00Z')).toEqual([person.email])
  })

  test('ends them on the POST of an email program, without a token or a cookie', async () => {
    const world = createWorld()
    const { person, link } = await reminded(world)
    const { status } = await world.call('POST', link, oneClick)
    expect(status).toBe(200)
    expect((await person.get('/api/me')).body.reminder_time).toBeNull()
    expect(await remindersAt(world, '2026-11-21T20:00:00Z')).toEqual([])
  })

  test('ends them on the button of its page, and says so', async () => {
    const world = createWorld()
    const { person, link } = await reminded(world)
    const headers = { Accept: 'text/html', 'Content-Type': 'application/x-www-form-urlencoded' }
    const response = await world.call('POST', link, { rawBody: '', headers })
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toMatch(/^text\/html\b/)
    expect(response.text).toContain('no more reminders')
    expect((await person.get('/api/me')).body.reminder_time).toBeNull()
  })

  test('may be used twice, and a year later', async () => {
    const world = createWorld()
    const { person, link } = await reminded(world)
    vi.setSystemTime(Date.parse('2027-11-20T20:00:00Z'))
    for (let i = 0; i < 2; i++) expect((await world.call('POST', link, oneClick)).status).toBe(200)
    expect(await remindersAt(world, '2027-11-21T20:00:00Z')).toEqual([])
    const db = openWorldDatabase(world)
    const [rows] = await db.batch([
      db.all(sql`select reminder_time as time from users where id = ${person.id}`),
    ])
    expect(rows).toEqual([{ time: null }])
  })

  test('ends no other user’s, and works for no other user', async () => {
    const world = createWorld()
    const { person, link } = await reminded(world)
    const other = await createUser(world, '2026-11-21T08:00:00Z')
    const forged = link.replace(`/${person.id}/`, `/${other.id}/`)
    for (const method of ['GET', 'POST']) {
      expect((await world.call(method, forged)).status).toBe(403)
    }
    await world.call('POST', link, oneClick)
    expect((await other.get('/api/me')).body.reminder_time).toBe('20:00')
  })

  test('is 403 when it is forged, and ends nothing', async () => {
    const world = createWorld()
    const { person, link } = await reminded(world)
    const base = link.slice(0, link.lastIndexOf('/'))
    const altered = link.slice(0, -1) + (link.endsWith('0') ? '1' : '0')
    for (const path of [altered, `${base}/x`, `${base}/${'0'.repeat(64)}`, link.slice(0, -1), `${link}0`]) {
      for (const method of ['GET', 'POST']) {
        const { status, text } = await world.call(method, path)
        expect(status).toBe(403)
        expect(text).not.toContain('<form')
      }
    }
    expect((await person.get('/api/me')).body.reminder_time).toBe('20:00')
  })

  test('reveals neither name nor address, and cannot be framed', async () => {
    const world = createWorld()
    const { person, link } = await reminded(world)
    const { text, headers } = await world.call('GET', link)
    expect(text).not.toContain(person.email)
    expect(text).not.toContain('Person 1')
    expect(headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('Referrer-Policy')).toBe('no-referrer')
  })
})
