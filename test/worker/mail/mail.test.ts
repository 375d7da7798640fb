import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { defaultBudgets } from '../../../src/failures/budgets.ts'
import type { Mail } from '../../../src/queues/mails.ts'
import { mailQueue } from '../../../src/queues/queues.ts'
import { budgets } from '../../budgets.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import { setFault } from '../fixtures/part-faults.ts'
import {
  anAddress,
  createWorld,
  type Json,
  mailsTo,
  queuedMail,
  requestReset,
  signInThroughProvider,
  verifyAddress,
} from '../fixtures/world.ts'
import { askDatabase } from '../laws/every-route.ts'

const world = createWorld()
const unreachable = { RESEND_BASE_URL: 'http://127.0.0.1:9' } as Partial<Env>
const noDatabase = { TURSO_DATABASE_URL: 'http://127.0.0.1:9/' }

let log: string[] = []
beforeEach(() => {
  log = muteLog(['error'])
  world.queued.length = 0
})
afterEach(async () => {
  vi.restoreAllMocks()
  await setFault(env.RESEND_BASE_URL, 'DELETE')
  await askDatabase(world, sql`delete from failed_mails`)
})

const fault = (order: Record<string, unknown>) => setFault(env.RESEND_BASE_URL, 'POST', order)

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

function reminderTo(to: string, validMs: number): Mail {
  return mailTo(to, {
    kind: 'reminder',
    frontendUrl: 'https://app.purse.example',
    unsubscribeUrl: 'http://purse.test/api/reminders/unsubscribe/1/abc',
    notAfter: new Date(Date.now() + validMs).toISOString(),
  })
}

const failedMails = (): Promise<Json[]> =>
  askDatabase(world, sql`select * from failed_mails order by recipient`)
const sentTo = async (to: string) => (await mailsTo(to)).length

/** Delivers; returns how many messages were acknowledged, and after how many seconds the others will be redelivered. */
async function deliver(messages: unknown[], attempt = 1, queue = 'purse-mail', to = world) {
  const { explicitAcks, delays } = await to.deliver(messages, queue, attempt)
  return { acknowledged: explicitAcks.length, retryDelays: delays }
}
const acknowledged = (count = 1) => ({ acknowledged: count, retryDelays: [] as unknown[] })
const toComeAgain = { acknowledged: 0, retryDelays: [expect.any(Number)] }

