import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Mail } from '../../../src/queues/mails.ts'
import { createFaultyWorld, type FaultyWorld } from '../faults/faulty-world.ts'
import { setClock } from '../fixtures/clock.ts'
import { holdDatabase } from '../fixtures/held-requests.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import {
  aCategory,
  type Json,
  mailsTo,
  openAccount,
  type Person,
  pathOf,
  pressButton,
  registerVerified,
} from '../fixtures/world.ts'
import { askDatabase } from '../laws/every-route.ts'

const cron = '*/5 * * * *'
type DueMail = Extract<Mail, { kind: 'due' }>

let world: FaultyWorld
beforeEach(() => {
  muteLog()
  world = createFaultyWorld()
})

const at = (instant: string) => setClock(Date.parse(`${instant}Z`))

/** A verified user with an account, on a morning. */
async function register(details: Json = {}, instant = '2026-11-20T08:00') {
  at(instant)
  const person = await registerVerified(world, details)
  return { person, account: await openAccount(person, { name: 'Current account' }) }
}

/** Creates a rule of 950.00 that begins on a day, monthly unless it says otherwise. */
async function repeat({ person, account }: { person: Person; account: Json }, fields: Json): Promise<Json> {
  const category_id = (await aCategory(person)).id
  const template = {
    account_id: account.id,
    category_id,
    type: 'expense',
    amount: '950.00',
    description: 'Rent',
  }
  const rule = { ...template, rrule: 'FREQ=MONTHLY', ...fields }
  const { status, body } = await person.post('/api/recurring', rule)
  expect([status, body]).toEqual([201, expect.anything()])
  return body
}

const dueMails = () => world.queued.flatMap((mail) => (mail.kind === 'due' ? [mail] : []))

/** Runs the job at an instant, and returns what it has queued about recurring transactions. */
async function runAt(instant: string): Promise<DueMail[]> {
  at(instant)
  world.queued.length = 0
  await world.runCron(cron)
  return dueMails()
}
/** The days that the emails list, and their titles. */
const listed = (mails: DueMail[]) =>
  mails.flatMap(({ occurrences }) => occurrences.map(({ day, title }) => `${day} ${title}`))
const remindedAt = async (instant: string) => listed(await runAt(instant))

