import { expect, test } from 'vitest'
import { type Ledger, memoryStorage } from '../../../../client/index.ts'
import { openAccount, recordTransaction } from '../../fixtures/world.ts'
import { openDevice } from './ledger-world.ts'
import { losing, refusedAccount, twoDevices } from './two-devices.ts'

type Entry = [key: string, value: string]
type Path = (string | number)[]

/** A storage with rows of each noun and something that waits in every state. */
async function fullStorage() {
  const { world, person, expense, tea, one, two } = await twoDevices()
  const { ledger, network, storage } = one
  const { fetch } = network
  const record = async (reference: string) =>
    String((await recordTransaction(person, { ...expense, reference, force: true })).id)
  const [cup, doomed] = [await record('cup'), await record('doomed')]
  const closed = await openAccount(person, { name: 'Closed' })
  await recordTransaction(person, {
    ...expense,
    account_id: closed.id,
    reference: 'with its account',
    force: true,
  })
  await ledger.sync()
  await two.ledger.sync()
  await two.ledger.update('transaction', cup, { amount: 8 })
  await two.ledger.sync()
  await ledger.update('transaction', cup, { amount: 9 })
  await ledger.create('account', await refusedAccount(person))
  await ledger.sync()
  network.fetch = losing(fetch)
  await ledger.create('transaction', { ...expense, reference: 'sent' })
  await ledger.sync()
  await ledger.remove('account', closed.id)
  await ledger.sync()
  await ledger.undo()
  await ledger.update('transaction', tea, { amount: 4, description: null })
  const account_id = await ledger.create('account', {
    name: 'Wallet',
    type: 'cash',
    starting_balance: '1.50',
  })
  await ledger.create('transaction', { ...expense, account_id, reference: 'waits' })
  await ledger.remove('transaction', doomed)
  await ledger.update('profile', person.id, { name: 'Somebody' })
  network.fetch = fetch
  return { world, person, entries: await storage.list('') }
}

/** The places in a value; of a list its first one stands for all. */
function placesIn(value: unknown): Path[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Object.entries(value).slice(0, Array.isArray(value) ? 1 : undefined)
  return own.flatMap(([name, one]) => [[name], ...placesIn(one).map((path) => [name, ...path])])
}

function damagedAt(value: string, [...path]: Path, bad: unknown): string {
  const copy = JSON.parse(value)
  const name = path.pop() as string
  const holder = path.reduce((one, step) => one[step], copy)
  if (bad === undefined) delete holder[name]
  else holder[name] = bad
  return JSON.stringify(copy)
}

function readAll(ledger: Ledger) {
  return [
    ...[ledger.accounts(), ledger.categories(), ledger.profile(), ledger.transactions(), ledger.summary()],
    ...[ledger.transactions({ q: 'tea', category_id: 'none' }), ledger.summary({ month: '2026-11' })],
    ...[ledger.conflicts(), ledger.rejected()],
  ]
}

test('whatever is damaged, the ledger opens, loses nothing of the rest, and reports what it cannot read', async () => {
  const { world, person, entries } = await fullStorage()
  const base = `purse/${person.id}/ledger/`
  const waits = entries.filter(([key]) => key.startsWith(`${base}waits/`)).map(([key]) => key)
  expect(waits).toHaveLength(9)
  const openWith = async (damaged: Entry, what: string) => {
    const storage = memoryStorage()
    await storage.write([...entries.filter(([key]) => key !== damaged[0]), damaged])
    const { ledger } = await openDevice(world, person, { storage }).catch((cause) => {
      throw new Error(`It did not open: ${what}`, { cause })
    })
    const kept = ledger.waiting().map(({ noun, key }) => `${base}waits/${noun} ${key}`)
    expect(kept.sort(), what).toEqual(waits)
    expect(() => readAll(ledger), what).not.toThrow()
    return ledger
  }
  let place = 0
  for (const [key, value] of entries as Entry[])
    for (const path of placesIn(JSON.parse(value))) {
      place += 1
      const what = `${key} ${path.join('.')}`
      // A higher version would be one of a later app.
      for (const bad of [undefined, null, {}, true, path[0] === 'version' ? 0 : 7])
        await openWith([key, damagedAt(value, path, bad)], `${what} ${JSON.stringify(bad)}`)
      const ledger = await openWith([key, damagedAt(value, path, 'x')], what)
      // Syncing takes a hundred times as long as opening.
      if (place % 3 > 0) continue
      for (let round = 1; round === 1 || ledger.waiting().length > 0; round++) {
        expect(round, what).toBeLessThan(4)
        expect(await ledger.sync(), what).toMatchObject({ stopped: null })
        expect(() => readAll(ledger), what).not.toThrow()
        for (const one of ledger.rejected()) await ledger.discard(one)
        for (const one of ledger.conflicts()) await ledger.keepTheirs(one)
      }
    }
})
