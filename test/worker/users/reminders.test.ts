import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { hourMs } from '../../../src/domain/dates.ts'
import type { Mail } from '../../../src/queues/mails.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import {
  aCategory,
  alterLast,
  createWorld,
  type Json,
  mailsTo,
  openAccount,
  type Person,
  pathOf,
  pressButton,
  queuedMail,
  recordTransaction,
  registerVerified,
  verifyAddress,
  type World,
} from '../fixtures/world.ts'
import { askDatabase } from '../laws/every-route.ts'

let world: World
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  muteLog(['log'])
  world = createWorld()
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const setTime = (instant: string) => vi.setSystemTime(Date.parse(instant))
const runJob = (of = world) => of.runCron('*/5 * * * *')
const lastSentAt = async ({ get }: Person) => (await get('/api/me')).body.reminder_last_sent_at
const reminderTime = async ({ get }: Person) => (await get('/api/me')).body.reminder_time

/** Runs the reminder job at an instant, and returns whom the reminders that it has queued are to. */
async function remindersAt(instant: string): Promise<string[]> {
  setTime(instant)
  world.queued.length = 0
  await runJob()
  expect(new Set(world.queued.map(({ kind }) => kind)).size).toBeLessThanOrEqual(1)
  return world.queued.flatMap(({ kind, to }) => (kind === 'reminder' ? [to] : [])).sort()
}

/** A verified user, registered early on a day. */
async function createUser(details: Record<string, unknown> = {}, instant = '2026-11-20T08:00:00Z') {
  setTime(instant)
  return registerVerified(world, details)
}

async function spendOn(person: Person, date: string): Promise<void> {
  const [account, category] = [await openAccount(person), await aCategory(person)]
  const fields = { account_id: account.id, category_id: category.id, type: 'expense', amount: 1 }
  await recordTransaction(person, { ...fields, transaction_date: date })
}

/** A world with the same database, whose queue of emails does that with what is sent. */
const withQueue = (sendBatch: () => Promise<unknown>) =>
  createWorld({
    TURSO_DATABASE_URL: world.databaseUrl,
    MAIL_QUEUE: { sendBatch } as unknown as Queue<Mail>,
  })

