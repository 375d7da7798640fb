import { sql } from 'drizzle-orm'
import * as fc from 'fast-check'
import { expect, vi } from 'vitest'
import { findDifferences } from '../../../src/database/check.ts'
import { dayMs, hourMs } from '../../../src/domain/dates.ts'
import { Dice } from '../../dice.ts'
import { expectEqual, readEverything } from '../fixtures/feed-copy.ts'
import type { Json } from '../fixtures/world.ts'
import { askDatabase, openWorldDatabase, verify } from '../laws/every-route.ts'
import { Device as AnyDevice } from './device.ts'
import { direct, dryRun, removeDeleted } from './direct.ts'
import { edit, newRule, newTransaction } from './edits.ts'
import { Ledger } from './ledger.ts'
import type { Tally } from './network.ts'
import { backUp } from './restore.ts'
import { Stage } from './stage.ts'

type Device = AnyDevice<Stage>

const people = 3
const devicesEach = 3
const burstsAtMost = 100

const kinds = {
  ...{ 'edit offline': 10, sync: 10, upload: 3, pull: 8, act: 14, 'start anew': 1, 'go back': 1 },
  'run the job': 2,
}
/** Steps that look at everything, during which nothing else may happen. */
const quietKinds = {
  ...{ compare: 1, 'dry run': 1, 'remove deleted': 2, "another's cursor": 1, expire: 1 },
  'let time pass': 3,
}
type Kind = keyof typeof kinds | keyof typeof quietKinds
export const quiet = Object.keys(quietKinds) as Kind[]

type Step = { kind: Kind; who: number; salt: number }

const step = (weights: Partial<Record<Kind, number>>): fc.Arbitrary<Step> =>
  fc.record({
    kind: fc.oneof(
      ...Object.entries(weights).map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind as Kind) })),
    ),
    who: fc.noBias(fc.nat(people * devicesEach - 1)),
    salt: fc.noShrink(fc.noBias(fc.integer({ min: 1, max: 2 ** 31 - 2 }))),
  })

