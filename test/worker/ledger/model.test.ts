import { expect, test } from 'vitest'
import { Dice } from '../devices/dice.ts'
import { edit, type Kinds } from './edits.ts'
import { newWorld, openDevice, readLedger, readService } from './ledger-world.ts'
import { unsteady } from './two-devices.ts'

const operations = 300
/** What transactions name stays, so that it is known which must be there; so do steps, since an undone one may come again. */
const kinds: Partial<Kinds> = { close: 0, drop: 0, undo: 0 }

test('two devices on a bad network, one with two tabs, end with what the service has, nothing lost and nothing twice', async () => {
  const world = newWorld()
  const person = await world.register()
  const dice = new Dice(20_261_122)
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
  const served = body.data.map(({ reference }: { reference: string }) => reference)
  expect(served.length).toBe(new Set(served).size)
  expect([...made].filter((one) => !removed.has(one) && !served.includes(one))).toEqual([])
  for (const [what, times] of Object.entries(tally)) expect(times, what).toBeGreaterThan(0)
}, 120_000)

const references = ({ data }: { data: { reference: string | null }[] }) =>
  new Set(data.map(({ reference }) => reference ?? ''))

type Ledger = Awaited<ReturnType<typeof openDevice>>['ledger']

async function isUnsettled(ledger: Ledger): Promise<boolean> {
  await ledger.sync()
  return ledger.waiting().length > 0
}

/** What a person decides; returns the number of conflicts. */
async function decide(ledger: Ledger, dice: Dice): Promise<number> {
  const conflicts = ledger.conflicts()
  for (const one of conflicts) await (dice.isOnceIn(2) ? ledger.keepMine(one) : ledger.keepTheirs(one))
  for (const one of ledger.rejected()) await ledger.discard(one)
  return conflicts.length
}
