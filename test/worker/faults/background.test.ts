import { type SQL, sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { dayMs, minuteMs } from '../../../src/domain/dates.ts'
import type { Fault } from '../../databases/faults.ts'
import { muteLog } from '../fixtures/muted-log.ts'
import { toQueue } from '../fixtures/responses.ts'
import { balanceOf, queuedMail, registerVerified } from '../fixtures/world.ts'
import { askDatabase, createHousehold, type Household } from '../laws/every-route.ts'
import { createFaultyWorld, decisive } from './faulty-world.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  muteLog()
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const world = createFaultyWorld()
const count = async (rows: SQL) => (await askDatabase(world, sql`select 1 from ${rows}`)).length

/** Delivers while the database is broken, after which the message is to be retried, and once it works again. */
async function deliverTwice(fault: Fault, messages: unknown[], queue: string): Promise<void> {
  const { result: refused } = await world.whileBroken(fault, () => world.deliver(messages, queue))
  expect(refused).toMatchObject({ explicitAcks: [], delays: messages.map(() => 5) })
  const done = await world.deliver(messages, queue, 2)
  expect(done).toMatchObject({ retryMessages: [], delays: [] })
}

/** Sends a batch that waits for the queue. */
async function sendBatch({ person, expense }: Household) {
  const transactions = [expense(), { ...expense(), client_id: 'phone-1' }, { ...expense(), amount: 3 }]
  const options = toQueue(person.token, transactions)
  const { status, body } = await world.call('POST', '/api/transactions/sync', options)
  expect(status).toBe(200)
  return { id: body.sync_id as string, messages: world.queuedSyncs.splice(0) }
}

describe.each(decisive)('with %s', (_, fault) => {
  test('a batch is redelivered, and each item is stored once', async () => {
    const household = await createHousehold(world)
    const { person, checking } = household
    const { id, messages } = await sendBatch(household)
    await deliverTwice(fault, messages, 'purse-sync')
    const { body } = await person.get(`/api/transactions/sync/${id}`)
    expect(body).toMatchObject({ status: 'completed', counts: { total: 3, created: 3 } })
    expect(await balanceOf(person, checking)).toBe(100 - 12.5 - 12.5 - 3)
  })

  test('a dead batch is redelivered, and fails for good', async () => {
    const household = await createHousehold(world)
    const { id, messages } = await sendBatch(household)
    await deliverTwice(fault, messages, 'purse-sync-dead')
    const { body } = await household.person.get(`/api/transactions/sync/${id}`)
    expect(body).toMatchObject({ status: 'failed', counts: { total: 3, failed: 3 } })
  })

  test('an email that cannot be sent is recorded once', async () => {
    const { email } = await world.register()
    await deliverTwice(fault, [queuedMail(world, 'verify_address', email)], 'purse-mail-dead')
    expect(await count(sql`failed_mails where recipient = ${email}`)).toBe(1)
  })

  test('the sweep fails and finds the batch later, and so does the removal of what has expired', async () => {
    const household = await createHousehold(world)
    await sendBatch(household)
    vi.setSystemTime(Date.now() + minuteMs)
    await expect(world.whileBroken(fault, () => world.runCron('* * * * *'))).rejects.toThrow()
    expect(world.queuedSyncs).toEqual([])
    vi.setSystemTime(Date.now() + minuteMs)
    await world.runCron('* * * * *')
    expect(world.queuedSyncs).toHaveLength(1)
    await world.deliverSyncs()

    vi.setSystemTime(Date.now() + 400 * dayMs)
    await expect(world.whileBroken(fault, () => world.runCron('17 * * * *'))).rejects.toThrow()
    await world.runCron('17 * * * *')
    expect(await count(sql`tokens`)).toBe(0)
  })
})

/** The job finds who is due, finds who has recorded something, queues, and notes what it did. */
test.each([1, 2, 3])('reminders are sent when round trip %i fails, and to no user twice', async (only) => {
  for (const [, fault] of decisive) {
    vi.setSystemTime(Date.parse('2026-11-20T08:00:00Z'))
    const world = createFaultyWorld()
    await registerVerified(world)
    await world.runCron('*/5 * * * *')
    vi.setSystemTime(Date.parse('2026-11-20T20:00:00Z'))
    world.queued.length = 0
    // A read that is retried saves the run.
    await world
      .whileBroken({ ...fault, only }, () => world.runCron('*/5 * * * *'))
      .catch((error) => expect(error.constructor.name).toBe('DatabaseUnavailable'))
    await world.runCron('*/5 * * * *')
    await world.runCron('*/5 * * * *')
    // The email service accepts an email with the same id only once.
    const ids = world.queued.filter(({ kind }) => kind === 'reminder').map(({ id }) => id)
    expect(new Set(ids).size).toBe(1)
  }
})