describe('an email', () => {
  test('of registering arrives, as text and HTML, with a link that works', async () => {
    const person = await world.register({ name: 'Ada' })
    const { url, id } = queuedMail(world, 'verify_address', person.email)
    expect(await deliver([...world.queued])).toEqual(acknowledged())
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

  test('of each kind is sent once, though the queue delivers it three times', async () => {
    const { email, password, delete: leave } = await world.register()
    await requestReset(world, { email })
    const { url } = queuedMail(world, 'reset_password', email)
    await leave('/api/me', { password })
    const messages = [...world.queued]
    for (let delivery = 1; delivery <= 3; delivery++)
      expect(await deliver(messages, delivery)).toEqual(acknowledged(3))
    const mails = await mailsTo(email)
    expect(mails.map(({ subject }) => subject)).toEqual([
      'Verify your email address',
      'Reset your password',
      'Your account has been deleted',
    ])
    expect(mails[1].text).toContain(url)
    expect(mails[1].html).toContain(`href="${url.replaceAll('&', '&amp;')}"`)
    expect(await failedMails()).toEqual([])
  })

  test('to several consumers at once is sent once, once those that met the other have retried', async () => {
    const to = anAddress()
    const mail = mailTo(to)
    await Promise.all([deliver([mail, mail, mail]), deliver([mail, mail, mail])])
    expect(await deliver([mail], 2)).toEqual(acknowledged())
    expect([await sentTo(to), await failedMails()]).toEqual([1, []])
  })

  test('that reminds arrives with the headers of a one-click unsubscribe (RFC 8058), unless it is too late', async () => {
    const [{ email: to }, { email: late }] = [await world.register(), await world.register()]
    expect(await deliver([reminderTo(to, 60_000), reminderTo(late, -1_000)])).toEqual(acknowledged(2))
    const [{ headers }] = await mailsTo(to)
    expect(headers).toMatchObject({
      'List-Unsubscribe': '<http://purse.test/api/reminders/unsubscribe/1/abc>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
    expect(await mailsTo(late)).toEqual([])
  })

  test.each(['purse-staging-mail', 'purse-production-mail'])('is sent from the queue %s', async (queue) => {
    const to = anAddress()
    expect(await deliver([mailTo(to)], 1, queue)).toEqual(acknowledged())
    expect(await sentTo(to)).toBe(1)
  })

  test('with other wording but the same id is the same email', async () => {
    const to = anAddress()
    const mail = mailTo(to)
    await deliver([mail])
    expect(await deliver([{ ...mail, name: 'Eve' }])).toEqual(acknowledged())
    expect(await sentTo(to)).toBe(1)
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
    const to = anAddress()
    const mail = mailTo(to)
    await fault({ ...order, times: 2 })
    for (const attempt of [1, 2]) expect(await deliver([mail], attempt)).toEqual(toComeAgain)
    expect(await deliver([mail], 3)).toEqual(acknowledged())
    expect([await sentTo(to), await failedMails()]).toEqual([1, []])
  })

  test.each([false, true])(
    'that does not respond is given up on, and gets the email again (kept the first time: %s)',
    async (keep) => {
      const to = anAddress()
      const mail = mailTo(to)
      await fault({ hang: true, times: 1, keep })
      const hurried = createWorld(budgets({ mailMs: 200 }), world.databaseUrl)
      expect(await deliver([mail], 1, 'purse-mail', hurried)).toEqual(toComeAgain)
      await setFault(env.RESEND_BASE_URL, 'DELETE')
      expect(await deliver([mail], 2)).toEqual(acknowledged())
      expect(await sentTo(to)).toBe(1)
    },
  )

  test('that breaks off the connection gets the email again', async () => {
    const to = anAddress()
    const mail = mailTo(to)
    await fault({ hang: true, times: 1 })
    const delivery = deliver([mail])
    await vi.waitFor(async () => {
      const { hanging }: Json = await (await fetch(`${env.RESEND_BASE_URL}/faults`)).json()
      expect(hanging).toBe(1)
    }, 30_000)
    await setFault(env.RESEND_BASE_URL, 'DELETE')
    expect(await delivery).toEqual(toComeAgain)
    expect(await deliver([mail], 2)).toEqual(acknowledged())
    expect(await sentTo(to)).toBe(1)
  })

  test('that cannot be reached gets the email again, with more time for each attempt, within what the queue allows', async () => {
    const to = anAddress()
    const without = createWorld(unreachable)
    const delays: number[] = []
    for (let attempt = 1; attempt <= 24; attempt++) {
      const { retryDelays } = await deliver([mailTo(to)], attempt, 'purse-mail', without)
      delays.push(Number(retryDelays[0]))
    }
    const early = delays.slice(0, 8)
    expect(early).toEqual([...new Set(early)].sort((a, b) => a - b))
    expect(delays).toEqual([...delays].sort((a, b) => a - b))
    expect(delays[0]).toBeGreaterThan(0)
    // Cloudflare delays by twelve hours at most, and Resend knows an idempotency key for a day.
    expect(Math.max(...delays)).toBeLessThanOrEqual(43_200)
    expect(delays.reduce((sum, delay) => sum + delay, 0)).toBeLessThan(86_400)
    expect(await sentTo(to)).toBe(0)
  })

  test('that refuses one email for good holds up no other of the batch, and the refusal is recorded', async () => {
    const [good, alsoGood] = [anAddress(), anAddress()]
    const messages = [mailTo(good), mailTo('no address'), 'nonsense', mailTo(alsoGood)]
    expect(await deliver(messages)).toEqual(acknowledged(4))
    expect([await sentTo(good), await sentTo(alsoGood)]).toEqual([1, 1])
    expect(await failedMails()).toMatchObject([
      { kind: 'verify_address', recipient: 'no address' },
      { kind: 'unknown', recipient: 'unknown' },
    ])
  })

  test('that fails holds up no other email, and is logged without the address and without the link', async () => {
    const addresses = [anAddress(), anAddress(), anAddress()]
    await fault({ status: 500, times: 1 })
    const response = await deliver(addresses.map((to) => mailTo(to)))
    expect(response).toEqual({ acknowledged: 2, retryDelays: [expect.any(Number)] })
    expect(log.join()).toContain('verify_address')
    for (const secret of [...addresses, 'signature']) expect(log.join()).not.toContain(secret)
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
    expect(await deliver([body])).toEqual(acknowledged())
    expect(await failedMails()).toHaveLength(1)
  })

  test('and cannot be recorded either is redelivered', async () => {
    expect(await deliver(['nonsense'], 1, 'purse-mail', createWorld(noDatabase))).toEqual(toComeAgain)
  })
})

describe('an email that was tried until the queue gave up', () => {
  const dead = 'purse-mail-dead'

  test('is recorded once, with its id, kind, recipient, reason and time, but not its link', async () => {
    const to = anAddress()
    const mail = mailTo(to)
    const before = Date.now()
    for (let i = 0; i < 3; i++) expect(await deliver([mail], 1, dead)).toEqual(acknowledged())
    await deliver([mail, mail], 1, dead)
    const [row, ...more] = await failedMails()
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

  test('is recorded in every environment, and even if it is not an email', async () => {
    await deliver([mailTo(anAddress())], 1, 'purse-staging-mail-dead')
    await deliver([mailTo(anAddress())], 1, 'purse-production-mail-dead')
    for (const body of [null, 'nonsense', {}]) expect(await deliver([body], 1, dead)).toEqual(acknowledged())
    expect(await failedMails()).toHaveLength(5)
  })

  test('is redelivered while the database is down', async () => {
    const away = createWorld(noDatabase)
    expect(await deliver([mailTo(anAddress())], 1, dead, away)).toEqual(toComeAgain)
  })
})

test('a queue that takes nothing fails no request that wanted to send an email', async () => {
  const send = () => Promise.reject(new Error('Queue send failed for ada@example.com'))
  const without = createWorld({ MAIL_QUEUE: { send, sendBatch: send } as unknown as Queue<Mail> })
  const person = await without.register({ email: 'ada@example.com' })
  const resent = await person.post('/api/email/verification-notification')
  expect([resent.status, resent.body.message]).toEqual([200, 'Verification email queued.'])
  const body = { email: person.email }
  expect((await without.call('POST', '/api/forgot-password', { body })).status).toBe(200)
  expect((await person.delete('/api/me', { password: person.password })).status).toBe(204)
  const registered = await without.register()
  expect((await signInThroughProvider(without, registered.email)).id).toBe(registered.id)
  expect(log.filter((line) => line.includes('mail not queued'))).toHaveLength(6)
  expect(log.join()).not.toContain('ada@example.com')
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
  const mail = mailTo(anAddress())
  const impatient = { ...defaultBudgets, queueWaitMs: 1 }
  await mailQueue(slow, (promise) => underWay.push(promise), impatient).send(mail)
  expect(taken).toEqual([])
  opened.resolve()
  await Promise.all(underWay)
  expect(taken).toEqual([mail])
})