describe('a reminder of what becomes due', () => {
  test('is one email a day at the time of the daily reminder, so many days ahead as each rule says', async () => {
    const user = await register()
    await repeat(user, { starts_on: '2026-11-22', remind_days: 2 })
    await repeat(user, { starts_on: '2026-11-20', remind_days: 0, description: 'Phone' })
    await repeat(user, { starts_on: '2026-11-21', remind_days: 2, description: 'Not yet seen' })
    await repeat(user, { starts_on: '2026-11-20', description: 'Never' })
    expect(await remindedAt('2026-11-20T08:05')).toEqual([])
    expect(await remindedAt('2026-11-20T19:59')).toEqual([])
    const [mail, ...others] = await runAt('2026-11-20T20:00')
    expect(others).toEqual([])
    const way = { isAbout: false, amount: '950.00', from: 'Current account', to: null }
    expect(mail).toEqual({
      kind: 'due',
      id: expect.stringMatching(/^due-2026-11-20-[0-9a-f]{32}$/),
      to: user.person.email,
      name: expect.any(String),
      frontendUrl: 'https://app.purse.example',
      unsubscribeUrl: expect.stringMatching(/\/api\/reminders\/unsubscribe\/\d+\/[0-9a-f]{64}$/),
      today: '2026-11-20',
      occurrences: [
        { day: '2026-11-20', title: 'Phone', ...way },
        { day: '2026-11-22', title: 'Rent', ...way },
      ],
      more: 0,
    })
    for (const time of ['20T20:05', '21T08:00', '21T20:00', '22T20:00', '30T20:00'])
      expect(await remindedAt(`2026-11-${time}`)).toEqual([])
    expect(await remindedAt('2026-12-19T20:00')).toEqual(['2026-12-21 Not yet seen'])
    expect(await remindedAt('2026-12-20T20:00')).toEqual(['2026-12-20 Phone', '2026-12-22 Rent'])
  })

  test('comes for all other rules if the exceptions of one cannot be read', async () => {
    const [user, other] = [await register(), await register()]
    const { id } = await repeat(user, { starts_on: '2026-11-20', remind_days: 0 })
    await repeat(other, { starts_on: '2026-11-20', remind_days: 0, description: 'Phone' })
    await askDatabase(world, sql`update recurring_rules set exceptions = '{"2026' where id = ${id}`)
    expect(await remindedAt('2026-11-20T20:00')).toEqual(['2026-11-20 Rent', '2026-11-20 Phone'])
  })

  test('comes at 20:00 without a daily reminder, and follows a change of the time', async () => {
    const user = await register({ timezone: 'Europe/Berlin' })
    await user.person.patch('/api/me', { reminder_time: null })
    await repeat(user, { starts_on: '2026-11-20', rrule: 'FREQ=DAILY', remind_days: 1 })
    expect(await remindedAt('2026-11-20T18:59')).toEqual([])
    expect(await remindedAt('2026-11-20T19:00')).toEqual(['2026-11-21 Rent'])
    await user.person.patch('/api/me', { reminder_time: '07:30' })
    expect(await remindedAt('2026-11-20T19:05')).toEqual([])
    expect(await remindedAt('2026-11-21T06:30')).toEqual(['2026-11-22 Rent'])
    // An earlier time that has passed today, before it was reached at the old one.
    await user.person.patch('/api/me', { reminder_time: '23:00' })
    expect(await remindedAt('2026-11-21T22:00')).toEqual([])
    at('2026-11-22T12:00')
    await user.person.post('/api/changes', {
      ops: [{ op: 'update', noun: 'profile', set: { reminder_time: '09:00' } }],
    })
    expect(await remindedAt('2026-11-22T12:05')).toEqual(['2026-11-23 Rent'])
    expect(await remindedAt('2026-11-22T22:00')).toEqual([])
    expect(await remindedAt('2026-11-23T08:00')).toEqual(['2026-11-24 Rent'])
  })

  test('comes although the time is set again in the minutes before the first run', async () => {
    const user = await register()
    await repeat(user, { starts_on: '2026-11-21', remind_days: 1 })
    for (const minute of ['08:01', '08:03']) {
      at(`2026-11-20T${minute}`)
      await user.person.patch('/api/me', { reminder_time: '08:02' })
    }
    expect(await remindedAt('2026-11-20T08:05')).toEqual(['2026-11-21 Rent'])
  })

  test('leaves out what is skipped, recorded, paused, or of an account that is closed or deleted', async () => {
    const user = await register()
    const next = { starts_on: '2026-11-22', remind_days: 2 }
    const rules: Record<string, Json> = {}
    for (const description of ['Skipped', 'Recorded', 'Paused', 'Deleted', 'Moved', 'Kept'])
      rules[description] = await repeat(user, { ...next, description })
    const { person } = user
    for (const [name, does] of [
      ['Closed', 'patch'],
      ['Gone', 'delete'],
    ] as const) {
      const account = await openAccount(person, { name })
      await repeat({ person, account }, { ...next, description: name })
      await person[does](`/api/accounts/${account.id}`, { closed_on: '2026-11-20' })
    }
    const one = (name: string) => `/api/recurring/${rules[name]?.id}/occurrences/2026-11-22`
    await person.put(one('Skipped'), { skip: true })
    await person.post(`${one('Recorded')}/record`)
    await person.put(one('Moved'), { transaction_date: '2026-11-24', description: 'Later', amount: '1234.5' })
    await person.put(`/api/recurring/${rules.Paused?.id}`, { paused: true })
    await person.delete(`/api/recurring/${rules.Deleted?.id}`)
    expect(await remindedAt('2026-11-20T20:00')).toEqual(['2026-11-22 Kept'])
    const [mail] = await runAt('2026-11-22T20:00')
    expect(mail?.occurrences).toMatchObject([{ day: '2026-11-24', title: 'Later', amount: '1234.50' }])
  })

  test('does not list what the job has just recorded by itself', async () => {
    const user = await register()
    await repeat(user, { starts_on: '2026-11-21', rrule: 'FREQ=DAILY', remind_days: 0, auto_record: true })
    expect(await remindedAt('2026-11-24T20:00')).toEqual([])
    expect(await remindedAt('2026-11-25T20:00')).toEqual([])
  })

  test('follows a rule to another day after its email, and does not come twice for a day', async () => {
    const user = await register()
    const rule = await repeat(user, { starts_on: '2026-11-22', remind_days: 2 })
    expect(await remindedAt('2026-11-20T20:00')).toEqual(['2026-11-22 Rent'])
    const path = `/api/recurring/${rule.id}`
    await user.person.put(path, { starts_on: '2026-11-21' })
    expect(await remindedAt('2026-11-20T20:05')).toEqual([])
    await user.person.put(path, { starts_on: '2026-11-24', amount: 1000 })
    expect(await remindedAt('2026-11-21T20:00')).toEqual([])
    const [mail] = await runAt('2026-11-22T20:00')
    expect(mail?.occurrences).toMatchObject([{ day: '2026-11-24', amount: '1000.00' }])
    at('2026-11-23T12:00')
    await user.person.put(path, { from: '2026-12-24', rrule: 'FREQ=MONTHLY;BYMONTHDAY=26' })
    for (const day of ['2026-11-23', '2026-12-22', '2026-12-23'])
      expect(await remindedAt(`${day}T20:00`)).toEqual([])
    expect(await remindedAt('2026-12-24T20:00')).toEqual(['2026-12-26 Rent'])
  })

  test('does not come to an unverified address, and not later for what it has missed', async () => {
    at('2026-11-20T08:00')
    const person = await world.register()
    const user = { person, account: await openAccount(person) }
    await repeat(user, { starts_on: '2026-11-21', rrule: 'FREQ=DAILY', remind_days: 1 })
    expect(await remindedAt('2026-11-20T20:00')).toEqual([])
    await askDatabase(world, sql`update users set email_verified_at = 0 where id = ${person.id}`)
    expect(await remindedAt('2026-11-20T20:05')).toEqual([])
    expect(await remindedAt('2026-11-21T20:00')).toEqual(['2026-11-22 Rent'])
  })

  test('begins with the rule, its change or its upload, and ends with the last rule that asks for it', async () => {
    const user = await register()
    const { person, account } = user
    const looksAt = async () => {
      const [row] = await askDatabase(
        world,
        sql`select due_reminder_look_at as look_at, due_reminder_last_day as day from users where id = ${person.id}`,
      )
      return [row?.look_at, row?.day]
    }
    const rule = await repeat(user, { starts_on: '2026-11-21', rrule: 'FREQ=DAILY' })
    expect(await looksAt()).toEqual([null, null])
    await person.put(`/api/recurring/${rule.id}`, { remind_days: 1 })
    expect(await remindedAt('2026-11-20T20:00')).toEqual(['2026-11-21 Rent'])
    await person.put(`/api/recurring/${rule.id}`, { remind_days: null })
    await runAt('2026-11-21T20:00')
    expect(await looksAt()).toEqual([null, null])
    const set = {
      account_id: account.id,
      category_id: (await aCategory(person)).id,
      type: 'expense',
      amount: 5,
    }
    const upload = { ...set, starts_on: '2026-12-02', rrule: 'FREQ=DAILY', remind_days: 0 }
    at('2026-12-01T12:00')
    await person.post('/api/changes', {
      ops: [{ op: 'create', noun: 'recurring', client_id: 'r', set: upload }],
    })
    // What was due while no rule asked for it is not listed.
    expect(await remindedAt('2026-12-02T20:00')).toHaveLength(1)
  })
})