describe('a reminder', () => {
  test('comes at 20:00 by default, once, and is recorded', async () => {
    const person = await createUser({ name: 'Ada' })
    expect(await remindersAt('2026-11-20T08:05:00Z')).toEqual([])
    expect(await remindersAt('2026-11-20T19:55:00Z')).toEqual([])
    expect(await lastSentAt(person)).toBeNull()
    expect(await remindersAt('2026-11-20T20:00:00Z')).toEqual([person.email])
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
    expect(await lastSentAt(person)).toBe('2026-11-20T20:00:00.000Z')
    for (const time of ['20T20:00:30', '20T20:05:00', '20T21:00:00', '20T23:59:00', '21T19:59:59'])
      expect(await remindersAt(`2026-11-${time}Z`)).toEqual([])
    expect(await remindersAt('2026-11-21T20:00:00Z')).toEqual([person.email])
  })

  test('has a different idempotency key each day, and the same one if the job runs twice', async () => {
    const { id } = await createUser()
    await remindersAt('2026-11-20T20:00:00Z')
    const [first] = [...world.queued]
    // As if the job had died after queueing and before noting it.
    await askDatabase(
      world,
      sql`update users set reminder_last_day = null, reminder_look_at = 0 where id = ${id}`,
    )
    await remindersAt('2026-11-20T20:05:00Z')
    expect(world.queued).toEqual([first])
    await remindersAt('2026-11-21T20:00:00Z')
    expect(world.queued[0]?.id).not.toBe(first?.id)
  })

  test('comes at the local time of each user, and to no other', async () => {
    const due = [
      ['Pacific/Kiritimati', '2026-11-20T06:00:00Z'],
      ['Asia/Kathmandu', '2026-11-20T14:15:00Z'],
      ['Asia/Kolkata', '2026-11-20T14:30:00Z'],
      ['Europe/Berlin', '2026-11-20T19:00:00Z'],
      ['UTC', '2026-11-20T20:00:00Z'],
      ['America/New_York', '2026-11-21T01:00:00Z'],
      // The next day begins there, and the first one is not over in Pago Pago.
      ['Pacific/Kiritimati', '2026-11-21T06:00:00Z'],
      ['Pacific/Pago_Pago', '2026-11-21T07:00:00Z'],
    ] as const
    const emails = new Map<string, string>()
    for (const timezone of new Set(due.map(([zone]) => zone)))
      emails.set(timezone, (await createUser({ timezone }, '2026-11-20T03:00:00Z')).email)
    for (const [timezone, instant] of due) {
      expect(await remindersAt(new Date(Date.parse(instant) - 1_000).toISOString())).toEqual([])
      expect(await remindersAt(instant)).toEqual([emails.get(timezone)])
    }
  })

  test('comes to more than a hundred people in one run, once each', async () => {
    const person = await createUser()
    await askDatabase(
      world,
      sql`
        insert into users (name, email, email_verified_at, timezone, reminder_time, reminder_look_at, created_at, updated_at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 250)
        select 'Many', 'many' || i || '@example.com', 0, 'UTC', '20:00', 0, 0, 0 from n`,
    )
    const reminded = await remindersAt('2026-11-20T20:00:00Z')
    expect([reminded.length, new Set(reminded).size]).toEqual([251, 251])
    expect(reminded).toContain(person.email)
    expect(await remindersAt('2026-11-20T20:05:00Z')).toEqual([])
  })

  test('comes only once the address is verified', async () => {
    setTime('2026-11-20T08:00:00Z')
    const person = await world.register()
    await person.patch('/api/me', { reminder_time: '20:00' })
    expect(await remindersAt('2026-11-20T20:00:00Z')).toEqual([])
    setTime('2026-11-21T09:00:00Z')
    await person.post('/api/email/verification-notification')
    await verifyAddress(world, person)
    expect(await remindersAt('2026-11-21T09:05:00Z')).toEqual([])
    expect(await remindersAt('2026-11-21T20:00:00Z')).toEqual([person.email])
  })

  test('does not come on a local day that a transaction is dated', async () => {
    const tokyo = await createUser({ timezone: 'Asia/Tokyo' }, '2026-11-20T00:00:00Z')
    const pago = await createUser({ timezone: 'Pacific/Pago_Pago' }, '2026-11-20T00:00:00Z')
    await spendOn(tokyo, '2026-11-20')
    // It is still the 19th there.
    await spendOn(pago, '2026-11-19')
    expect(await remindersAt('2026-11-20T11:00:00Z')).toEqual([])
    expect(await remindersAt('2026-11-20T07:00:00Z')).toEqual([])
    expect(await remindersAt('2026-11-21T07:00:00Z')).toEqual([pago.email])
    expect(await remindersAt('2026-11-21T11:00:00Z')).toEqual([tokyo.email])
  })

  test('comes in spite of transactions on other days, and of other people', async () => {
    const [person, other] = [await createUser(), await createUser()]
    await spendOn(person, '2026-11-19')
    await spendOn(person, '2026-11-21')
    await spendOn(other, '2026-11-20')
    expect(await remindersAt('2026-11-20T20:00:00Z')).toEqual([person.email])
  })

  test.each([
    ['one hour and 59 minutes', '2026-11-20T21:59:00Z', 1],
    ['two hours and one minute', '2026-11-20T22:01:00Z', 0],
    ['four hours, after midnight', '2026-11-21T00:01:00Z', 0],
  ])('that is late by %s is sent or skipped as it must', async (_, instant, expected) => {
    await createUser()
    expect(await remindersAt(instant)).toHaveLength(expected)
    expect(await remindersAt('2026-11-21T20:00:00Z')).toHaveLength(1)
  })

  test('of 23:30 may come after midnight, and is then about the day before', async () => {
    const [person, busy] = [await createUser(), await createUser()]
    for (const { patch } of [person, busy]) await patch('/api/me', { reminder_time: '23:30' })
    await spendOn(person, '2026-11-21')
    await spendOn(busy, '2026-11-20')
    expect(await remindersAt('2026-11-21T00:10:00Z')).toEqual([person.email])
    expect(await remindersAt('2026-11-21T23:30:00Z')).toEqual([busy.email])
  })

  test('is sent by two jobs at the same time under one idempotency key', async () => {
    const person = await createUser()
    setTime('2026-11-20T20:00:00Z')
    world.queued.length = 0
    await Promise.all([runJob(), runJob()])
    expect(new Set(world.queued.map((mail) => JSON.stringify(mail))).size).toBe(1)
    expect(await remindersAt('2026-11-20T20:05:00Z')).toEqual([])
    expect(await lastSentAt(person)).toBe('2026-11-20T20:00:00.000Z')
  })

  test('that had to wait does not reach a user who has left or turned reminders off in the meantime', async () => {
    const [left, off, other] = [await createUser(), await createUser(), await createUser()]
    expect(await remindersAt('2026-11-20T20:00:00Z')).toHaveLength(3)
    const waiting = world.queued.splice(0)
    await left.delete('/api/me', { password: left.password })
    await off.patch('/api/me', { reminder_time: null })
    expect((await world.deliver(waiting)).explicitAcks).toHaveLength(3)
    const mails = await Promise.all([left, off, other].map(({ email }) => mailsTo(email)))
    expect(mails).toMatchObject([[], [], [{ subject: 'Nothing recorded today?' }]])
  })

  test('is not lost while the queue takes nothing', async () => {
    const person = await createUser()
    const failing = withQueue(() => Promise.reject(new Error('Queue send failed')))
    setTime('2026-11-20T20:00:00Z')
    await expect(runJob(failing)).rejects.toThrow()
    expect(await lastSentAt(person)).toBeNull()
    expect(await remindersAt('2026-11-20T20:05:00Z')).toEqual([person.email])
  })

  test('of a user whose settings make no sense delays no other', async () => {
    const [broken, person] = [await createUser(), await createUser()]
    // A zone that this runtime no longer knows: names of zones come and go.
    await askDatabase(world, sql`update users set timezone = 'Mars/Olympus' where id = ${broken.id}`)
    muteLog(['error'])
    expect(await remindersAt('2026-11-20T20:00:00Z')).toContain(person.email)
  })
})