/** Concurrent steps, or a single one. */
const burst = fc.oneof(
  { weight: 5, arbitrary: fc.array(step(kinds), { minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: step(quietKinds).map((one) => [one]) },
)
export const history = fc.record({
  bursts: fc.array(burst, { minLength: 1, maxLength: burstsAtMost, size: 'max' }),
  /** After how many bursts a backup is made, which is restored at the end. */
  backup: fc.option(fc.nat(burstsAtMost), { freq: 2 }),
})
export type History = typeof history extends fc.Arbitrary<infer H> ? H : never

/** Plays a history. Throws if a device and the service disagree, and reports what was done. */
export async function liveHistory({ bursts, backup }: History, tally: Tally): Promise<void> {
  vi.setSystemTime(start)
  const stage = new Stage(tally)
  try {
    const devices = await settle(stage)
    let restore: (() => Promise<void>) | undefined
    for (const [nth, burst] of bursts.entries()) {
      if (nth === backup) restore = await backUp(stage.world)
      stage.isCalm = false
      await live(devices, burst)
    }
    await end(devices)
    if (restore) await goBack(stage, devices, restore)
  } catch (error) {
    const { message, actual, expected } = error as Error & { actual?: unknown; expected?: unknown }
    const seen =
      actual === undefined ? '' : `\n${JSON.stringify(actual)}\nis not\n${JSON.stringify(expected)}`
    const story = stage.told.slice(-40).join('\n')
    throw new Error(`${message}${seen}\n\nWhat was sent, the last at the end:\n${story}`, { cause: error })
  }
}

/** Some people with a history, and several devices each. */
async function settle(stage: Stage): Promise<Device[]> {
  const devices: Device[] = []
  for (let nth = 1; nth <= people; nth++) {
    const person = await stage.world.register({ name: stage.newText() })
    await verify(stage.world, person)
    const ledger = new Ledger()
    const own = Array.from(
      { length: devicesEach },
      (_, i) => new AnyDevice(stage, `${nth}${'abc'[i]}`, person, ledger),
    )
    for (let i = 0; i < 3; i++)
      await person.post('/api/accounts', { name: stage.newText(), type: 'bank', starting_balance: '10.00' })
    const first = own[0] as Device
    await first.copy.pull()
    const dice = new Dice(nth)
    const transactions = Array.from({ length: 25 * nth }, () => newTransaction(first, dice))
    expect((await person.post('/api/import/store', { transactions })).status).toBe(200)
    for (let i = 0; i < 3; i++)
      expect((await person.post('/api/recurring', newRule(first, dice))).status).toBe(201)
    devices.push(...own)
  }
  return devices
}

async function live(devices: Device[], burst: Step[]): Promise<void> {
  const steps = Map.groupBy(burst, ({ who }) => who)
  const lived = await Promise.allSettled(
    [...steps].map(async ([who, own]) => {
      for (const { kind, salt } of own)
        await act(devices, devices[who % devices.length] as Device, kind, new Dice(salt))
    }),
  )
  for (const one of lived) if (one.status === 'rejected') throw one.reason
}

const limits = [1, 2, 3, 7, 20, 100, 500, 1_000]

async function act(devices: Device[], device: Device, kind: Kind, dice: Dice): Promise<void> {
  const { stage } = device
  stage.tally.count(kind)
  if (quiet.includes(kind)) stage.isCalm = true
  const acts: Record<Kind, () => unknown> = {
    'edit offline': () => {
      for (let left = dice.from(1, 40); left > 0; left--) edit(device, dice)
    },
    sync: () => device.sync(dice),
    upload: () => device.push(dice, false),
    pull: () => device.pull(dice, dice.of(limits) as number, dice.from(1, 8)),
    act: () => direct[dice.weighed(acting)](device, dice),
    'start anew': () => device.startAnew(dice.isOnceIn(2)),
    'go back': () => {
      const cursor = dice.of(device.cursors)
      if (cursor !== undefined) Object.assign(device.copy, { cursor, isWhole: false })
    },
    compare: () => compare(devices.filter(({ userId }) => userId === device.userId)),
    'dry run': () => dryRun(device, dice),
    'remove deleted': () => removeDeleted(device, dice),
    "another's cursor": () => tryCursorOfAnother(device, devices),
    expire: () => expire(device, dice),
    'run the job': () => stage.world.runCron(jobOfRules),
    'let time pass': () => letTimePass(devices, dice),
  }
  await acts[kind]()
}

const acting: Record<keyof typeof direct, number> = {
  record: 4,
  'change a transaction': 6,
  'change an account': 2,
  'change a category': 2,
  'remove a transaction': 3,
  'close an account': 1,
  'drop a category': 1,
  'open an account': 1,
  'add a category': 1,
  'change the profile': 1,
  'upload a batch': 4,
  import: 3,
  'undo an import': 2,
  'repeat a transaction': 1,
  'change a rule': 3,
  'divide a rule': 2,
  'change an occurrence': 4,
  'record an occurrence': 4,
  'link an occurrence': 2,
  'drop a rule': 0.5,
}

const start = Date.parse('2026-01-20T12:07:00Z')
const jobOfRules = '*/5 * * * *'

/** Moves the clock, by hours, days or months, or back, and runs the job. No token goes unused for too long. */
async function letTimePass(devices: Device[], dice: Dice): Promise<void> {
  const [{ stage }] = devices as [Device]
  const ways = {
    hours: dice.from(1, 40) * hourMs,
    days: dice.from(1, 9) * dayMs,
    months: dice.from(20, 61) * dayMs,
    back: -dice.from(1, 96) * hourMs,
  }
  const now = Date.now() + ways[dice.weighed({ hours: 3, days: 4, months: 1, back: 1 })]
  vi.setSystemTime(now)
  stage.told.push(`It is ${new Date(now).toISOString()}`)
  for (const device of devices) expect((await device.reader.get('/api/me')).status).toBe(200)
  await stage.world.runCron(jobOfRules)
}

/** Has a user's devices pull what there is, and compares their copies with what the API shows. */
async function compare(own: Device[]): Promise<Json> {
  const dice = new Dice(1)
  for (const device of own) await device.catchUp(dice)
  const [first] = own as [Device]
  const all = await readEverything(first.reader)
  for (const { name, copy, stage } of own) {
    stage.told.push(`${name} is compared`)
    expectEqual(copy, all)
  }
  first.stage.tally.count('comparisons', own.length)
  const occurrences = all.transactions.filter(({ recurring_id }) => recurring_id !== null)
  first.stage.tally.count('occurrences', occurrences.length)
  return all
}

async function tryCursorOfAnother(device: Device, devices: Device[]): Promise<void> {
  const { cursor } = devices.find(({ userId, copy }) => userId !== device.userId && copy.cursor)?.copy ?? {}
  if (!cursor) return
  expect(await device.reader.get(`/api/changes?cursor=${cursor}`)).toMatchObject(expired)
  const ops = [{ op: 'update', noun: 'profile', set: { name: 'Nobody' } }]
  expect(await device.send(new Dice(1), 'POST', '/api/changes', { body: { ops, cursor } })).toMatchObject(
    expired,
  )
}

/** Lets a part of a user's log become so old that it is forgotten: devices that lag behind have to start over. */
async function expire({ stage, userId }: Device, dice: Dice): Promise<void> {
  const last = sql`select max(seq) from changes where user_id = ${userId}`
  const old = sql`user_id = ${userId} and seq <= (${last}) * ${dice.from(1, 4)} / 4`
  await askDatabase(stage.world, sql`update changes set at = 0 where ${old}`)
  await stage.world.runCron('41 3 * * *')
}

const expired = { status: 410, body: { message: 'The cursor is no longer valid.', code: 'cursor_expired' } }

/** Has all devices send and pull everything, and checks all promises. */
async function end(devices: Device[]): Promise<void> {
  const [{ stage }] = devices as [Device]
  stage.isCalm = true
  for (const device of devices) await device.finish(new Dice(1))
  for (const own of Map.groupBy(devices, ({ userId }) => userId).values()) {
    const all = await compare(own)
    own[0]?.ledger.settle(all)
  }
  await stage.world.removeDeleted()
  expect(await findDifferences(openWorldDatabase(stage.world))).toEqual([])
}

/** Restores the database from a copy, and raises the epoch. */
async function goBack(stage: Stage, devices: Device[], restore: () => Promise<void>): Promise<void> {
  await restore()
  stage.restart({ CHANGES_EPOCH: '2' })
  stage.tally.count('restored')
  const ledgers = new Map(devices.map(({ userId }) => [userId, new Ledger()]))
  const dice = new Dice(1)
  for (const device of devices) {
    edit(device, dice)
    expect(await device.reader.get(device.copy.pathOfNext(500))).toMatchObject(expired)
    device.distrust(ledgers.get(device.userId) as Ledger)
  }
  await end(devices)
}
