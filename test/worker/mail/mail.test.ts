import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Mail } from '../../../src/shared/mails.ts'
import { mailQueue } from '../../../src/shared/queues.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import { setFault } from '../fixtures/part-faults.ts'
import {
  createWorld,
  type Json,
  mailsTo,
  queuedMail,
  signInThroughProvider,
  verifyAddress,
  type World,
} from '../fixtures/world.ts'
import { openWorldDatabase } from '../laws/every-route.ts'

const address = () => `${crypto.randomUUID()}@example.com`

afterEach(async () => {
  vi.restoreAllMocks()
  await fault('DELETE')
})

const fault = (method: 'POST' | 'DELETE', order?: Record<string, unknown>) =>
  setFault(env.RESEND_BASE_URL, method, order)

const quiet = () => muteLog(['error'])

/** An email of each kind, none of which an email service would object to. */
function mailTo(to: string, fields: Partial<Mail> = {}): Mail {
  return {
    kind: 'verify_address',
    id: crypto.randomUUID(),
    to,
    name: 'Ada',
    url: 'http://purse.test/api/email/verify/1/a?expires=1&signature=b',
    ...fields,
  } as Mail
}

function reminderTo(to: string, notAfter: string): Mail {
  return mailTo(to, {
    kind: 'reminder',
    frontendUrl: 'https://app.purse.example',
    unsubscribeUrl: 'http://purse.test/api/reminders/unsubscribe/1/abc',
    notAfter,
  })
}

async function failedMails(world: World): Promise<Json[]> {
  const db = openWorldDatabase(world)
  const [rows] = await db.batch([db.all(sql`select * from failed_mails order by recipient`)])
  return rows
}

const acknowledged = { acknowledged: 1, retryDelays: [] as unknown[] }
const toComeAgain = { acknowledged: 0, retryDelays: [expect.any(Number)] }
/** How many of the messages were acknowledged, and after how many seconds the others will be redelivered. */
const outcome = ({ explicitAcks, delays }: { explicitAcks: string[]; delays: (number | undefined)[] }) => ({
  acknowledged: explicitAcks.length,
  retryDelays: delays,
})