/** Runs of the job, with whether a reminder is due, and what the user changes then. */
type Runs = [instant: string, isDue: boolean, changes?: Json][]

async function expectRuns({ email, patch }: Person, runs: Runs): Promise<void> {
  for (const [instant, isDue, changes] of runs) {
    expect([instant, await remindersAt(`${instant}:00Z`)]).toEqual([instant, isDue ? [email] : []])
    if (changes) await patch('/api/me', changes)
  }
}

describe('changing the settings of reminders', () => {
  test.each<[string, Runs]>([
    [
      'to another time moves the next one',
      [
        ['2026-11-20T08:05', false, { reminder_time: '12:15' }],
        ['2026-11-20T12:10', false],
        ['2026-11-20T12:15', true],
        ['2026-11-20T20:00', false],
      ],
    ],
    [
      'to another zone moves the next one',
      [
        ['2026-11-20T08:05', false, { timezone: 'Asia/Tokyo' }],
        ['2026-11-20T11:00', true],
        ['2026-11-20T20:00', false],
        ['2026-11-21T11:00', true],
      ],
    ],
    [
      'after one was sent brings no second one on the same local day',
      [
        ['2026-11-20T20:00', true, { reminder_time: '21:00' }],
        // Further west it is still the same day, and 20:00 comes once more.
        ['2026-11-20T21:00', false, { timezone: 'America/Los_Angeles', reminder_time: '20:00' }],
        ['2026-11-21T04:00', false],
        ['2026-11-22T04:00', true],
      ],
    ],
    [
      'to none ends them, and back to a time resumes them',
      [
        ['2026-11-20T08:05', false, { reminder_time: null }],
        ['2026-11-20T20:00', false],
        ['2026-11-21T20:00', false, { reminder_time: '20:00' }],
        ['2026-11-22T20:00', true],
      ],
    ],
    [
      'to a new name alone changes nothing of them',
      [
        ['2026-11-20T20:00', true, { name: 'New' }],
        ['2026-11-20T20:10', false],
      ],
    ],
  ])('%s', async (_, runs) => {
    await expectRuns(await createUser(), runs)
  })

  test('while the job runs is not undone by it', async () => {
    const person = await createUser()
    setTime('2026-11-20T20:00:00Z')
    await runJob(withQueue(() => person.patch('/api/me', { reminder_time: '06:00' })))
    expect(await remindersAt('2026-11-21T06:00:00Z')).toEqual([person.email])
  })
})