/** More requests than a run makes: reminders, recording, and then a check, its schedule, and a look for more. */
const requests = [1, 2, 3, 4, 5, 6]

describe('the job', () => {
  test('sends one email after an outage of days, with all that it has missed, and then one a day', async () => {
    const user = await register({ timezone: 'America/New_York' })
    await repeat(user, { starts_on: '2026-11-20', rrule: 'FREQ=DAILY', remind_days: 0 })
    await repeat(user, { starts_on: '2026-11-26', remind_days: 3, description: 'Gas' })
    expect(await remindedAt('2026-11-21T01:00')).toEqual(['2026-11-20 Rent'])
    const [mail, ...others] = await runAt('2026-11-25T08:00')
    expect([mail?.today, others]).toEqual(['2026-11-25', []])
    const missed = ['2026-11-21', '2026-11-22', '2026-11-23', '2026-11-24'].map((day) => `${day} Rent`)
    expect(listed(mail ? [mail] : [])).toEqual([...missed, '2026-11-26 Gas'])
    expect(await remindedAt('2026-11-25T08:05')).toEqual([])
    expect(await remindedAt('2026-11-26T01:00')).toEqual(['2026-11-25 Rent'])
  })

  test('sends the email of two runs at the same time under one idempotency key', async () => {
    const user = await register()
    await repeat(user, { starts_on: '2026-11-21', remind_days: 1 })
    at('2026-11-20T20:00')
    world.queued.length = 0
    await Promise.all([world.runCron(cron), world.runCron(cron)])
    expect(new Set(dueMails().map((mail) => JSON.stringify(mail))).size).toBe(1)
    await world.deliver([...world.queued])
    await world.runCron(cron)
    const subjects = (await mailsTo(user.person.email)).map(({ subject }: Json) => subject)
    expect(subjects.filter((subject: string) => subject === 'Due on 21 November: Rent')).toHaveLength(1)
  })

  test.each(requests)(
    'that is killed at request %i sends one email, alone or beside another run',
    async (only) => {
      for (const executed of [false, true])
        for (const runs of [1, 2]) {
          const user = await register()
          await repeat(user, { starts_on: '2026-11-21', remind_days: 1 })
          at('2026-11-20T20:00')
          world.queued.length = 0
          await world.whileBroken({ gets: 'cut', executed, only }, () =>
            Promise.allSettled(Array.from({ length: runs }, () => world.runCron(cron))),
          )
          await world.runCron(cron)
          const own = dueMails().filter(({ to }) => to === user.person.email)
          expect(new Set(own.map((mail) => JSON.stringify(mail))).size).toBe(1)
          expect(await remindedAt('2026-11-20T20:10')).toEqual([])
        }
    },
  )

  test('overwrites no change of the settings that is made while it runs, and loses no rule that begins then', async () => {
    for (const request of requests) {
      const user = await register()
      const { person } = user
      const rule = await repeat(user, { starts_on: '2026-11-21', rrule: 'FREQ=DAILY', remind_days: 1 })
      await person.put(`/api/recurring/${rule.id}`, { remind_days: null })
      at('2026-11-20T21:00')
      const { release, areHeld } = holdDatabase(1, request - 1)
      const run = world.runCron(cron)
      await Promise.race([run.then(release), areHeld()])
      await person.put(`/api/recurring/${rule.id}`, { remind_days: 1 })
      await person.patch('/api/me', { reminder_time: '06:00' })
      release()
      await run
      expect(await remindedAt('2026-11-20T21:05')).toEqual([])
      expect(await remindedAt('2026-11-21T05:59')).toEqual([])
      expect(await remindedAt('2026-11-21T06:00')).toEqual(['2026-11-22 Rent'])
      await person.delete('/api/me', { password: person.password })
    }
  })

  test('for users whose rules ask for nothing only looks for them', async () => {
    const user = await register()
    await repeat(user, { starts_on: '2026-11-21' })
    await user.person.patch('/api/me', { reminder_time: null })
    await runAt('2026-11-20T08:05')
    await world.resetDatabaseWork()
    await runAt('2026-11-20T20:00')
    expect(await world.databaseWork()).toMatchObject({ requests: 3, rowsRead: 3, rowsWritten: 0 })
  })

  test('reminds more users, and of more rules, than one request reads, and lists twenty in an email', async () => {
    const many = await register()
    const text = '\u{1F600}'.repeat(255)
    await askDatabase(world, sql`update accounts set name = ${text} where id = ${many.account.id}`)
    const rule = await repeat(many, {
      starts_on: '2026-11-21',
      rrule: 'FREQ=DAILY',
      remind_days: 1,
      description: text,
    })
    const exceptions = Array.from({ length: 200 }, (_, nth) => [
      new Date(Date.parse('2026-10-01') + nth * 86_400_000).toISOString().slice(0, 10),
      { description: '"'.repeat(255) },
    ])
    await askDatabase(
      world,
      sql`update recurring_rules set exceptions = ${JSON.stringify(Object.fromEntries(exceptions))} where id = ${rule.id}`,
    )
    const columns =
      sql.raw(`account_id, type, amount, amount_tolerance, description, starts_on, rrule, weekend,
      auto_record, remind_days, paused, opened_at, opened_in, exceptions, version, created_at, updated_at`)
    await askDatabase(
      world,
      sql`
      insert into recurring_rules (user_id, ${columns})
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 199)
      select user_id, ${columns} from recurring_rules, n where id = ${rule.id}`,
    )
    const others = [await register(), await register()]
    for (const user of others) await repeat(user, { starts_on: '2026-11-21', remind_days: 1 })
    const mails = await runAt('2026-11-20T20:00')
    expect(mails.map(({ to, more }) => [to, more])).toEqual([
      [many.person.email, 180],
      ...others.map(({ person }) => [person.email, 0]),
    ])
    expect(mails[0]?.occurrences).toHaveLength(20)
    expect(JSON.stringify(mails[0]).length).toBeLessThan(14_000)
    expect(await runAt('2026-11-20T20:05')).toEqual([])
  })
})