describe('an email', () => {
  test('of registering arrives, as text and HTML, with a link that works', async () => {
    const world = createWorld()
    const person = await world.register({ email: address(), name: 'Ada' })
    const { url, id } = queuedMail(world, 'verify_address', person.email)
    expect(outcome(await world.deliver([...world.queued]))).toEqual(acknowledged)
    const [mail, ...more] = await mailsTo(person.email)
    expect(more).toEqual([])
    expect(mail).toMatchObject({
      from: 'Purse <no-reply@purse.example>',
      to: [person.email],
      cc: [],
      bcc: [],
      subject: 'Verify your email address',
      idempotency_key: id,
    })
    expect(mail.text).toContain('Hello Ada,')
    expect(mail.text).toContain(url)
    expect(mail.html).toContain(`href="${url.replaceAll('&', '&amp;')}"`)
    await verifyAddress(world, person)
    expect((await person.get('/api/me')).body.email_verified_at).not.toBeNull()
  })

  test('of a forgotten password arrives with its link', async () => {
    const world = createWorld()
    const { email } = await world.register({ email: address() })
    world.queued.length = 0
    await world.call('POST', '/api/forgot-password', { body: { email } })
    const { url } = queuedMail(world, 'reset_password', email)
    await world.deliver()
    const mails = await mailsTo(email)
    expect(mails.map(({ subject }) => subject)).toEqual(['Reset your password'])
    expect(mails[0].text).toContain(url)
    expect(mails[0].html).toContain(`href="${url.replaceAll('&', '&amp;')}"`)
  })

  test('of leaving arrives', async () => {
    const world = createWorld()
    const person = await world.register({ email: address() })
    world.queued.length = 0
    await person.delete('/api/me', { password: person.password })
    await world.deliver()
    expect((await mailsTo(person.email)).map(({ subject }) => subject)).toEqual([
      'Your account has been deleted',
    ])
  })

  test('that reminds arrives with the headers of a one-click unsubscribe (RFC 8058)', async () => {
    const world = createWorld()
    const { email: to } = await world.register({ email: address() })
    await world.deliver([reminderTo(to, new Date(Date.now() + 60_000).toISOString())])
    const [{ headers }] = await mailsTo(to)
    expect(headers).toMatchObject({
      'List-Unsubscribe': '<http://purse.test/api/reminders/unsubscribe/1/abc>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
  })

  test('that reminds is not sent once it is too late', async () => {
    const world = createWorld()
    const { email: to } = await world.register({ email: address() })
    const response = await world.deliver([reminderTo(to, new Date(Date.now() - 1_000).toISOString())])
    expect(outcome(response)).toEqual(acknowledged)
    expect(await mailsTo(to)).toEqual([])
  })

  test('is sent from the queue of each environment', async () => {
    for (const queue of ['purse-staging-mail', 'purse-production-mail']) {
      const to = address()
      expect(outcome(await createWorld().deliver([mailTo(to)], queue))).toEqual(acknowledged)
      expect(await mailsTo(to)).toHaveLength(1)
    }
  })

  test('with other wording but the same id is the same email', async () => {
    quiet()
    const [to, world] = [address(), createWorld()]
    const mail = mailTo(to)
    await world.deliver([mail])
    expect(outcome(await world.deliver([{ ...mail, name: 'Eve' }]))).toEqual(acknowledged)
    expect(await mailsTo(to)).toHaveLength(1)
  })
})

describe('the queue that delivers a message again', () => {
  test('three times in a row sends one email of each', async () => {
    const world = createWorld()
    const person = await world.register({ email: address() })
    await world.call('POST', '/api/forgot-password', { body: { email: person.email } })
    await person.delete('/api/me', { password: person.password })
    const messages = [...world.queued]
    expect(messages.map(({ kind }) => kind)).toEqual(['verify_address', 'reset_password', 'farewell'])
    for (let delivery = 1; delivery <= 3; delivery++) {
      expect(outcome(await world.deliver(messages, 'purse-mail', delivery))).toEqual({
        acknowledged: 3,
        retryDelays: [],
      })
    }
    expect(await mailsTo(person.email)).toHaveLength(3)
    expect(await failedMails(world)).toEqual([])
  })

  test('to several consumers at once sends one email, once those that met the other have retried', async () => {
    quiet()
    const world = createWorld()
    const to = address()
    const mail = mailTo(to)
    await Promise.all([world.deliver([mail, mail, mail]), world.deliver([mail, mail, mail])])
    expect(outcome(await world.deliver([mail], 'purse-mail', 2))).toEqual(acknowledged)
    expect(await mailsTo(to)).toHaveLength(1)
    expect(await failedMails(world)).toEqual([])
  })
})

describe('an email service', () => {
  test.each([
    ['responds with 500', { status: 500 }],
    ['responds with 429', { status: 429 }],
    ['finds the key wrong', { status: 400 }],
    ['takes the mail and then responds with 500', { status: 500, keep: true }],
    ['takes the mail and then responds with 429', { status: 429, keep: true }],
  ])('that %s gets the email again, and it arrives once', async (_, order) => {
    quiet()
    const world = createWorld()
    const to = address()
    const mail = mailTo(to)
    await fault('POST', { ...order, times: 2 })
    expect(outcome(await world.deliver([mail], 'purse-mail', 1))).toEqual(toComeAgain)
    expect(outcome(await world.deliver([mail], 'purse-mail', 2))).toEqual(toComeAgain)
    expect(outcome(await world.deliver([mail], 'purse-mail', 3))).toEqual(acknowledged)
    expect(await mailsTo(to)).toHaveLength(1)
    expect(await failedMails(world)).toEqual([])
  })

  test.each([false, true])(
    'that does not respond is given up on, and gets the email again (kept the first time: %s)',
    async (keep) => {
      quiet()
      const world = createWorld()
      const to = address()
      const mail = mailTo(to)
      await fault('POST', { hang: true, times: 1, keep })
      const realTimeout = AbortSignal.timeout.bind(AbortSignal)
      const patience = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => realTimeout(ms / 50))
      expect(outcome(await world.deliver([mail]))).toEqual(toComeAgain)
      expect(Math.max(...patience.mock.calls.map(([ms]) => ms))).toBeLessThanOrEqual(30_000)
      patience.mockRestore()
      await fault('DELETE')
      expect(outcome(await world.deliver([mail], 'purse-mail', 2))).toEqual(acknowledged)
      expect(await mailsTo(to)).toHaveLength(1)
    },
  )

  test('that breaks off the connection gets the email again', async () => {
    quiet()
    const world = createWorld()
    const to = address()
    const mail = mailTo(to)
    await fault('POST', { hang: true, times: 1 })
    const delivery = world.deliver([mail])
    await vi.waitFor(async () => {
      const { hanging }: Json = await (await fetch(`${env.RESEND_BASE_URL}/faults`)).json()
      expect(hanging).toBe(1)
    })
    await fault('DELETE')
    expect(outcome(await delivery)).toEqual(toComeAgain)
    expect(outcome(await world.deliver([mail], 'purse-mail', 2))).toEqual(acknowledged)
    expect(await mailsTo(to)).toHaveLength(1)
  })

  test('that cannot be reached gets the email again', async () => {
    quiet()
    const to = address()
    const unreachable = createWorld({ RESEND_BASE_URL: 'http://127.0.0.1:9' } as Partial<Env>)
    const mail = mailTo(to)
    expect(outcome(await unreachable.deliver([mail]))).toEqual(toComeAgain)
    expect(outcome(await createWorld().deliver([mail]))).toEqual(acknowledged)
    expect(await mailsTo(to)).toHaveLength(1)
  })

  test('that fails is given more time with each attempt, within what the queue allows', async () => {
    quiet()
    const world = createWorld({ RESEND_BASE_URL: 'http://127.0.0.1:9' } as Partial<Env>)
    const delays: number[] = []
    for (let attempt = 1; attempt <= 24; attempt++) {
      const { retryDelays } = outcome(await world.deliver([mailTo(address())], 'purse-mail', attempt))
      delays.push(Number(retryDelays[0]))
    }
    const early = delays.slice(0, 8)
    expect(early).toEqual([...new Set(early)].sort((a, b) => a - b))
    expect(delays).toEqual([...delays].sort((a, b) => a - b))
    expect(delays[0]).toBeGreaterThan(0)
    // Cloudflare delays by twelve hours at most, and Resend knows an idempotency key for a day.
    expect(Math.max(...delays)).toBeLessThanOrEqual(43_200)
    expect(delays.reduce((sum, delay) => sum + delay, 0)).toBeLessThan(86_400)
  })

  test('that refuses one email for good holds up no other of the batch, and the refusal is recorded', async () => {
    quiet()
    const world = createWorld()
    const [good, wrong, alsoGood] = [address(), 'no address', address()]
    const response = await world.deliver([mailTo(good), mailTo(wrong), 'nonsense', mailTo(alsoGood)])
    expect(outcome(response)).toEqual({ acknowledged: 4, retryDelays: [] })
    expect([await mailsTo(good), await mailsTo(alsoGood)].map((mails) => mails.length)).toEqual([1, 1])
    expect((await failedMails(world)).map(({ kind, recipient }) => ({ kind, recipient }))).toEqual([
      { kind: 'verify_address', recipient: 'no address' },
      { kind: 'unknown', recipient: 'unknown' },
    ])
  })

  test('that fails holds up no other email: each message has its own outcome', async () => {
    quiet()
    const world = createWorld()
    await fault('POST', { status: 500, times: 1 })
    const response = outcome(await world.deliver([mailTo(address()), mailTo(address()), mailTo(address())]))
    expect(response).toEqual({ acknowledged: 2, retryDelays: [expect.any(Number)] })
  })

  test('that fails is logged without the address and without the link', async () => {
    const log = quiet()
    const to = address()
    await fault('POST', { status: 500, times: 1 })
    await createWorld().deliver([mailTo(to)])
    expect(log.join()).toContain('verify_address')
    expect(log.join()).not.toContain(to)
    expect(log.join()).not.toContain('signature')
  })
})

describe('a message that is not an email', () => {
  test.each([
    ['null', null],
    ['a text', 'nonsense'],
    ['a number', 7],
    ['a list', []],
    ['an empty object', {}],
    ['an unknown kind', { ...mailTo('a@example.com'), kind: 'newsletter' }],
    ['a mail without its link', { ...mailTo('a@example.com'), url: undefined }],
    ['a mail without an id', { ...mailTo('a@example.com'), id: '' }],
    ['a mail without an address', { ...mailTo('a@example.com'), to: null }],
    ['a mail to many', { ...mailTo('a@example.com'), to: ['a@example.com', 'b@example.com'] }],
  ])('but %s is set aside: acknowledged, recorded, never sent', async (_, body) => {
    quiet()
    const world = createWorld()
    expect(outcome(await world.deliver([body]))).toEqual(acknowledged)
    expect(await failedMails(world)).toHaveLength(1)
  })

  test('and cannot be recorded either is redelivered', async () => {
    quiet()
    const world = createWorld({ TURSO_DATABASE_URL: 'http://127.0.0.1:9/' })
    expect(outcome(await world.deliver(['nonsense']))).toEqual(toComeAgain)
  })
})

describe('an email that was tried until the queue gave up', () => {
  const dead = 'purse-mail-dead'

  test('is recorded with its id, kind, recipient, reason and time, but not its link', async () => {
    const world = createWorld()
    const to = address()
    const mail = mailTo(to)
    const before = Date.now()
    expect(outcome(await world.deliver([mail], dead))).toEqual(acknowledged)
    const [row, ...more] = await failedMails(world)
    expect(more).toEqual([])
    expect(row).toEqual({
      id: mail.id,
      kind: 'verify_address',
      recipient: to,
      reason: expect.stringMatching(/./),
      failed_at: expect.any(Number),
    })
    expect(row.failed_at).toBeGreaterThanOrEqual(before)
    expect(JSON.stringify(row)).not.toContain('signature')
    expect(await mailsTo(to)).toEqual([])
  })

  test('is recorded once, however often it is delivered', async () => {
    const world = createWorld()
    const mail = mailTo(address())
    for (let i = 0; i < 3; i++) expect(outcome(await world.deliver([mail], dead))).toEqual(acknowledged)
    await world.deliver([mail, mail], dead)
    expect(await failedMails(world)).toHaveLength(1)
  })

  test('is recorded in every environment', async () => {
    const world = createWorld()
    await world.deliver([mailTo(address())], 'purse-staging-mail-dead')
    await world.deliver([mailTo(address())], 'purse-production-mail-dead')
    expect(await failedMails(world)).toHaveLength(2)
  })

  test.each([null, 'nonsense', {}])('is recorded even if it is not an email (%j)', async (body) => {
    const world = createWorld()
    expect(outcome(await world.deliver([body], dead))).toEqual(acknowledged)
    expect(await failedMails(world)).toHaveLength(1)
  })

  test('is redelivered while the database is down', async () => {
    quiet()
    const world = createWorld({ TURSO_DATABASE_URL: 'http://127.0.0.1:9/' })
    expect(outcome(await world.deliver([mailTo(address())], dead))).toEqual(toComeAgain)
  })
})

describe('a queue that takes nothing', () => {
  const throwing = {
    send: async () => {
      throw new Error('Queue send failed for ada@example.com')
    },
    sendBatch: async () => {
      throw new Error('Queue send failed')
    },
  } as unknown as Queue<Mail>

  test('fails no request that wanted to send an email', async () => {
    const log = quiet()
    const world = createWorld({ MAIL_QUEUE: throwing })
    const person = await world.register({ email: 'ada@example.com' })
    const resent = await person.post('/api/email/verification-notification')
    expect([resent.status, resent.body.message]).toEqual([200, 'Verification email queued.'])
    const body = { email: person.email }
    expect((await world.call('POST', '/api/forgot-password', { body })).status).toBe(200)
    expect((await person.delete('/api/me', { password: person.password })).status).toBe(204)
    const registered = await world.register({ email: address() })
    expect((await signInThroughProvider(world, registered.email)).id).toBe(registered.id)
    expect(log.filter((line) => line.includes('mail not queued'))).toHaveLength(6)
    expect(log.join()).not.toContain('ada@example.com')
  })
})

test('a slow queue does not hold up the response, and still gets its message', async () => {
  const taken: Mail[] = []
  const underWay: Promise<unknown>[] = []
  const opened = Promise.withResolvers<void>()
  const slow = {
    async send(mail: Mail) {
      await opened.promise
      taken.push(mail)
    },
  } as unknown as Queue<Mail>
  const mail = mailTo(address())
  await mailQueue(slow, (promise) => underWay.push(promise)).post(mail)
  expect(taken).toEqual([])
  opened.resolve()
  await Promise.all(underWay)
  expect(taken).toEqual([mail])
})
