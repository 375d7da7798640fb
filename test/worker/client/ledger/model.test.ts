import { expect, test } from 'vitest'
import { type Ledger, LedgerError, memoryStorage } from '../../../../client/index.ts'
import { Dice } from '../../../dice.ts'
import { stopClock } from '../../fixtures/clock.ts'
import { lengthOf } from '../../fixtures/random-histories.ts'
import { edit, type Kinds } from './edits.ts'
import { newWorld, openDevice, readLedger, readService } from './ledger-world.ts'
import { unsteady } from './two-devices.ts'

const { seed, operations } = lengthOf({ seed: 20_261_123, operations: 100 })
/** What transactions name stays, so that it is known which must be there; so do steps, since an undone one may come again. */
const kinds: Partial<Kinds> = { close: 0, drop: 0, undo: 0 }

test('two devices on a bad network, one with two tabs, end with what the service has, nothing lost and nothing twice', async () => {
  stopClock()
  const world = newWorld()
  const person = await world.register()
  const dice = new Dice(seed)
  const one = await openDevice(world, person)
  const devices = [
    one,
    await openDevice(world, person),
    await openDevice(world, person, { storage: one.storage }),
  ]
  const made = new Set<string>()
  const removed = new Set<string>()
  const tally = { 'never sent': 0, lost: 0, answered: 0, conflicts: 0, 'opened anew': 0 }
  for (const device of devices) device.network.fetch = unsteady(device.network.fetch, dice, tally)

  for (let done = 0; done < operations; done++) {
    const device = dice.of(devices) as (typeof devices)[number]
    const before = references(device.ledger.transactions({ per_page: 500 }))
    await edit(device.ledger, dice, () => `s${done}`, kinds)
    const after = references(device.ledger.transactions({ per_page: 500 }))
    for (const one of after) if (!before.has(one)) made.add(one)
    for (const one of before) if (!after.has(one)) removed.add(one)
    if (dice.isOnceIn(5)) await device.ledger.sync()
    if (dice.isOnceIn(20)) {
      device.ledger = await device.open()
      tally['opened anew']++
    }
    tally.conflicts += await decide(device.ledger, dice)
  }

  for (const { ledger } of [...devices, ...devices, ...devices])
    do await decide(ledger, dice)
    while (await isUnsettled(ledger))
  for (const { ledger } of devices) expect(readLedger(ledger)).toEqual(await readService(person, ledger))
  const { body } = await person.get('/api/transactions?per_page=500')
  const served = [...body.data].flatMap(({ reference }) => reference ?? [])
  expect(served.length).toBe(new Set(served).size)
  expect([...made].filter((one) => !removed.has(one) && !served.includes(one))).toEqual([])
  for (const [what, times] of Object.entries(tally)) expect(times, what).toBeGreaterThan(0)
})

const references = ({ data }: { data: { reference: string | null }[] }) =>
  new Set(data.flatMap(({ reference }) => reference ?? []))

async function isUnsettled(ledger: Ledger): Promise<boolean> {
  await ledger.sync()
  return ledger.waiting().length > 0
}

/** What a person decides; returns the number of conflicts. */
async function decide(ledger: Ledger, dice: Dice): Promise<number> {
  const conflicts = ledger.conflicts()
  for (const one of conflicts) await (dice.isOnceIn(2) ? ledger.keepMine(one) : ledger.keepTheirs(one))
  for (const one of ledger.rejected())
    if (one.reconciled_through && (one.op === 'create' || dice.isOnceIn(2)))
      await ledger.overrideReconciled(one)
    else await ledger.discard(one)
  return conflicts.length
}

test('whatever a storage refuses or leaves without a result, and whatever is undone, all end with what the service has', async () => {
  stopClock()
  const world = newWorld()
  const person = await world.register()
  const dice = new Dice(7)
  const tally = { 'never sent': 0, lost: 0, answered: 0, kept: 0, refused: 0, 'kept and refused': 0 }
  let isFailing = true
  const failing = () => {
    const inner = memoryStorage()
    const write: typeof inner.write = async (entries) => {
      const mishap = isFailing ? dice.weighed({ kept: 8, refused: 1, 'kept and refused': 1 }) : 'kept'
      tally[mishap]++
      if (mishap !== 'refused') await inner.write(entries)
      if (mishap !== 'kept') throw failure
    }
    return { ...inner, write }
  }
  const failure = new Error('The storage has failed')
  const attempt = (work: Promise<unknown>) =>
    work.catch((error) => expect(error === failure || error instanceof LedgerError, String(error)).toBe(true))
  const storages = [failing(), failing()]
  const devices: Awaited<ReturnType<typeof openDevice>>[] = []
  for (const storage of [storages[0], ...storages])
    devices.push(await openDevice(world, person, storage && { storage }))
  const networks = devices.map(({ network }) => ({ network, fetch: network.fetch }))
  for (const { network, fetch } of networks) network.fetch = unsteady(fetch, dice, tally)
  for (let done = 0; done < operations / 2; done++) {
    const { ledger, storage } = dice.of(devices) as (typeof devices)[number]
    await attempt(edit(ledger, dice, () => `s${done}`, { undo: 8, close: 2, drop: 2 }))
    if (dice.isOnceIn(5)) await attempt(ledger.sync())
    if (dice.isOnceIn(4)) await attempt(decide(ledger, dice))
    if (!dice.isOnceIn(8)) continue
    await ledger.refresh()
    expect(readLedger(ledger)).toEqual(readLedger((await openDevice(world, person, { storage })).ledger))
  }
  isFailing = false
  for (const { network, fetch } of networks) network.fetch = fetch
  for (const { ledger } of [...devices, ...devices, ...devices])
    do await decide(ledger, dice)
    while (await isUnsettled(ledger))
  for (const { ledger } of devices) expect(readLedger(ledger)).toEqual(await readService(person, ledger))
  for (const [what, times] of Object.entries(tally)) expect(times, what).toBeGreaterThan(0)
})