describe('a user who moves, or whose clock does,', () => {
  test.each([
    ['over the date line to the west', '2026-11-20', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'],
    ['over the date line to the east', '2026-11-20', 'Pacific/Pago_Pago', 'Pacific/Kiritimati'],
    ['to winter time', '2026-10-23', 'Europe/Berlin', 'Europe/Berlin'],
    ['to summer time of half an hour', '2026-10-02', 'Australia/Lord_Howe', 'Australia/Lord_Howe'],
  ])('%s is reminded of each day once', async (_, start, from, to) => {
    const user = await register({ timezone: from }, `${start}T00:00`)
    await user.person.patch('/api/me', { reminder_time: '02:20' })
    await repeat(user, { starts_on: start, rrule: 'FREQ=DAILY', remind_days: 2 })
    const found: string[] = []
    for (let hour = 0; hour < 24 * 5; hour += 2) {
      if (hour === 42) await user.person.patch('/api/me', { timezone: to })
      const instant = new Date(Date.parse(`${start}T00:00Z`) + hour * 3_600_000)
      const mails = await runAt(instant.toISOString().slice(0, 16))
      expect(mails.length).toBeLessThanOrEqual(1)
      found.push(...mails.flatMap(({ occurrences }) => occurrences.map(({ day }) => day)))
    }
    const [first = ''] = found
    const days = found.map((_, nth) =>
      new Date(Date.parse(first) + nth * 86_400_000).toISOString().slice(0, 10),
    )
    expect(found).toEqual(days)
    expect(found.length).toBeGreaterThanOrEqual(4)
  })
})

describe('the unsubscribe link', () => {
  const profile = async ({ get }: Person) => {
    const { due_reminders, reminder_time } = (await get('/api/me')).body
    return { due_reminders, reminder_time }
  }

  /** A day of its own for each test that delivers: users of all databases have the same ids, and emails the same keys. */
  async function reminded(day = '2026-11-20') {
    const user = await register({}, `${day}T08:00`)
    await repeat(user, { starts_on: day, rrule: 'FREQ=DAILY', remind_days: 1 })
    const [mail] = await runAt(`${day}T20:00`)
    const daily = world.queued.find(({ kind, to }) => kind === 'reminder' && to === user.person.email)
    const linkOf = (one: Mail | undefined) => pathOf(one && 'unsubscribeUrl' in one ? one.unsubscribeUrl : '')
    return { ...user, mail, link: linkOf(mail), dailyLink: linkOf(daily) }
  }

  test('ends these emails alone, and that of the daily reminder leaves them on', async () => {
    const { person, link, dailyLink } = await reminded()
    expect((await world.call('GET', link)).text).toContain('recurring')
    expect(await profile(person)).toEqual({ due_reminders: true, reminder_time: '20:00' })
    const { status, text } = await pressButton(world, link)
    expect([status, text]).toEqual([
      200,
      expect.stringContaining('no more reminders of recurring transactions'),
    ])
    expect(await profile(person)).toEqual({ due_reminders: false, reminder_time: '20:00' })
    expect(await remindedAt('2026-11-21T20:00')).toEqual([])
    expect(world.queued.map(({ kind }) => kind)).toEqual(['reminder'])
    await person.patch('/api/me', { due_reminders: true, reminder_time: '10:00' })
    await pressButton(world, dailyLink)
    expect(await profile(person)).toEqual({ due_reminders: true, reminder_time: null })
    expect(await remindedAt('2026-11-22T20:00')).toEqual(['2026-11-23 Rent'])
    expect(world.queued.map(({ kind }) => kind)).toEqual(['due'])
  })

  test('stands in the headers of the email (RFC 8058), and its signature works for no other user', async () => {
    const { person, link, mail } = await reminded('2026-11-24')
    await world.deliver(mail ? [mail] : [])
    const [{ headers, text }] = await mailsTo(person.email)
    expect(headers).toMatchObject({
      'List-Unsubscribe': `<${mail?.unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
    expect(text).toContain(mail?.unsubscribeUrl)
    const { person: other } = await register()
    const oneClick = { rawBody: 'List-Unsubscribe=One-Click', headers: { Accept: '*/*' } }
    const foreign = link.replace(`/${person.id}/`, `/${other.id}/`)
    for (const method of ['GET', 'POST']) expect((await world.call(method, foreign)).status).toBe(403)
    expect(await profile(other)).toEqual({ due_reminders: true, reminder_time: '20:00' })
    for (let times = 0; times < 2; times++)
      expect((await world.call('POST', link, oneClick)).status).toBe(200)
    expect(await profile(person)).toEqual({ due_reminders: false, reminder_time: '20:00' })
  })

  test('does not end the other emails, or fail, where its path names another user by the same signature', async () => {
    const { person, link } = await reminded('2026-11-26')
    for (const id of [
      `${person.id}%3Fdue`,
      `${person.id}%2Fdue`,
      `..%2Fdue%2Funsubscribe%2F${person.id}`,
      '%00',
      'due',
    ])
      for (const method of ['GET', 'POST']) {
        const { status } = await world.call(method, link.replace(`/${person.id}/`, `/${id}/`))
        expect([id, method, status]).toEqual([id, method, 403])
      }
    expect(await profile(person)).toEqual({ due_reminders: true, reminder_time: '20:00' })
  })

  test('also ends an email that is still in the queue', async () => {
    const { person, mail } = await reminded('2026-11-25')
    await person.post('/api/changes', {
      ops: [{ op: 'update', noun: 'profile', set: { due_reminders: false }, was: { due_reminders: true } }],
    })
    expect(await profile(person)).toMatchObject({ due_reminders: false })
    await world.deliver(mail ? [mail] : [])
    expect(await mailsTo(person.email)).toEqual([])
  })
})