describe('a day on which the clocks change', () => {
  test.each<[string, string, Runs]>([
    [
      'in spring moves the reminder of a skipped time an hour later by the clock',
      '2026-03-27T12:00:00Z',
      [
        ['2026-03-28T02:00', true],
        ['2026-03-29T01:25', false],
        ['2026-03-29T01:30', true],
        ['2026-03-30T00:30', true],
      ],
    ],
    [
      'in autumn has one reminder of a time that comes twice',
      '2026-10-23T12:00:00Z',
      [
        ['2026-10-24T00:30', true],
        ['2026-10-25T00:30', true],
        ['2026-10-25T01:30', false],
        ['2026-10-26T01:30', true],
      ],
    ],
  ])('%s', async (_, registeredAt, runs) => {
    const person = await createUser({ timezone: 'Europe/Berlin' }, registeredAt)
    await person.patch('/api/me', { reminder_time: '02:30' })
    await expectRuns(person, runs)
  })

  test('moves the instant of 20:00, by half an hour on Lord Howe, with one reminder for each day', async () => {
    const due = ['2026-04-04T09:00', '2026-04-05T09:30', '2026-04-06T09:30']
    const person = await createUser({ timezone: 'Australia/Lord_Howe' }, '2026-04-04T01:00:00Z')
    const first = Date.parse('2026-04-04T08:00:00Z')
    const runs = Array.from({ length: 105 }, (_, nth): Runs[number] => {
      const instant = new Date(first + (nth * hourMs) / 2).toISOString().slice(0, 16)
      return [instant, due.includes(instant)]
    })
    await expectRuns(person, runs)
  })
})

describe('the link that ends reminders', () => {
  async function reminded() {
    const person = await createUser()
    await remindersAt('2026-11-20T20:00:00Z')
    return { person, link: pathOf(queuedMail(world, 'reminder', person.email).unsubscribeUrl) }
  }
  const pressInMail = (link: string) =>
    world.call('POST', link, {
      rawBody: 'List-Unsubscribe=One-Click',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: '*/*' },
    })

  test('shows a page with a button on GET, and changes nothing: scanners follow links', async () => {
    const { person, link } = await reminded()
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await world.call(method, link)
      expect([status, headers.get('Content-Type')]).toEqual([200, expect.stringMatching(/^text\/html\b/)])
    }
    const { text, headers } = await world.call('GET', link)
    expect(text).toMatch(/<form method="post"/)
    expect(text).toContain('<button')
    for (const name of [person.email, 'Person 1']) expect(text).not.toContain(name)
    expect(headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('Referrer-Policy')).toBe('no-referrer')
    expect(await reminderTime(person)).toBe('20:00')
    expect(await remindersAt('2026-11-21T20:00:00Z')).toEqual([person.email])
  })

  test('ends them on the POST of an email program, without a token or a cookie, twice and a year later', async () => {
    const { person, link } = await reminded()
    expect((await pressInMail(link)).status).toBe(200)
    expect(await reminderTime(person)).toBeNull()
    expect(await remindersAt('2026-11-21T20:00:00Z')).toEqual([])
    setTime('2027-11-20T20:00:00Z')
    await askDatabase(world, sql`update users set reminder_time = '20:00' where id = ${person.id}`)
    for (let times = 0; times < 2; times++) expect((await pressInMail(link)).status).toBe(200)
    expect(await remindersAt('2027-11-21T20:00:00Z')).toEqual([])
  })

  test('ends them on the button of its page, and says so', async () => {
    const { person, link } = await reminded()
    const { status, headers, text } = await pressButton(world, link)
    expect([status, headers.get('Content-Type')]).toEqual([200, expect.stringMatching(/^text\/html\b/)])
    expect(text).toContain('no more reminders')
    expect(await reminderTime(person)).toBeNull()
  })

  test('is 403 when it is forged or for another user, and ends nothing', async () => {
    const { person, link } = await reminded()
    const other = await createUser()
    const otherUsers = link.replace(`/${person.id}/`, `/${other.id}/`)
    const base = link.slice(0, link.lastIndexOf('/'))
    const altered = [alterLast(link), `${base}/x`, `${base}/${'0'.repeat(64)}`, link.slice(0, -1), `${link}0`]
    for (const path of [...altered, otherUsers])
      for (const method of ['GET', 'POST']) {
        const { status, text } = await world.call(method, path)
        expect(status).toBe(403)
        expect(text).not.toContain('<form')
      }
    expect(await reminderTime(person)).toBe('20:00')
    await pressInMail(link)
    expect(await reminderTime(other)).toBe('20:00')
  })
})
